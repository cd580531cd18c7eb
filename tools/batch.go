package tools

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
)

// batch is one Run under way.
type batch struct {
	pipeline *Pipeline
	calls    []*Call
	refused  []*Result // by call; nil for those that may run
	done     func(i int, r *Result) error
}

func (b *batch) check(ctx context.Context, plan *Plan) error {
	for i, call := range b.calls {
		if err := b.pipeline.check(ctx, plan, call); err != nil {
			b.refused[i] = Failure("%v", err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// check decides whether a call may run. A check that panics refuses.
func (p *Pipeline) check(ctx context.Context, plan *Plan, call *Call) (err error) {
	defer func() {
		if r := recover(); r != nil {
			p.logPanic(ctx, call, r, debug.Stack())
			err = fmt.Errorf("%s was refused: a check of it crashed", abridge(call.Name))
		}
	}()
	call.Plan = plan
	if call.Tool, err = plan.Lookup(call.Name); err != nil {
		return err
	}
	if call.Args, err = p.schemas.arguments(call); err != nil {
		return err
	}
	checked := bytes.Clone(call.Args)
	for _, c := range p.Checks {
		if err := c(ctx, call); err != nil {
			return err
		}
		if bytes.Equal(checked, call.Args) {
			continue
		}
		if call.Args, err = p.schemas.arguments(call); err != nil {
			return err
		}
		checked = bytes.Clone(call.Args)
	}
	return nil
}

func (b *batch) execute(ctx context.Context) error {
	for start := 0; start < len(b.calls); {
		end := b.groupEnd(start)
		if err := b.runGroup(ctx, start, end); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// groupEnd is the index after the last call that may run together with the one at start. Refused calls do nothing and
// part no group.
func (b *batch) groupEnd(start int) int {
	if !b.harmless(start) {
		return start + 1
	}
	end := start + 1
	for end < len(b.calls) && b.harmless(end) {
		end++
	}
	return end
}

func (b *batch) harmless(i int) bool {
	return b.refused[i] != nil || b.calls[i].Tool.Effect == ReadOnly
}

// runGroup returns only after every call it started has ended or was given up.
func (b *batch) runGroup(ctx context.Context, start, end int) error {
	group, cancel := context.WithCancel(ctx)
	results := make([]chan *Result, end-start)
	for i := range results {
		results[i] = make(chan *Result, 1)
	}
	starter := make(chan struct{})
	go func() {
		defer close(starter)
		b.start(group, start, results)
	}()
	err := b.finish(ctx, start, results)
	cancel()
	<-starter
	for i := range results {
		<-results[i]
	}
	return err
}

// start gives every channel exactly one value or closes it.
func (b *batch) start(ctx context.Context, first int, results []chan *Result) {
	for i, out := range results {
		call := b.calls[first+i]
		if r := b.refused[first+i]; r != nil {
			out <- r
			close(out)
			continue
		}
		release, err := b.pipeline.worker(ctx, call)
		if err != nil {
			close(out)
			continue
		}
		go func() {
			defer close(out)
			defer release()
			out <- b.pipeline.invoke(ctx, call)
		}()
	}
}

// finish hands out the results in call order as they come.
func (b *batch) finish(ctx context.Context, first int, results []chan *Result) error {
	for i, in := range results {
		var r *Result
		select {
		case r = <-in:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r = b.pipeline.settle(ctx, b.calls[first+i], r)
		if err := b.done(first+i, r); err != nil {
			return err
		}
	}
	return nil
}
