package lane

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// worker works one lane.
type worker struct {
	lease  Lease                   // as it was claimed
	cancel context.CancelCauseFunc // ends the worker
	item   context.CancelCauseFunc // ends what it does about the item at the head; nil between two items
	done   chan struct{}
}

// start works a claimed lane on a reserved slot. If this process still works the lane under an older fence (it slept
// past its lease), the old worker is ended first.
func (e *Engine) start(l Lease) {
	ctx, cancel := context.WithCancelCause(e.work)
	w := &worker{lease: l, cancel: cancel, done: make(chan struct{})}
	e.mu.Lock()
	old := e.active[l.ID]
	e.active[l.ID] = w
	e.mu.Unlock()
	go func() {
		if old != nil {
			old.cancel(ErrFenced)
			<-old.done
		}
		e.drain(ctx, w)
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
func (e *Engine) drain(ctx context.Context, w *worker) {
	l := w.lease
	for n := 1; ; n++ {
		if err := e.head(ctx, w, &l); err != nil {
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

// head works the item at the head under a ctx of its own. A panic is an error like any other: it must not end the work
// on all other lanes.
func (e *Engine) head(ctx context.Context, w *worker, l *Lease) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	e.setItem(w, cancel)
	defer func() {
		e.setItem(w, nil)
		cancel(nil)
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return e.cfg.Work(ctx, l)
}

func (e *Engine) setItem(w *worker, cancel context.CancelCauseFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w.item = cancel
}

func (e *Engine) yields(worked int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.open || (e.waiting && worked >= e.cfg.Streak)
}

// giveBack decides when the head is tried again after an error.
func (e *Engine) giveBack(ctx context.Context, l Lease, err error) {
	cause := context.Cause(ctx)
	if errors.Is(err, ErrFenced) || errors.Is(cause, ErrFenced) {
		e.cfg.Log.Warn("lane was taken over", "lane", l.ID, "fence", l.Fence, "err", err)
		return
	}
	if later, ok := errors.AsType[*Later](err); ok {
		e.cfg.Log.Debug("lane waits", "lane", l.ID, "again_in", later.After, "err", later.Err)
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

// backoff doubles from 200 ms after the first attempt to 60 s.
func backoff(attempts int) time.Duration {
	return min(100*time.Millisecond<<min(attempts, 12), time.Minute)
}

// release writes the lease back. If that fails the lease runs out by itself, because nobody renews it any more.
func (e *Engine) release(l Lease, how Release) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := e.cfg.Store.Release(ctx, l, how); err != nil && !errors.Is(err, ErrFenced) {
		e.cfg.Log.Error("release lane", "lane", l.ID, "err", err)
	}
	e.Wake()
}
