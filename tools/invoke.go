package tools

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Handler runs one call.
type Handler func(ctx context.Context, call *Call) (*Result, error)

// Check looks at a call before anything of its batch runs. An error refuses the call and is shown to the model. A
// Check may wait for a person and may replace call.Args, which are then validated again; it changes nothing else.
type Check func(ctx context.Context, call *Call) error

// Middleware wraps the execution of calls. Read-only calls run it at the same time, so it must be safe for that. It
// gets a copy of the call and runs inside the call's timeout.
type Middleware func(next Handler) Handler

// After sees every result in call order, those of refused calls too, and may change it. call.Tool is nil if the model
// asked for a tool that is not offered.
type After func(ctx context.Context, call *Call, result *Result)

// Defaults of a [Pipeline].
const (
	DefaultWorkers = 8
	DefaultTimeout = 60 * time.Second
)

// Pipeline is what every call of every run goes through. One Pipeline serves a whole process; it must not be copied
// or changed after its first use.
type Pipeline struct {
	Checks []Check
	Around []Middleware // outermost first
	After  []After
	// Workers bounds how many read-only calls of all runs execute at once; 0 means DefaultWorkers. A run whose call
	// finds no worker free waits for one, or for the end of its ctx: nothing is queued beside the run itself, so a
	// burst is slowed down and never refused. A read-only tool must not call Run: it would wait for its own worker.
	Workers int
	Timeout time.Duration // of a call whose tool sets none; 0 means DefaultTimeout
	Log     *slog.Logger  // nil discards

	once    sync.Once
	handler Handler
	slots   chan struct{} // a place in it is a worker
	schemas schemaCache
}

// Run takes the calls of one model answer. First all of them are checked; a refused call gets a result that says why,
// and the others still run. Then they are executed in order: neighbouring read-only calls together, all others alone.
//
// done gets the result of each call, one at a time, in call order, in the goroutine of Run, and before any later
// group starts; there the caller makes the result durable. Run ends early with an error of done, or with the cause of
// ctx once ctx is done: calls without a result by then may have happened. It returns no other errors.
func (p *Pipeline) Run(ctx context.Context, plan *Plan, calls []*Call, done func(i int, r *Result) error) error {
	p.once.Do(p.prepare)
	b := &batch{pipeline: p, calls: calls, refused: make([]*Result, len(calls)), done: done}
	if err := b.check(ctx, plan); err != nil {
		return err
	}
	return b.execute(ctx)
}

func (p *Pipeline) prepare() {
	if p.Workers <= 0 {
		p.Workers = DefaultWorkers
	}
	if p.Timeout <= 0 {
		p.Timeout = DefaultTimeout
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	p.slots = make(chan struct{}, p.Workers)
	p.handler = func(ctx context.Context, call *Call) (*Result, error) { return call.Tool.Execute(ctx, call) }
	for _, wrap := range slices.Backward(p.Around) {
		p.handler = wrap(p.handler)
	}
}
