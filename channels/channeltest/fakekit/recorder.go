package fakekit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Recorder logs calls and violations and hands out faults. The zero value is
// ready to use and keeps every call. All methods are safe for concurrent use.
type Recorder struct {
	mu         sync.Mutex
	calls      []entry
	claimed    int // so many calls at the front have all been returned by waits
	keep       int
	violations []Violation
	faults     []*activeFault
	changed    chan struct{}
	seq        int
}

// entry is a logged call; a claimed one is not returned by waits again.
type entry struct {
	Call
	claimed bool
}

func (r *Recorder) notifyLocked() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Keep bounds the log to the newest n calls, for tests that make so many that
// they do not fit in memory; 0 keeps all. Violations are always kept.
func (r *Recorder) Keep(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep = n
	r.trimLocked()
}

func (r *Recorder) trimLocked() {
	if r.keep <= 0 || len(r.calls) <= r.keep {
		return
	}
	drop := len(r.calls) - r.keep
	clear(r.calls[:drop]) // lets go of what the calls hold
	r.calls = r.calls[drop:]
	r.claimed = max(0, r.claimed-drop)
}

// Add logs a call and returns it with its sequence number set. Its violations
// are added to the server's.
func (r *Recorder) Add(c Call) Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	c.Seq = r.seq
	r.calls = append(r.calls, entry{Call: c})
	r.trimLocked()
	for _, v := range c.Violations {
		r.violations = append(r.violations, Violation{Seq: c.Seq, Time: c.Time, Method: c.Method, Message: v})
	}
	r.notifyLocked()
	return c
}

// Violate records a violation that belongs to no single call.
func (r *Recorder) Violate(method, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := Violation{Time: time.Now(), Method: method, Message: fmt.Sprintf(format, args...)}
	r.violations = append(r.violations, v)
	r.notifyLocked()
}

// Calls returns the calls in the log whose method matches the pattern; see
// [Fault.Method] for patterns.
func (r *Recorder) Calls(method string) []Call { return r.page(method, 0, 0) }

// page returns up to limit matching calls with a sequence number above after;
// a limit of 0 is none.
func (r *Recorder) page(method string, after, limit int) []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Call
	for i := r.indexLocked(after + 1); i < len(r.calls); i++ {
		if limit > 0 && len(out) == limit {
			break
		}
		if Match(method, r.calls[i].Method) {
			out = append(out, r.calls[i].Call)
		}
	}
	return out
}

// indexLocked returns the place in the log of the first call with at least
// this sequence number. Numbers in the log follow each other without gaps.
func (r *Recorder) indexLocked(seq int) int {
	first := r.seq - len(r.calls) + 1
	return min(max(0, seq-first), len(r.calls))
}

// Violations returns the violations so far.
func (r *Recorder) Violations() []Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}

// ClearViolations forgets the violations so far.
func (r *Recorder) ClearViolations() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.violations = nil
}

// Reset forgets calls, violations and faults.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls, r.claimed, r.violations, r.faults = nil, 0, nil, nil
	r.notifyLocked()
}

// WaitContext returns the oldest call that matches and that no earlier wait
// has returned, waiting for it if need be. It asks match about each call at
// most once.
func (r *Recorder) WaitContext(ctx context.Context, method string, match ...func(Call) bool) (Call, error) {
	next := 1 // calls below have been looked at
	for {
		r.mu.Lock()
		c, ok := r.claimLocked(next, method, match)
		if ok {
			r.mu.Unlock()
			return c, nil
		}
		next = r.seq + 1
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return Call{}, fmt.Errorf("no matching call of %q: %w; %s", method, ctx.Err(), r.summary())
		}
	}
}

// claimLocked claims the oldest matching call from a sequence number on.
func (r *Recorder) claimLocked(seq int, method string, match []func(Call) bool) (Call, bool) {
	for i := max(r.claimed, r.indexLocked(seq)); i < len(r.calls); i++ {
		e := &r.calls[i]
		if e.claimed || !Match(method, e.Method) || !all(match, e.Call) {
			continue
		}
		e.claimed = true
		for r.claimed < len(r.calls) && r.calls[r.claimed].claimed {
			r.claimed++
		}
		return e.Call, true
	}
	return Call{}, false
}

func all(match []func(Call) bool, c Call) bool {
	for _, m := range match {
		if !m(c) {
			return false
		}
	}
	return true
}

func (r *Recorder) summary() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := map[string]int{}
	for i := range r.calls {
		count[r.calls[i].Method]++
	}
	var parts []string
	for _, m := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%s×%d", m, count[m]))
	}
	if len(parts) == 0 {
		return "no calls at all"
	}
	return "calls so far: " + strings.Join(parts, ", ")
}
