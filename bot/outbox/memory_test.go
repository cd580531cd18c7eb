package outbox_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/channels"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is an outbox.Store in memory. The leases it gives do not run out.
type memory struct {
	mu    sync.Mutex
	convs map[string]*queue
	fail  error // what Sent returns instead of writing
}

type queue struct {
	rows      []*kept
	done      int64
	owner     string
	fence     int64
	notBefore time.Time
}

// kept is a message and what became of it.
type kept struct {
	msg        channels.Outbound
	at         time.Time
	attempts   int
	parts      int
	unsure     bool
	unreadable bool
	id         channels.MessageID
	why        string
	dead       bool
}

func newMemory() *memory { return &memory{convs: map[string]*queue{}} }

func (q *queue) lease(id string) lane.Lease {
	return lane.Lease{ID: id, Owner: q.owner, Fence: q.fence, Last: int64(len(q.rows)), Done: q.done, Attempts: 1}
}

func (q *queue) idle() bool { return q.done == int64(len(q.rows)) }

func (m *memory) Post(
	_ context.Context, _, _ string, ms []channels.Outbound, owner string,
) (*lane.Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := ms[0].Conversation.String()
	q := m.convs[id]
	if q == nil {
		q = &queue{}
		m.convs[id] = q
	}
	claimed := q.idle() && owner != ""
	for _, msg := range ms {
		q.rows = append(q.rows, &kept{msg: msg, at: time.Now()})
	}
	if !claimed {
		return nil, nil
	}
	q.owner = owner
	q.fence++
	l := q.lease(id)
	return &l, nil
}

func (m *memory) Claim(_ context.Context, owner string, limit int) ([]lane.Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var leases []lane.Lease
	for id, q := range m.convs {
		if !q.idle() && q.owner == "" && !q.notBefore.After(time.Now()) && len(leases) < limit {
			q.owner = owner
			q.fence++
			leases = append(leases, q.lease(id))
		}
	}
	return leases, nil
}

func (m *memory) Release(_ context.Context, l lane.Lease, how lane.Release) error {
	return m.under(&l, func(q *queue) { q.owner, q.notBefore = "", time.Now().Add(how.After) })
}

func (m *memory) Renew(context.Context, []lane.Lease) error { return nil }

func (m *memory) NextReady(context.Context) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wait := time.Duration(-1)
	for _, q := range m.convs {
		if d := max(time.Until(q.notBefore), 0); !q.idle() && q.owner == "" && (wait < 0 || d < wait) {
			wait = d
		}
	}
	return wait, nil
}

// under writes under the lease's fence.
func (m *memory) under(l *lane.Lease, write func(q *queue)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.convs[l.ID]
	if q.fence != l.Fence {
		return lane.ErrFenced
	}
	write(q)
	l.Last, l.Done = int64(len(q.rows)), q.done
	return nil
}

func (m *memory) Begin(ctx context.Context, l *lane.Lease) (*outbox.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var r *outbox.Row
	var unreadable error
	err := m.under(l, func(q *queue) {
		k := q.rows[q.done]
		k.attempts++
		r = &outbox.Row{
			Seq: q.done + 1, Tenant: "acme", Message: k.msg, Attempts: k.attempts, Unsure: k.unsure, Age: time.Since(k.at),
			Parts: k.parts,
		}
		k.unsure = true
		if k.unreadable {
			r.Message, unreadable = channels.Outbound{}, outbox.ErrUnreadable
		}
	})
	if err != nil {
		return nil, err
	}
	return r, unreadable
}

func (m *memory) Delivered(_ context.Context, l *lane.Lease, _ *outbox.Row, parts int) error {
	return m.under(l, func(q *queue) { q.rows[q.done].parts = parts })
}

func (m *memory) Sent(_ context.Context, l *lane.Lease, _ *outbox.Row, id channels.MessageID) error {
	m.mu.Lock()
	fail := m.fail
	m.fail = nil
	m.mu.Unlock()
	if fail != nil {
		return fail
	}
	return m.settle(l, func(k *kept) { k.id = id })
}

func (m *memory) Bury(_ context.Context, l *lane.Lease, _ *outbox.Row, why string) error {
	return m.settle(l, func(k *kept) { k.dead, k.why = true, why })
}

func (m *memory) settle(l *lane.Lease, set func(k *kept)) error {
	return m.under(l, func(q *queue) {
		set(q.rows[q.done])
		q.done++
		if q.idle() {
			q.owner = ""
		}
	})
}

func (m *memory) Defer(_ context.Context, l *lane.Lease, r *outbox.Row, unsure bool, why string) error {
	return m.under(l, func(q *queue) { q.rows[q.done].unsure, q.rows[q.done].why = unsure || r.Unsure, why })
}

var _ outbox.Store = (*memory)(nil)

func (m *memory) first(c channels.Conversation) kept {
	m.mu.Lock()
	defer m.mu.Unlock()
	return *m.convs[c.String()].rows[0]
}

// attempt is one call of Send.
type attempt struct {
	After  time.Duration // since the rig was made
	Key    string
	Repeat bool
}

// rig is an outbox that sends over one fake channel called "test".
type rig struct {
	*testing.T
	*memory
	out    *outbox.Outbox
	made   time.Time
	answer func(ctx context.Context, m *channels.Outbound) (channels.MessageID, error)
	gone   []string // keys that were told to be undeliverable

	tries struct {
		sync.Mutex
		list []attempt
	}
}

func newRig(t *testing.T, answer func(ctx context.Context, m *channels.Outbound) (channels.MessageID, error)) *rig {
	g := &rig{T: t, memory: newMemory(), answer: answer, made: time.Now()}
	g.out = outbox.New(outbox.Config{
		Store: g.memory, Owner: func() string { return "me" }, Log: discard(),
		Sender: func(name string) (channels.Channel, bool) { return g, name == "test" },
		Undeliverable: func(_ context.Context, r *outbox.Row, err error) {
			if err == nil {
				t.Error("undeliverable for no reason")
			}
			g.gone = append(g.gone, r.Message.Key)
		},
	})
	return g
}

func (g *rig) Name() string                                      { return "test" }
func (g *rig) Run(ctx context.Context, _ channels.Handler) error { <-ctx.Done(); return nil }

func (g *rig) Send(ctx context.Context, m *channels.Outbound) (channels.MessageID, error) {
	g.tries.Lock()
	g.tries.list = append(g.tries.list, attempt{time.Since(g.made), m.Key, m.Attempt.Unsure})
	g.tries.Unlock()
	return g.answer(ctx, m)
}

func (g *rig) attempts() []attempt {
	g.tries.Lock()
	defer g.tries.Unlock()
	return g.tries.list
}

// run starts the engine; the returned stop ends it and waits.
func (g *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.out.Engine().Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			g.Errorf("run: %v", err)
		}
	}
}

func (g *rig) post(c channels.Conversation, keys ...string) {
	g.Helper()
	var ms []channels.Outbound
	for _, k := range keys {
		ms = append(ms, channels.Outbound{Key: k, Conversation: c, Text: k})
	}
	if err := g.out.Post(g.Context(), "acme", "", ms...); err != nil {
		g.Fatal(err)
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
