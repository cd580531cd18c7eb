package lane

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Config is what an Engine needs. Zero numbers get the defaults named.
type Config struct {
	Store Store
	Work  Work
	Owner func() string // the id under which this process claims; it changes when membership was lost
	Log   *slog.Logger

	Slots  int           // lanes worked at once; 64
	Renew  time.Duration // how often leases are renewed; 3 s
	Poll   time.Duration // how often the database is asked without a wake-up; 500 ms
	Grace  time.Duration // how long running work may go on after the stop; 3.5 s
	Streak int           // items of one lane worked before others get a turn; 8
}

// Engine claims lanes of one kind and works them. Make it with New and run it once.
type Engine struct {
	cfg  Config
	wake chan struct{}

	mu      sync.Mutex
	free    int
	active  map[string]*worker
	waiting bool           // lanes were left unclaimed for want of slots
	open    bool           // Run was called and does not stop yet: work may begin
	slots   sync.WaitGroup // one for every slot that is not free

	work   context.Context // parent of all workers' contexts: ends at a hard stop
	cancel context.CancelCauseFunc
}

// New makes an engine that does nothing before Run.
func New(cfg Config) *Engine {
	setDefault(&cfg.Slots, 64)
	setDefault(&cfg.Renew, 3*time.Second)
	setDefault(&cfg.Poll, 500*time.Millisecond)
	setDefault(&cfg.Grace, 3500*time.Millisecond)
	setDefault(&cfg.Streak, 8)
	e := &Engine{cfg: cfg, wake: make(chan struct{}, 1), free: cfg.Slots, active: map[string]*worker{}}
	e.work, e.cancel = context.WithCancelCause(context.Background())
	return e
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Run claims and works until ctx is done, then lets running work end within the grace, cancels the rest with
// ErrStopping and returns when all has ended.
func (e *Engine) Run(ctx context.Context) error {
	e.setOpen(true)
	var loops sync.WaitGroup
	loops.Go(func() { e.claimLoop(ctx) })
	loops.Go(func() { e.renewLoop(ctx) })
	e.Wake()
	loops.Wait()

	e.setOpen(false)
	hard := time.AfterFunc(e.cfg.Grace, func() { e.cancel(ErrStopping) })
	e.slots.Wait()
	hard.Stop()
	e.cancel(ErrStopping)
	return nil
}

func (e *Engine) setOpen(open bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open = open
}

// Wake makes the engine look for work now. It never blocks.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Cancel ends the work on the item at the head of a lane: its ctx ends with cause. The items behind it are worked as
// usual. It tells whether an item was being worked here.
func (e *Engine) Cancel(id string, cause error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	w := e.active[id]
	if w == nil || w.item == nil {
		return false
	}
	w.item(cause)
	return true
}

// CancelAll ends the ctx of every worker with cause.
func (e *Engine) CancelAll(cause error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.active {
		w.cancel(cause)
	}
}

// Working tells whether a lane is being worked here.
func (e *Engine) Working(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.active[id] != nil
}

// Active is how many lanes are being worked.
func (e *Engine) Active() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.active)
}

// How long the engine waits after a failed claim; it doubles up to the maximum.
const (
	claimRetry    = time.Second
	claimRetryMax = 8 * time.Second
)

// rest waits, and tells whether ctx still goes on.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (e *Engine) claimLoop(ctx context.Context) {
	t := time.NewTimer(e.cfg.Poll)
	defer t.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-t.C:
		}
		next := e.cfg.Poll
		if err := e.claim(ctx, &next); err == nil {
			failures = 0
		} else if ctx.Err() == nil {
			next = min(claimRetry<<failures, claimRetryMax)
			failures = min(failures+1, 8)
			e.cfg.Log.Error("claim lanes", "again_in", next, "err", err)
			if !rest(ctx, next) { // wake-ups don't hurry a database that is down
				return
			}
			next = 0
		}
		t.Reset(next)
	}
}

// claim takes as many lanes as there are slots and starts them. It asks first whether there is anything, because on
// SQLite a claim takes the write lock. next is shortened to when the next waiting lane gets ready.
func (e *Engine) claim(ctx context.Context, next *time.Duration) error {
	wait, err := e.cfg.Store.NextReady(ctx)
	if err != nil {
		return err
	}
	if wait > 0 {
		*next = min(*next, wait)
	}
	if wait != 0 {
		return nil
	}
	n := e.reserve(e.cfg.Slots)
	if n == 0 {
		return nil
	}
	leases, err := e.cfg.Store.Claim(ctx, e.cfg.Owner(), n)
	if err != nil {
		leases = nil // what was claimed all the same runs out by itself
	}
	for range n - len(leases) {
		e.unreserve()
	}
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.waiting = len(leases) == n
	e.mu.Unlock()
	for _, l := range leases {
		e.start(l)
	}
	return nil
}

// reserve takes up to n slots. When it gives none, whoever frees one wakes the claim loop.
func (e *Engine) reserve(n int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.open {
		return 0
	}
	n = min(n, e.free)
	e.free -= n
	e.slots.Add(n)
	if n == 0 {
		e.waiting = true
	}
	return n
}

func (e *Engine) unreserve() {
	e.mu.Lock()
	e.free++
	wake := e.waiting
	e.waiting = false
	e.mu.Unlock()
	if wake {
		e.Wake()
	}
	e.slots.Done()
}

func (e *Engine) renewLoop(ctx context.Context) {
	t := time.NewTicker(e.cfg.Renew)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			leases := e.worked()
			if len(leases) == 0 {
				continue
			}
			if err := e.cfg.Store.Renew(ctx, leases); err != nil && ctx.Err() == nil {
				e.cfg.Log.Error("renew leases", "err", err)
			}
		}
	}
}

// worked lists the leases that have a worker. Only these are renewed: one that got lost on the way, because a commit or
// a release was cut off, must run out.
func (e *Engine) worked() []Lease {
	e.mu.Lock()
	defer e.mu.Unlock()
	leases := make([]Lease, 0, len(e.active))
	for _, w := range e.active {
		leases = append(leases, w.lease)
	}
	return leases
}
