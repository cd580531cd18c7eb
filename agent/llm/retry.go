package llm

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"
)

// RetryPolicy says how often and how patiently [Retry] tries again. Zero fields get the default in their comment.
type RetryPolicy struct {
	Attempts int           // generations in all, 4
	MinWait  time.Duration // before the second attempt, 0.5 s
	MaxWait  time.Duration // upper bound of the growing wait, 8 s
	// MaxRetryAfter is the longest wait that a provider may ask for, 30 s. One that asks for more is given up at once.
	MaxRetryAfter time.Duration
	// Patience is after how long no new attempt begins, 3 minutes: people wait meanwhile, and a provider that only hangs
	// takes minutes for each.
	Patience time.Duration
	// OnRetry, if not nil, is told before each wait, for logs.
	OnRetry func(ctx context.Context, err error, wait time.Duration)
}

func (r RetryPolicy) withDefaults() RetryPolicy {
	if r.Attempts <= 0 {
		r.Attempts = 4
	}
	if r.MinWait <= 0 {
		r.MinWait = 500 * time.Millisecond
	}
	if r.MaxWait <= 0 {
		r.MaxWait = 8 * time.Second
	}
	r.MaxWait = max(r.MaxWait, r.MinWait)
	if r.MaxRetryAfter <= 0 {
		r.MaxRetryAfter = 30 * time.Second
	}
	if r.Patience <= 0 {
		r.Patience = 3 * time.Minute
	}
	return r
}

// Retry generates again after failures that may pass by themselves (see [Error.Retryable]). If part of an answer was
// streamed before the failure, a Reset chunk goes out before the next attempt. The last failure is returned as it is.
func Retry(p Provider, policy RetryPolicy) Provider {
	return &retrier{p, policy.withDefaults()}
}

type retrier struct {
	Provider
	policy RetryPolicy
}

func (r *retrier) Generate(ctx context.Context, req *Request) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		begun := time.Now()
		for attempt := 1; ; attempt++ {
			end := relay(ctx, r.Provider, req, yield)
			if end.err == nil {
				return
			}
			wait, again := r.policy.wait(attempt, end.err)
			if !again || ctx.Err() != nil || time.Since(begun) > r.policy.Patience {
				yield(nil, end.err)
				return
			}
			if r.policy.OnRetry != nil {
				r.policy.OnRetry(ctx, end.err, wait)
			}
			if err := sleep(ctx, wait); err != nil {
				yield(nil, err)
				return
			}
			if end.streamed && !yield(&Chunk{Reset: true}, nil) {
				return
			}
		}
	}
}

// wait is the pause after a failed attempt, and whether there is another attempt. The pause is random between MinWait
// and a bound that doubles, so that sessions cut off together don't come back together.
func (r RetryPolicy) wait(attempt int, err error) (time.Duration, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || !e.Retryable() || attempt >= r.Attempts || e.RetryAfter > r.MaxRetryAfter {
		return 0, false
	}
	bound := r.MaxWait
	if doubled := r.MinWait << attempt; doubled > 0 && doubled < bound {
		bound = doubled
	}
	wait := r.MinWait + rand.N(bound-r.MinWait+1)
	return max(wait, e.RetryAfter), true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
