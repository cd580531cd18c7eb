package bot_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

var referencePattern = regexp.MustCompile(`\(reference (\w+)\)$`)

// wantReference checks that a message to people ends with a reference that is in the log, and holds no internals.
func wantReference(t *testing.T, w *world, text string) {
	t.Helper()
	m := referencePattern.FindStringSubmatch(text)
	if m == nil || !strings.Contains(w.log.String(), "ref="+m[1]) {
		t.Errorf("%q has no reference that is in the log", text)
	}
	if strings.Contains(text, "scripted") || strings.Contains(text, "script:") {
		t.Errorf("%q tells internals", text)
	}
}

func TestModelFailureIsToldInPlainWords(t *testing.T) {
	t.Parallel()
	for reason, want := range map[llm.Reason]string{
		llm.Unreachable: "can't reach the model",
		llm.Overloaded:  "overloaded",
		llm.Auth:        "credentials",
		llm.TooLong:     "too long",
		llm.Rejected:    "refused this request",
		llm.BadAnswer:   "unreadable",
		"":              "Something went wrong on my side",
	} {
		t.Run("reason "+string(reason), func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				fail := llmtest.Fail(reason)
				if reason == "" {
					fail = llmtest.FailWith(errors.New("scripted: nobody knows"))
				}
				w := newWorld(t, url, setup{model: llmtest.New(t).Otherwise(fail)})
				id := w.says("501", "first")
				m := w.shown()
				if !strings.Contains(m.Text, want) || m.ReplyTo != id || m.Conversation != room() {
					t.Errorf("shown %q in reply to %s in %s, want %q", m.Text, m.ReplyTo, m.Conversation, want)
				}
				wantReference(t, w, m.Text)
				w.wantQuiet()
				asked := w.model.Last().Messages
				if len(asked) != 3 || !strings.Contains(asked[0].Text(), "first") || asked[1].Text() != m.Text {
					t.Errorf("the history after a failure is %+v", asked)
				}
			})
		})
	}
}

func TestClosedAccess(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		const secret = "the launch code is 0000"
		w := newWorld(t, url, setup{closed: true, model: llmtest.New(t)})
		period := func() int64 { return time.Now().Unix() / 600 }
		began := period()
		first := w.says("501", secret)
		w.says("501", secret)
		w.commands("stop", secret)
		other := w.says("502", secret)
		for _, want := range []channels.MessageID{first, other} {
			m := w.shown()
			if period() != began { // a new period began meanwhile, with another refusal
				t.Skip("the clock reached a full ten minutes")
			}
			if m.ReplyTo != want || !strings.HasPrefix(m.Text, "I can't talk with you yet.") {
				t.Errorf("shown %q in reply to %s, want a refusal in reply to %s", m.Text, m.ReplyTo, want)
			}
		}
		for _, q := range []string{
			`SELECT count(*) FROM inbox`, `SELECT count(*) FROM history`, `SELECT count(*) FROM sessions`,
			`SELECT count(*) FROM outbox WHERE payload LIKE '%launch%'`,
			`SELECT CASE WHEN count(*) = 2 THEN 0 ELSE count(*) END FROM outbox`,
		} {
			var n int
			if err := w.db.SQL().QueryRowContext(t.Context(), q).Scan(&n); err != nil || n != 0 {
				t.Errorf("%s: %d (%v)", q, n, err)
			}
		}
		if strings.Contains(w.log.String(), "launch") {
			t.Error("the text of a stranger is in the log")
		}
	})
}

func TestFullDiskIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		var full atomic.Bool
		w := newWorld(t, url, setup{inbox: func(s inbox.Store) inbox.Store { return &faulty{Store: s, full: &full} }})
		full.Store(true)
		in := w.message(room(), "501", "hello")
		if err := w.router.Handle(t.Context(), in); !errors.Is(err, errDisk) {
			t.Errorf("the message was taken with %v, want %v", err, errDisk)
		}
		full.Store(false)
		w.deliver(in)
		w.wantShown(in.ID, "re: hello")
		w.wantQuiet()
	})
}

func TestTurnThatKeepsBreakingOffIsGivenUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		var crashes atomic.Int32
		w := newWorld(t, url, setup{attempts: 2, inbox: func(s inbox.Store) inbox.Store {
			return &faulty{Store: s, crashes: &crashes}
		}})
		crashes.Store(2)
		id := w.says("501", "poison")
		m := w.shown()
		if m.ReplyTo != id || !strings.HasPrefix(m.Text, "I began this 2 times and the program broke off each time") {
			t.Errorf("shown %q in reply to %s", m.Text, m.ReplyTo)
		}
		wantReference(t, w, m.Text)
		w.wantQuiet()
		if got := w.model.Last().Messages; len(got) != 3 || !strings.Contains(got[0].Text(), "poison") {
			t.Errorf("the history after a message was given up is %+v", got)
		}
	})
}

func TestAFailingDatabaseDoesNotCountAgainstAMessage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		var broken atomic.Int32
		w := newWorld(t, url, setup{attempts: 1, inbox: func(s inbox.Store) inbox.Store {
			return &faulty{Store: s, broken: &broken}
		}})
		broken.Store(2)
		w.wantShown(w.says("501", "hello"), "re: hello")
	})
}

func TestWhatABrokenOffTurnTookInEndsWithIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate, after := newGate(), newGate()
		model := llmtest.New(t, gate.then(llmtest.Call("list_files", nil)), after.then(func(
			context.Context, *llm.Request,
		) (*llm.Answer, error) {
			panic("the program broke off")
		})).Otherwise(echo)
		w := newWorld(t, url, setup{attempts: 1, model: model})
		first := w.says("501", "one")
		<-gate.begun
		w.says("501", "two")
		close(gate.open)
		<-after.begun
		close(after.open)
		if m := w.shown(); m.ReplyTo != first || !strings.HasPrefix(m.Text, "I began this 1 times") {
			t.Errorf("shown %q in reply to %s", m.Text, m.ReplyTo)
		}
		w.wantQuiet()
	})
}

// faulty is an inbox store with faults that the test switches on.
type faulty struct {
	inbox.Store
	full    *atomic.Bool  // nothing can be stored
	broken  *atomic.Int32 // how many times histories cannot be loaded
	crashes *atomic.Int32 // how many times loading one ends in a panic
}

func (f *faulty) Accept(ctx context.Context, it *inbox.Item, owner string, limit int) (*lane.Lease, bool, error) {
	if f.full != nil && f.full.Load() {
		return nil, false, errDisk
	}
	return f.Store.Accept(ctx, it, owner, limit)
}

func (f *faulty) Log(l lane.Lease) session.Log { return faultyLog{f.Store.Log(l), f} }

type faultyLog struct {
	session.Log
	faults *faulty
}

func (l faultyLog) Load(ctx context.Context) ([]session.Entry, error) {
	if n := l.faults.broken; n != nil && n.Add(-1) >= 0 {
		return nil, errDisk
	}
	if n := l.faults.crashes; n != nil && n.Add(-1) >= 0 {
		panic("the program broke off")
	}
	return l.Log.Load(ctx)
}

func TestUndeliverableMessageDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{queue: true, send: func(m *channels.Outbound) error {
			if strings.Contains(m.Text, "doomed") {
				return &channels.Error{Op: "send", Terminal: true, NotTaken: true, Err: errors.New("chat not found\x00")}
			}
			return nil
		}})
		w.says("501", "doomed")
		id := w.says("501", "fine")
		w.wantShown(id, "re: fine")
		key := receive(t, w.lost, "the word that a message is undeliverable")
		var n int
		row := w.db.SQL().QueryRowContext(t.Context(),
			`SELECT count(*) FROM outbox WHERE status = 3 AND err <> '' AND payload LIKE '%doomed%' AND key LIKE '`+key+`'`)
		if err := row.Scan(&n); err != nil || n != 1 {
			t.Errorf("%d undeliverable messages are kept (%v), want 1", n, err)
		}
		w.wantQuiet()
	})
}

func TestFailedSendIsTriedAgainInOrder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err    error
		repeat bool
	}{
		"the platform refused": {
			&channels.Error{Op: "send", NotTaken: true, RetryAfter: time.Millisecond, Err: errors.New("429")}, false,
		},
		"nobody knows what happened": {errors.New("connection reset"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				var tries atomic.Int32
				w := newWorld(t, url, setup{queue: true, send: func(*channels.Outbound) error {
					if tries.Add(1) == 1 {
						return tc.err
					}
					return nil
				}})
				first, second := w.says("501", "one"), w.says("501", "two")
				m := w.shown()
				if m.ReplyTo != first || m.Text != "re: one" || m.Attempt.Unsure != tc.repeat {
					t.Errorf("shown %q, a repeat: %v", m.Text, m.Attempt.Unsure)
				}
				w.wantShown(second, "re: two")
				w.wantQuiet()
			})
		})
	}
}
