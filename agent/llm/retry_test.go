package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
)

// watch collects what a consumer sees: deltas in order, "|" for a reset, and the answer or the error.
func watch(ctx context.Context, p llm.Provider) (seen string, a *llm.Answer, err error) {
	a, err = llm.Collect(ctx, p, &llm.Request{Messages: []llm.Message{llm.UserText("q")}}, func(c *llm.Chunk) {
		if c.Reset {
			seen += "|"
		}
		seen += c.Text
	})
	return seen, a, err
}

func asked(after time.Duration) llmtest.Step {
	return llmtest.FailWith(&llm.Error{Reason: llm.Overloaded, Status: 429, RetryAfter: after, Err: errors.New("busy")})
}

func TestRetry(t *testing.T) {
	t.Parallel()
	text := llmtest.Text("done")
	for _, tc := range []struct {
		name     string
		steps    []llmtest.Step
		seen     string
		reason   llm.Reason // empty for an answer
		attempts int
		min, max time.Duration // of virtual time
	}{
		{"no failure", []llmtest.Step{text}, "done", "", 1, 0, 0},
		{"failures that pass", []llmtest.Step{llmtest.Fail(llm.Overloaded), llmtest.Fail(llm.Unreachable),
			llmtest.Fail(llm.BadAnswer), text}, "done", "", 4, 1500 * time.Millisecond, 7 * time.Second},
		{"a failure in the middle", []llmtest.Step{llmtest.Cut("half ", llm.Unreachable), text}, "half |done", "", 2,
			500 * time.Millisecond, time.Second},
		{"a reset only after new deltas", []llmtest.Step{llmtest.Cut("a ", llm.Unreachable), llmtest.Fail(llm.Overloaded),
			text}, "a |done", "", 3, time.Second, 3 * time.Second},
		{"too many failures", []llmtest.Step{llmtest.Fail(llm.Overloaded), llmtest.Fail(llm.Overloaded),
			llmtest.Fail(llm.Overloaded), llmtest.Fail(llm.Unreachable), text}, "", llm.Unreachable, 4,
			1500 * time.Millisecond, 7 * time.Second},
		{"a failure that stays", []llmtest.Step{llmtest.Fail(llm.Rejected), text}, "", llm.Rejected, 1, 0, 0},
		{"no credit", []llmtest.Step{llmtest.Fail(llm.Auth), text}, "", llm.Auth, 1, 0, 0},
		{"too long", []llmtest.Step{llmtest.Fail(llm.TooLong), text}, "", llm.TooLong, 1, 0, 0},
		{"an unknown error", []llmtest.Step{llmtest.FailWith(errors.New("odd")), text}, "", "", 1, 0, 0},
		{"the provider's own wait", []llmtest.Step{asked(20 * time.Second), text}, "done", "", 2, 20 * time.Second,
			20 * time.Second},
		{"a wait that is too long", []llmtest.Step{asked(31 * time.Second), text}, "", llm.Overloaded, 1, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.New(t, tc.steps...)
				var waits []time.Duration
				start := time.Now()
				seen, a, err := watch(t.Context(), llm.Retry(s, llm.RetryPolicy{
					OnRetry: func(_ context.Context, err error, d time.Duration) {
						if err == nil {
							t.Error("OnRetry without an error")
						}
						waits = append(waits, d)
					},
				}))
				if d := cmp.Diff(tc.seen, seen); d != "" {
					t.Error(d)
				}
				if (a == nil) == (tc.seen != "") || llm.ReasonOf(err) != tc.reason {
					t.Errorf("answer %+v, error %v", a, err)
				}
				if n := len(s.Requests()); n != tc.attempts || len(waits) != n-1 {
					t.Errorf("%d attempts, waits %v", n, waits)
				}
				if took := time.Since(start); took < tc.min || took > tc.max {
					t.Errorf("took %v, want %v to %v", took, tc.min, tc.max)
				}
			})
		})
	}
}

func TestRetryKeepsWithinItsBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.New(t).Otherwise(llmtest.Fail(llm.Overloaded))
		var waits []time.Duration
		_, _, err := watch(t.Context(), llm.Retry(s, llm.RetryPolicy{
			Attempts: 80, Patience: time.Hour, OnRetry: func(_ context.Context, _ error, d time.Duration) { waits = append(waits, d) },
		}))
		if llm.ReasonOf(err) != llm.Overloaded || len(waits) != 79 {
			t.Fatalf("%d waits, error %v", len(waits), err)
		}
		different := map[time.Duration]bool{}
		for _, w := range waits {
			different[w] = true
			if w < 500*time.Millisecond || w > 8*time.Second {
				t.Errorf("wait %v", w)
			}
		}
		if len(different) < 40 {
			t.Errorf("only %d different waits: no jitter", len(different))
		}
	})
}

func TestRetryStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("stopped by hand")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Second, func() { cancel(cause) })
		s := llmtest.New(t, asked(20*time.Second), llmtest.Text("never"))
		_, _, err := watch(ctx, llm.Retry(s, llm.RetryPolicy{}))
		if !errors.Is(err, cause) || s.Left() != 1 {
			t.Errorf("error %v, %d steps left", err, s.Left())
		}
	})
}

func TestRetryStopsWithItsConsumer(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Cut("one two three", llm.Unreachable), llmtest.Text("never"))
	for _, err := range llm.Retry(s, llm.RetryPolicy{}).Generate(t.Context(), &llm.Request{}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if s.Left() != 1 {
		t.Error("tried again for nobody")
	}
}

func TestRetryHasAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := func(context.Context, *llm.Request) (*llm.Answer, error) {
			time.Sleep(2 * time.Minute)
			return nil, &llm.Error{Provider: "p", Reason: llm.Unreachable, Err: errors.New("no data")}
		}
		s := llmtest.New(t, hang, hang)
		start := time.Now()
		_, err := llm.Collect(t.Context(), llm.Retry(s, llm.RetryPolicy{}), &llm.Request{}, nil)
		if llm.ReasonOf(err) != llm.Unreachable || time.Since(start) > 5*time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
