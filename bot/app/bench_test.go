package app_test

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/app"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// instant answers at once.
type instant struct{}

func (instant) Name() string { return "bench:instant" }

func (instant) Generate(context.Context, *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		started <- time.Now()
		yield(&llm.Chunk{Final: &llm.Answer{Message: llm.AssistantText("done"), Finish: llm.Stop}}, nil)
	}
}

// started takes the time at which each model call begins.
var started = make(chan time.Time, 100_000)

// loop is a channel that hands messages in and takes answers out.
type loop struct {
	handler chan channels.Handler
	sent    chan time.Time
}

func newLoop() *loop { return &loop{make(chan channels.Handler, 1), make(chan time.Time, 100_000)} }

func (*loop) Name() string { return "loop" }

func (l *loop) Run(ctx context.Context, h channels.Handler) error {
	l.handler <- h
	<-ctx.Done()
	return nil
}

func (l *loop) Send(context.Context, *channels.Outbound) (channels.MessageID, error) {
	l.sent <- time.Now()
	return "1", nil
}

func message(chat, n int) *channels.Inbound {
	return &channels.Inbound{
		ID: channels.MessageID(fmt.Sprint(n)), EventKey: fmt.Sprintf("%d/%d", chat, n), Direct: true, Text: "hello there",
		Conversation: channels.Conversation{Channel: "loop", Chat: channels.ChatID(fmt.Sprint(chat))},
		Sender:       channels.Sender{ID: "501", Name: "Ann"}, SentAt: time.Now(),
	}
}

// run starts the whole bot on the database and gives its message handler.
func run(b *testing.B, url string) (*loop, channels.Handler) {
	b.Helper()
	l := newLoop()
	cfg := &app.Config{Database: url, Access: "open", TimeZone: "UTC", Steering: "queue"}
	a, err := app.New(b.Context(), cfg, app.Options{
		Log: slog.New(slog.DiscardHandler), Model: instant{}, NoHTTP: true,
		Channels: []func(channels.Env) channels.Channel{func(channels.Env) channels.Channel { return l }},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return l, <-l.handler
}

func report(b *testing.B, name string, ds []time.Duration) {
	slices.Sort(ds)
	at := func(q float64) float64 { return float64(ds[int(q*float64(len(ds)-1))].Microseconds()) / 1000 }
	b.ReportMetric(at(.5), name+"-p50-ms")
	b.ReportMetric(at(.95), name+"-p95-ms")
}

// each runs bench on both dialects.
func each(b *testing.B, bench func(b *testing.B, url string)) {
	storetest.EachBench(b, bench)
}

// BenchmarkTurn sends one message after another, twenty to a conversation: "start" is from the return of the handler,
// when the message is durable, to the model call; "turn" is from the delivery to the send of the answer.
func BenchmarkTurn(b *testing.B) {
	each(b, func(b *testing.B, url string) {
		l, handle := run(b, url)
		var starts, turns []time.Duration
		n := 0
		for b.Loop() {
			n++
			delivered := time.Now()
			if err := handle(b.Context(), message(n/20, n)); err != nil {
				b.Fatal(err)
			}
			durable := time.Now()
			starts = append(starts, (<-started).Sub(durable))
			turns = append(turns, (<-l.sent).Sub(delivered))
		}
		report(b, "start", starts)
		report(b, "turn", turns)
	})
}

// BenchmarkThroughput has 200 conversations at once.
func BenchmarkThroughput(b *testing.B) {
	each(b, func(b *testing.B, url string) {
		l, handle := run(b, url)
		const chats, each = 200, 10
		round := 0
		begun := time.Now()
		for b.Loop() {
			round++
			var wg sync.WaitGroup
			for chat := range chats {
				wg.Go(func() {
					for i := range each {
						if err := handle(b.Context(), message(chat, round*each+i)); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for range chats * each {
				<-l.sent
				<-started
			}
			wg.Wait()
		}
		b.ReportMetric(float64(round*chats*each)/time.Since(begun).Seconds(), "messages/s")
	})
}

// BenchmarkCommit is the baseline: one durable insert on SQLite, with the same settings.
func BenchmarkCommit(b *testing.B) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "x.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)`); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		t := time.Now()
		if _, err := db.Exec(`INSERT INTO t (x) VALUES ('hello')`); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(t))
	}
	report(b, "commit", took)
}
