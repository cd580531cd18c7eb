package inbox_test

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// patience is how long a test waits for something that comes at once when all is well.
const patience = 20 * time.Second

// rig is an inbox and an outbox on a real database, and one channel called "test".
type rig struct {
	*testing.T
	db     *store.DB
	inbox  *inbox.Inbox
	outbox *outbox.Outbox
	sent   chan channels.Outbound
	send   func(m *channels.Outbound) // called before a message counts as sent; may be nil
}

func newRig(t *testing.T, url string, handler inbox.Handler) *rig {
	t.Helper()
	g := &rig{T: t, db: storetest.Open(t, url), sent: make(chan channels.Outbound, 100)}
	owner := func() string { return "me" }
	log := slog.New(slog.DiscardHandler)
	g.outbox = outbox.New(outbox.Config{
		Store: store.NewOutbox(g.db, "test"), Owner: owner, Log: log,
		Sender: func(name string) (channels.Channel, bool) { return g, name == "test" },
	})
	g.inbox = inbox.New(inbox.Config{
		Store: store.NewInbox(g.db, "test"), Handler: handler, Out: g.outbox.Engine(), Owner: owner, Log: log, Attempts: 1,
	})
	return g
}

// run starts both engines until the test ends, or until stop is called.
func (g *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(g.Context()))
	ended := make(chan error, 2)
	go func() { ended <- g.inbox.Engine().Run(ctx) }()
	go func() { ended <- g.outbox.Engine().Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				g.Errorf("run: %v", err)
			}
		}
	}
	g.Cleanup(stop)
	return stop
}

func (g *rig) Name() string                                      { return "test" }
func (g *rig) Run(ctx context.Context, _ channels.Handler) error { <-ctx.Done(); return nil }

func (g *rig) Send(_ context.Context, m *channels.Outbound) (channels.MessageID, error) {
	if g.send != nil {
		g.send(m)
	}
	g.sent <- *m
	return channels.MessageID(m.Key), nil
}

func conversation(chat string) channels.Conversation {
	return channels.Conversation{Channel: "test", Chat: channels.ChatID(chat)}
}

func (g *rig) session(chat string) string {
	g.Helper()
	id, err := store.NewSessions(g.db).Current(g.Context(), "acme", "lead", conversation(chat), "")
	if err != nil {
		g.Fatal(err)
	}
	return id
}

// say accepts one message in a chat; its text is its event key.
func (g *rig) say(chat string, texts ...string) {
	g.Helper()
	id := g.session(chat)
	for _, text := range texts {
		_, err := g.inbox.Accept(g.Context(), &inbox.Item{
			Session: id, Scope: tools.Scope{Tenant: "acme", Agent: "lead", Conversation: conversation(chat)},
			Message: channels.Inbound{EventKey: chat + "/" + text, Conversation: conversation(chat), Text: text},
		})
		if err != nil {
			g.Fatal(err)
		}
	}
}

// spoil makes the stored form of a message unreadable.
func (g *rig) spoil(chat, text string) {
	g.Helper()
	pool := g.db.SQL()
	query := `UPDATE inbox SET payload = '{' WHERE event_key = ?`
	if g.db.Postgres() {
		query = `UPDATE inbox SET payload = '{' WHERE event_key = $1`
	}
	var r sql.Result
	r, err := pool.ExecContext(g.Context(), query, chat+"/"+text)
	if err != nil {
		g.Fatal(err)
	}
	if n, _ := r.RowsAffected(); n != 1 {
		g.Fatalf("%d rows spoiled", n)
	}
}

// answer is the end of a turn that says text.
func answer(t *inbox.Turn, text string) *inbox.End {
	c := t.Item.Message.Conversation
	return &inbox.End{
		Through: t.Item.Seq, Outcome: inbox.Answered,
		Out: []channels.Outbound{{Key: c.String() + "/" + text, Conversation: c, Text: text}},
	}
}

// next waits for what the channel shows next.
func (g *rig) next() string {
	g.Helper()
	return await(g.T, g.sent).Text
}

func await[T any](t *testing.T, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatal("waited in vain")
	}
	return v
}
