package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// grace is how long a tool may take to end after its ctx is done. One that takes longer is given up: its goroutine
// ends by itself, its result is dropped.
const grace = 2 * time.Second

var errTimedOut = errors.New("timed out")

// worker waits until the call may start. Only read-only calls need one of the shared places: all others are already
// alone in their run.
func (p *Pipeline) worker(ctx context.Context, call *Call) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if call.Tool.Effect != ReadOnly {
		return func() {}, nil
	}
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// invoke executes a call and always comes back, at the latest when its timeout and the grace are over.
func (p *Pipeline) invoke(ctx context.Context, call *Call) *Result {
	limit := p.Timeout
	if call.Tool.Timeout > 0 {
		limit = call.Tool.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimedOut)
	defer cancel()

	own := *call // an abandoned goroutine must not share memory with whoever goes on
	ended := make(chan outcome, 1)
	go func() { p.contain(ctx, &own, ended) }()

	select {
	case o := <-ended:
		return o.words(ctx, call, limit)
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case o := <-ended:
		return o.words(ctx, call, limit)
	case <-late.C:
		p.Log.LogAttrs(ctx, slog.LevelWarn, "tool ignores the end of its context", callAttrs(call)...)
		return outcome{err: context.Cause(ctx)}.words(ctx, call, limit)
	}
}

// contain sends exactly one outcome, even if the tool panics or ends its goroutine.
func (p *Pipeline) contain(ctx context.Context, call *Call, ended chan<- outcome) {
	o := outcome{err: errors.New("internal error: the tool crashed")}
	defer func() {
		if r := recover(); r != nil {
			p.logPanic(ctx, call, r, debug.Stack())
		}
		ended <- o
	}()
	r, err := p.handler(ctx, call)
	o = outcome{r, err}
}

// outcome is what an execution came to.
type outcome struct {
	result *Result
	err    error
}

// words makes a result that a model can read.
func (o outcome) words(ctx context.Context, call *Call, limit time.Duration) *Result {
	if o.err == nil {
		return o.result
	}
	if !errors.Is(context.Cause(ctx), errTimedOut) {
		return Failure("%v", o.err)
	}
	text := "timed out after " + seconds(limit)
	if !errors.Is(o.err, errTimedOut) && !errors.Is(o.err, context.DeadlineExceeded) {
		text += ": " + o.err.Error()
	}
	if call.Tool.Effect != ReadOnly {
		text += " (it may have taken effect all the same)"
	}
	return Failure("%s", text)
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}

// settle makes the result that is handed out: a copy, because a tool may give the same one again.
func (p *Pipeline) settle(ctx context.Context, call *Call, r *Result) *Result {
	var settled Result
	if r != nil {
		settled = *r
	}
	settled.tidy()
	for _, after := range p.After {
		if err := p.runAfter(ctx, after, call, &settled); err != nil {
			return Failure("%v", err)
		}
	}
	settled.tidy()
	return &settled
}

// runAfter fails closed: what a crashed After should have taken out of a result must not get through.
func (p *Pipeline) runAfter(ctx context.Context, after After, call *Call, r *Result) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p.logPanic(ctx, call, v, debug.Stack())
			err = errors.New("internal error: the call ended, but its result could not be taken over")
		}
	}()
	after(ctx, call, r)
	return nil
}

// tidy makes the text fit for every database and provider: valid UTF-8, no NUL, not empty.
func (r *Result) tidy() {
	r.ForModel = strings.ReplaceAll(strings.ToValidUTF8(r.ForModel, "\uFFFD"), "\x00", "")
	if strings.TrimSpace(r.ForModel) == "" {
		r.ForModel = "(no output)"
	}
}

func (p *Pipeline) logPanic(ctx context.Context, call *Call, v any, stack []byte) {
	attrs := append(callAttrs(call), slog.String("err", fmt.Sprint(v)), slog.String("stack", string(stack)))
	p.Log.LogAttrs(ctx, slog.LevelError, "tool call panicked", attrs...)
}

func callAttrs(call *Call) []slog.Attr {
	s := call.Scope
	return []slog.Attr{
		slog.String("tenant", s.Tenant), slog.String("user", s.User), slog.String("session", s.Session),
		slog.String("tool", abridge(call.Name)), slog.String("channel", s.Conversation.Channel),
	}
}
