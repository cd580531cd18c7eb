package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/tools"
)

// same is a tool that always gives the same result.
func same(name string, effect tools.Effect, runs *counter) tools.Tool {
	d := tools.Descriptor{Name: name, Effect: effect}
	type input struct {
		A string `json:"a,omitempty"`
		B string `json:"b,omitempty"`
	}
	return tools.New(d, func(_ context.Context, _ *tools.Call, _ input) (*tools.Result, error) {
		runs.add(name)
		return tools.Text("the same"), nil
	})
}

func TestGoingInCircles(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t)
	n := 0
	model.Otherwise(func(ctx context.Context, req *llm.Request) (*llm.Answer, error) {
		if req.NoTools {
			return llmtest.Text("I was stuck.")(ctx, req)
		}
		n++
		args := []string{`{"a":"1","b":"2"}`, `{ "b": "2", "a": "1" }`}[n%2]
		return llmtest.Call("poll", args)(ctx, req)
	})
	w.tools = []tools.Tool{same("poll", tools.ReadOnly, &runs)}
	reply := w.say("wait for it")
	if reply.Text != "I was stuck." || reply.Steps != 9 || runs.of("poll") != 4 {
		t.Errorf("%d runs, reply %+v", runs.of("poll"), reply)
	}
	var told []string
	for _, m := range model.Last().Messages {
		for _, r := range m.Results() {
			kind := "plain"
			switch {
			case strings.Contains(r.Text, "refused"):
				kind = "refused"
			case strings.Contains(r.Text, "several times"):
				kind = "nudged"
			}
			told = append(told, kind)
		}
	}
	want := []string{"plain", "plain", "nudged", "nudged", "refused", "refused", "refused", "refused"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestLongWorkIsNotGoingInCircles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args func(n int) (tool, args string)
		runs int
	}{
		"different calls with the same result": {
			func(n int) (string, string) { return "poll", fmt.Sprintf(`{"a":"%d"}`, n) }, 40,
		},
		"the same call with different results": {
			func(int) (string, string) { return "read", `{}` }, 40,
		},
		"a check after every change": {
			func(n int) (string, string) {
				if n%2 == 0 {
					return "poll", `{}`
				}
				return "edit", fmt.Sprintf(`{"a":"%d"}`, n)
			}, 40,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs counter
			w, model := newWorld(t)
			n := 0
			model.Otherwise(func(ctx context.Context, req *llm.Request) (*llm.Answer, error) {
				if n == tt.runs {
					return llmtest.Text("done")(ctx, req)
				}
				n++
				return call(tt.args(n))(ctx, req)
			})
			w.tools = []tools.Tool{
				same("poll", tools.ReadOnly, &runs), same("edit", tools.Mutating, &runs), counted("read", tools.ReadOnly, &runs),
			}
			w.say("work")
			if got := runs.of("poll") + runs.of("edit") + runs.of("read(0)"); got != tt.runs {
				t.Errorf("%d runs, want %d", got, tt.runs)
			}
			if contains(lines(model.Last().Messages), "[program]") {
				t.Error("the model was told to stop")
			}
		})
	}
}

func TestCirclesAreNoticedAcrossACrash(t *testing.T) {
	t.Parallel()
	var runs counter
	w, _ := newWorld(t, llmtest.Call("poll", "{}"), llmtest.Text("I stop."))
	w.tools = []tools.Tool{same("poll", tools.ReadOnly, &runs)}
	var log []llm.Message
	for range 4 {
		log = append(log, asks("poll"), gives(0, "poll", "the same"))
	}
	w.keep(log...)
	w.sayAs(10, "do it")
	if runs.of("poll") != 0 || !contains(w.stored(), "error: refused") {
		t.Errorf("%d runs: %v", runs.of("poll"), w.stored())
	}
}

func call(tool, args string) llmtest.Step { return llmtest.Call(tool, args) }
