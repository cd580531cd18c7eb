package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Fallback asks ps in order until one answers. Every *Error leads to the next provider: even a Rejected one, because it
// means that this provider does not take the request's form (no vision, no tools, an unknown model). A model that
// refuses the content is no error but an answer with Finish Refused, and that answer stands.
//
// If all fail, the error is an *Error with the reason that gives its reader the most to act on: too long first (the
// history can be shortened), then what may pass by itself, then what a person has to mend. Its text names them all.
func Fallback(ps ...Provider) Provider { return fallback(ps) }

type fallback []Provider

func (f fallback) Name() string {
	names := make([]string, len(f))
	for i, p := range f {
		names[i] = p.Name()
	}
	return strings.Join(names, " | ")
}

func (f fallback) Generate(ctx context.Context, req *Request) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		var failed []*Error
		streamed := false
		for _, p := range f {
			if streamed && !yield(&Chunk{Reset: true}, nil) {
				return
			}
			end := relay(ctx, p, req, yield)
			if end.err == nil {
				return
			}
			e, ok := errors.AsType[*Error](end.err)
			if !ok || ctx.Err() != nil {
				yield(nil, end.err)
				return
			}
			failed = append(failed, e)
			streamed = end.streamed
		}
		yield(nil, f.summary(failed))
	}
}

// usefulness orders reasons for the summary, the most useful first.
var usefulness = []Reason{TooLong, Overloaded, Unreachable, BadAnswer, Auth, Rejected}

func (f fallback) summary(failed []*Error) error {
	switch len(failed) {
	case 0:
		return &Error{Provider: "fallback", Reason: Rejected, Err: errors.New("no model is configured")}
	case 1:
		return failed[0]
	}
	slices.SortStableFunc(failed, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(slices.Index(usefulness, a.Reason), slices.Index(usefulness, b.Reason)),
			cmp.Compare(a.RetryAfter, b.RetryAfter),
		)
	})
	var all error = failed[0]
	for _, e := range failed[1:] {
		all = fmt.Errorf("%w; %w", all, e)
	}
	best := failed[0]
	return &Error{Provider: f.Name(), Reason: best.Reason, Status: best.Status, RetryAfter: best.RetryAfter, Err: all}
}
