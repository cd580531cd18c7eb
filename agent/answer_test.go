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

func finished(finish llm.Finish, parts ...llm.Part) llmtest.Step {
	return llmtest.Answer(llm.Answer{Message: llm.Message{Role: llm.Assistant, Parts: parts}, Finish: finish})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	text := llm.Part{Text: "Here is the beginning"}
	thought := llm.Part{Reasoning: &llm.Reasoning{Text: "hm"}}
	write := llm.Part{Call: &llm.Call{ID: "1", Name: "write", Args: "{}"}}
	tests := map[string]struct {
		steps []llmtest.Step
		want  string
		next  []string // what is told in the next turn
	}{
		"one that reached the length limit is kept and marked": {
			[]llmtest.Step{finished(llm.Length, text)},
			"Here is the beginning\n\n*(The answer ends here because it reached its length limit. Ask me to go on.)*",
			[]string{
				"assistant: Here is the beginning",
				"assistant: \n\n*(The answer ends here because it reached its length limit. Ask me to go on.)*",
			},
		},
		"a refusal is plain words, and its calls are not run": {
			[]llmtest.Step{finished(llm.Refused, write)},
			"The model declined to answer this. Please put it another way.",
			[]string{"assistant: The model declined to answer this. Please put it another way."},
		},
		"a refusal keeps what was said": {
			[]llmtest.Step{finished(llm.Refused, thought, text)},
			"Here is the beginning\n\nThe model declined to answer this. Please put it another way.",
			[]string{"assistant: Here is the beginning\n\nThe model declined to answer this. Please put it another way."},
		},
		"an empty one is asked for again": {
			[]llmtest.Step{finished(llm.Stop, thought), llmtest.Text("Four.")},
			"Four.", []string{"assistant: Four."},
		},
		"two empty ones end in a line": {
			[]llmtest.Step{finished(llm.Stop), finished(llm.Stop, llm.Part{Text: " \n"})},
			"I have no answer to that. Please put it another way.",
			[]string{"assistant: I have no answer to that. Please put it another way."},
		},
		"NUL and broken characters are taken out": {
			[]llmtest.Step{llmtest.Text("a\x00b\xff")}, "ab\uFFFD", []string{"assistant: ab\uFFFD"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, model := newWorld(t, tt.steps...)
			var runs counter
			w.tools = []tools.Tool{counted("write", tools.Mutating, &runs)}
			if reply := w.say("ask"); reply.Text != tt.want {
				t.Errorf("text %q, want %q", reply.Text, tt.want)
			}
			model.Add(llmtest.Text("ok"))
			w.say("next")
			want := append(append([]string{"user: ask"}, tt.next...), "user: next")
			if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if runs.of("write(0)") != 0 {
				t.Error("a refused call was run")
			}
		})
	}
}

func TestEmptyAnswerIsNudgedOnce(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Text(""), llmtest.Text("Four."))
	w.say("ask")
	want := []string{
		"user: ask", "user: [program] Your answer was empty. Answer the last message in words, or call a tool.",
	}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEmptyAnswerWithFiles(t *testing.T) {
	t.Parallel()
	w, _ := newWorld(t, llmtest.Call("shot", "{}"), llmtest.Text(""), llmtest.Text(""))
	w.tools = []tools.Tool{screenshot(png(t))}
	if reply := w.say("picture"); reply.Text != "Here is what I made." || len(reply.Files) != 1 {
		t.Errorf("reply %+v", reply)
	}
}

func TestCallThatWasCutOffIsNotRun(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t,
		finished(llm.Length,
			llm.Part{Call: &llm.Call{ID: "1", Name: "write", Args: `{"n":1}`}},
			llm.Part{Call: &llm.Call{ID: "2", Name: "write", Args: `{"n":2`}}),
		llmtest.Text("ok"))
	w.tools = []tools.Tool{counted("write", tools.Mutating, &runs)}
	w.say("write")
	if runs.of("write(1)") != 1 || runs.of("write(2)") != 0 {
		t.Errorf("runs %v", runs.runs)
	}
	got := lines(model.Last().Messages)
	if got[3] != "result: write(1) run 1" || !strings.HasPrefix(got[4], "error: not run: the answer reached its length") {
		t.Errorf("told %q", got)
	}
}

func TestAnswersThatAreAlwaysCutOffEnd(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t)
	n := 0
	model.Otherwise(func(_ context.Context, req *llm.Request) (*llm.Answer, error) {
		if req.NoTools {
			return &llm.Answer{Message: llm.AssistantText("I can't."), Finish: llm.Stop}, nil
		}
		n++
		call := &llm.Call{ID: fmt.Sprint(n), Name: "write", Args: fmt.Sprintf(`{"n":%d,"x":"`, n)}
		return &llm.Answer{Message: llm.Message{Parts: []llm.Part{{Call: call}}}, Finish: llm.Length}, nil
	})
	var runs counter
	w.tools = []tools.Tool{counted("write", tools.Mutating, &runs)}
	if reply := w.say("write"); reply.Text != "I can't." || reply.Steps != 4 {
		t.Errorf("reply %+v", reply)
	}
}

func TestStepLimit(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t,
		llmtest.Call("read", `{"n":1}`), llmtest.Call("read", `{"n":2}`), llmtest.Text("Two of three."))
	w.spec.MaxSteps = 3
	w.tools = []tools.Tool{counted("read", tools.ReadOnly, &runs)}
	if reply := w.say("read all"); reply.Text != "Two of three." || reply.Steps != 3 {
		t.Errorf("reply %+v", reply)
	}
	for i, req := range model.Requests() {
		if req.NoTools != (i == 2) || len(req.Tools) != 1 {
			t.Errorf("request %d: NoTools %t with %d tools", i, req.NoTools, len(req.Tools))
		}
	}
	if got := lines(model.Last().Messages); !strings.Contains(got[len(got)-1], "This turn has to end here") {
		t.Errorf("asked %q", got)
	}
}

func TestStepLimitWithAModelThatCallsOn(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t)
	model.Otherwise(llmtest.Call("read", `{}`))
	w.spec.MaxSteps = 2
	w.tools = []tools.Tool{counted("read", tools.ReadOnly, &runs)}
	reply := w.say("read all")
	if want := "I had to stop after 3 steps without coming to an end. Ask me to go on."; reply.Text != want {
		t.Errorf("text %q", reply.Text)
	}
	if runs.of("read(0)") != 1 {
		t.Errorf("%d runs", runs.of("read(0)"))
	}
}
