package llm_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
)

func TestFallback(t *testing.T) {
	t.Parallel()
	text := llmtest.Text("done")
	refused := llmtest.Answer(llm.Answer{Finish: llm.Refused})
	for _, tc := range []struct {
		name   string
		a, b   llmtest.Step
		seen   string
		model  string     // that answered
		reason llm.Reason // if none did
	}{
		{"the first answers", text, nil, "done", "a", ""},
		{"unreachable", llmtest.Fail(llm.Unreachable), text, "done", "b", ""},
		{"overloaded", llmtest.Fail(llm.Overloaded), text, "done", "b", ""},
		{"no credit", llmtest.Fail(llm.Auth), text, "done", "b", ""},
		{"bad answer", llmtest.Fail(llm.BadAnswer), text, "done", "b", ""},
		{"too long", llmtest.Fail(llm.TooLong), text, "done", "b", ""},
		{"a request in a form it does not take", llmtest.Fail(llm.Rejected), text, "done", "b", ""},
		{"cut off in the middle", llmtest.Cut("half ", llm.Unreachable), text, "half |done", "b", ""},
		{"a refusal stands", refused, nil, "", "a", ""},
		{"another kind of error ends it", llmtest.FailWith(errors.New("odd")), nil, "", "", ""},
		{"too long is worth more than busy", llmtest.Fail(llm.Overloaded), llmtest.Fail(llm.TooLong), "", "", llm.TooLong},
		{"busy is worth more than no credit", llmtest.Fail(llm.Auth), llmtest.Fail(llm.Overloaded), "", "", llm.Overloaded},
		{"unreachable is worth more than rejected", llmtest.Fail(llm.Rejected), llmtest.Fail(llm.Unreachable), "", "",
			llm.Unreachable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := llmtest.New(t, tc.a).Named("a"), llmtest.New(t).Named("b")
			if tc.b != nil {
				b.Add(tc.b)
			}
			seen, answer, err := watch(t.Context(), llm.Fallback(a, b))
			if d := cmp.Diff(tc.seen, seen); d != "" {
				t.Error(d)
			}
			if tc.model != "" && (answer == nil || answer.Model != tc.model) || tc.model == "" && err == nil {
				t.Errorf("answer %+v, error %v", answer, err)
			}
			if llm.ReasonOf(err) != tc.reason {
				t.Errorf("error %v, want %q", err, tc.reason)
			}
			if b.Left() != 0 {
				t.Error("the second was not asked")
			}
		})
	}
}

func TestFallbackSummary(t *testing.T) {
	t.Parallel()
	limited := func(after time.Duration) llmtest.Step {
		return llmtest.FailWith(&llm.Error{
			Reason: llm.Overloaded, Status: 429, RetryAfter: after, Err: errors.New("busy"),
		})
	}
	p := llm.Fallback(
		llmtest.New(t, llmtest.Fail(llm.Auth)).Named("a"),
		llmtest.New(t, limited(time.Minute)).Named("b"),
		llmtest.New(t, limited(5*time.Second)).Named("c"),
	)
	_, _, err := watch(t.Context(), p)
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.Overloaded || e.Status != 429 || e.RetryAfter != 5*time.Second || !e.Retryable() {
		t.Fatalf("error %#v", err)
	}
	for _, name := range []string{"a: auth", "b: overloaded", "c: overloaded"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q is not named in %v", name, err)
		}
	}
}

func TestFallbackOfNothing(t *testing.T) {
	t.Parallel()
	if _, _, err := watch(t.Context(), llm.Fallback()); llm.ReasonOf(err) != llm.Rejected {
		t.Errorf("error %v", err)
	}
}

func TestFallbackStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := llmtest.New(t, func(context.Context, *llm.Request) (*llm.Answer, error) {
		cancel()
		return nil, &llm.Error{Reason: llm.Unreachable, Err: errors.New("reset")}
	})
	b := llmtest.New(t, llmtest.Text("never"))
	if _, _, err := watch(ctx, llm.Fallback(a, b)); !errors.Is(err, context.Canceled) || b.Left() != 1 {
		t.Errorf("error %v, %d left", err, b.Left())
	}
}

// silent is a provider that breaks its contract: its stream ends with neither an answer nor an error.
type silent struct{}

func (silent) Name() string { return "silent" }
func (silent) Generate(context.Context, *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(func(*llm.Chunk, error) bool) {}
}

func TestDecoratorsSurviveASilentProvider(t *testing.T) {
	t.Parallel()
	_, a, err := watch(t.Context(), llm.Fallback(silent{}, llmtest.New(t, llmtest.Text("ok"))))
	if err != nil || a.Message.Text() != "ok" {
		t.Errorf("answer %+v, error %v", a, err)
	}
	_, _, err = watch(t.Context(), llm.Retry(silent{}, llm.RetryPolicy{Attempts: 1}))
	if llm.ReasonOf(err) != llm.BadAnswer {
		t.Errorf("error %v", err)
	}
}
