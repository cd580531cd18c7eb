package lane_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leadhand/leadhand/bot/lane"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ttl is how long a lease of the memory lasts.
const ttl = 15 * time.Second

// memory is a lane.Store in memory, on the clock of the bubble it is used in.
type memory struct {
	mu    sync.Mutex
	lanes map[string]*row

	claims     int
	claimErr   error  // Claim takes lanes and still fails, like a commit whose answer was lost
	releaseErr error  // Release changes nothing
	looked     func() // called by NextReady when it has found nothing
}

type row struct {
	last, done int64
	owner      string
	until      time.Time
	notBefore  time.Time
	fence      int64
	attempts   int
}

func newMemory() *memory { return &memory{lanes: map[string]*row{}} }

var _ lane.Store = (*memory)(nil)

func (r *row) lease(id string) lane.Lease {
	return lane.Lease{ID: id, Owner: r.owner, Fence: r.fence, Last: r.last, Done: r.done, Attempts: r.attempts}
}

func (r *row) ready() time.Time {
	if r.until.After(r.notBefore) {
		return r.until
	}
	return r.notBefore
}

// post adds an item. An idle lane is leased to owner unless that is empty.
func (m *memory) post(id, owner string) *lane.Lease {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.lanes[id]
	if r == nil {
		r = &row{until: time.Now()}
		m.lanes[id] = r
	}
	idle := r.last == r.done
	r.last++
	if !idle || owner == "" {
		return nil
	}
	m.take(r, owner)
	l := r.lease(id)
	return &l
}

func (m *memory) take(r *row, owner string) {
	r.owner, r.until = owner, time.Now().Add(ttl)
	r.fence++
	r.attempts++
}

func (m *memory) Claim(_ context.Context, owner string, limit int) ([]lane.Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.claims++
	var ids []string
	for id, r := range m.lanes {
		if r.last > r.done && !r.ready().After(time.Now()) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(m.lanes[a].until.Compare(m.lanes[b].until), cmp.Compare(a, b))
	})
	var leases []lane.Lease
	for _, id := range ids[:min(limit, len(ids))] {
		m.take(m.lanes[id], owner)
		leases = append(leases, m.lanes[id].lease(id))
	}
	return leases, m.claimErr
}

func (m *memory) Release(_ context.Context, l lane.Lease, how lane.Release) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.lanes[l.ID]
	switch {
	case m.releaseErr != nil:
		return m.releaseErr
	case r.fence != l.Fence:
		return lane.ErrFenced
	}
	r.owner, r.until, r.notBefore = "", time.Now(), time.Now().Add(how.After)
	if how.Refund {
		r.attempts--
	}
	return nil
}

func (m *memory) Renew(_ context.Context, leases []lane.Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range leases {
		if r := m.lanes[l.ID]; r.owner == l.Owner && r.last > r.done {
			r.until = time.Now().Add(ttl)
		}
	}
	return nil
}

func (m *memory) NextReady(context.Context) (time.Duration, error) {
	m.mu.Lock()
	wait := time.Duration(-1)
	for _, r := range m.lanes {
		if r.last == r.done {
			continue
		}
		if d := max(time.Until(r.ready()), 0); wait < 0 || d < wait {
			wait = d
		}
	}
	looked := m.looked
	m.looked = nil
	m.mu.Unlock()
	if wait < 0 && looked != nil {
		looked()
	}
	return wait, nil
}

// finish is the write at the end of good work.
func (m *memory) finish(l *lane.Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.lanes[l.ID]
	if r.fence != l.Fence {
		return lane.ErrFenced
	}
	r.done++
	r.attempts, r.notBefore, r.until = 1, time.Time{}, time.Now().Add(ttl)
	if r.last == r.done {
		r.attempts, r.owner, r.until = 0, "", time.Now()
	}
	l.Last, l.Done, l.Attempts = r.last, r.done, r.attempts
	return nil
}

// steal gives the lane to somebody else, as when this process seemed dead; to is the new owner.
func (m *memory) steal(id, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.take(m.lanes[id], to)
}

// expire ends the lease of a lane, as when the machine slept.
func (m *memory) expire(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lanes[id].until = time.Now()
}

func (m *memory) row(id string) row {
	m.mu.Lock()
	defer m.mu.Unlock()
	return *m.lanes[id]
}

func (m *memory) set(change func(m *memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

// rig is an engine on a memory.
type rig struct {
	*testing.T
	*memory
	engine *lane.Engine
	stop   func() // ends the engine and waits for it
}

// start runs an engine; change may set what differs from the defaults.
func start(t *testing.T, work lane.Work, change func(c *lane.Config)) *rig {
	t.Helper()
	g := &rig{T: t, memory: newMemory()}
	g.engine = newEngine(g.memory, work, change)
	g.stop = g.run()
	return g
}

func newEngine(m *memory, work lane.Work, change func(c *lane.Config)) *lane.Engine {
	c := lane.Config{
		Store: m, Work: work, Owner: func() string { return "me" }, Log: slog.New(slog.DiscardHandler), Poll: time.Hour,
	}
	if change != nil {
		change(&c)
	}
	return lane.New(c)
}

func (g *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.engine.Run(ctx) }()
	return func() {
		g.Helper()
		cancel()
		if err := <-ended; err != nil {
			g.Errorf("run: %v", err)
		}
	}
}

// put posts an item the way callers do.
func (g *rig) put(id string) {
	slot := g.engine.Reserve()
	l := g.post(id, slot.Owner())
	slot.Use(l)
	if l == nil {
		g.engine.Wake()
	}
}

// fill posts n items to a lane before anybody looks.
func (m *memory) fill(id string, n int) {
	for range n {
		m.post(id, "")
	}
}

func (g *rig) wantIdle(ids ...string) {
	g.Helper()
	for _, id := range ids {
		if r := g.row(id); r.done != r.last {
			g.Errorf("lane %s stands at %d of %d", id, r.done, r.last)
		}
	}
}

var errBroken = errors.New("broken")
