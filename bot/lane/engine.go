package lane

import (
	"context"
	"errors"
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
	closed  bool           // no new work: the engine stops
	slots   sync.WaitGroup // one for every slot that is not free

	work   context.Context // parent of all workers' contexts: ends at a hard stop
	cancel context.CancelCauseFunc
}

type worker struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
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
	var loops sync.WaitGroup
	loops.Go(func() { e.claimLoop(ctx) })
	loops.Go(func() { e.renewLoop(ctx) })
	e.Wake()
	loops.Wait()

	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	hard := time.AfterFunc(e.cfg.Grace, func() { e.cancel(ErrStopping) })
	e.slots.Wait()
	hard.Stop()
	e.cancel(ErrStopping)
	return nil
}

// Wake makes the engine look for work now. It never blocks.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Cancel ends the ctx of the lane's worker with cause. It tells whether the lane was being worked here.
func (e *Engine) Cancel(id string, cause error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	w := e.active[id]
	if w != nil {
		w.cancel(cause)
	}
	return w != nil
}

// CancelAll ends the ctx of every worker with cause.
func (e *Engine) CancelAll(cause error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.active {
		w.cancel(cause)
	}
}

// Active is how many lanes are being worked.
func (e *Engine) Active() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.active)
}

func (e *Engine) claimLoop(ctx context.Context) {
	t := time.NewTimer(e.cfg.Poll)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-t.C:
		}
		next := e.cfg.Poll
		if err := e.claim(ctx, &next); err != nil && ctx.Err() == nil {
			e.cfg.Log.Error("claim lanes", "err", err)
			next = time.Second
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
	if e.closed {
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
			if e.Active() == 0 {
				continue
			}
			if err := e.cfg.Store.Renew(ctx, e.cfg.Owner()); err != nil && ctx.Err() == nil {
				e.cfg.Log.Error("renew leases", "err", err)
			}
		}
	}
}

// start works a claimed lane on a reserved slot. If this process still works the lane under an older fence (it slept
// past its lease), the old worker is ended first.
func (e *Engine) start(l Lease) {
	ctx, cancel := context.WithCancelCause(e.work)
	w := &worker{cancel: cancel, done: make(chan struct{})}
	e.mu.Lock()
	old := e.active[l.ID]
	e.active[l.ID] = w
	e.mu.Unlock()
	go func() {
		if old != nil {
			old.cancel(ErrFenced)
			<-old.done
		}
		e.drain(ctx, l)
		cancel(nil)
		e.mu.Lock()
		if e.active[l.ID] == w {
			delete(e.active, l.ID)
		}
		e.mu.Unlock()
		close(w.done)
		e.unreserve()
	}()
}

// drain works a lane until nothing is left, the engine stops, others wait, or the work fails.
func (e *Engine) drain(ctx context.Context, l Lease) {
	for n := 1; ; n++ {
		if err := e.cfg.Work(ctx, &l); err != nil {
			e.giveBack(ctx, l, err)
			return
		}
		if l.Idle() {
			return
		}
		if e.yields(n) {
			e.release(l, Release{Refund: true})
			return
		}
	}
}

func (e *Engine) yields(worked int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed || (e.waiting && worked >= e.cfg.Streak)
}

// giveBack decides when the head is tried again after an error.
func (e *Engine) giveBack(ctx context.Context, l Lease, err error) {
	cause := context.Cause(ctx)
	if errors.Is(err, ErrFenced) || errors.Is(cause, ErrFenced) {
		e.cfg.Log.Warn("lane was taken over", "lane", l.ID, "fence", l.Fence)
		return
	}
	if later, ok := errors.AsType[*Later](err); ok {
		e.release(l, Release{After: later.After, Refund: true})
		return
	}
	if errors.Is(cause, ErrStopping) || errors.Is(cause, ErrLost) {
		e.release(l, Release{Refund: true})
		return
	}
	wait := backoff(l.Attempts)
	e.cfg.Log.Error("work on lane", "lane", l.ID, "attempt", l.Attempts, "again_in", wait, "err", err)
	e.release(l, Release{After: wait})
}

// backoff doubles from 100 ms to 60 s.
func backoff(attempts int) time.Duration {
	return min(100*time.Millisecond<<min(attempts, 12), time.Minute)
}

// release writes the lease back. If that fails the lease runs out by itself.
func (e *Engine) release(l Lease, how Release) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := e.cfg.Store.Release(ctx, l, how); err != nil && !errors.Is(err, ErrFenced) {
		e.cfg.Log.Error("release lane", "lane", l.ID, "err", err)
	}
	e.Wake()
}
