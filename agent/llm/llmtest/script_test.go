package llmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
)

// witness is a testing.TB that keeps what a script complains about.
type witness struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (w *witness) Helper() {}
func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

func ask(s string) *llm.Request { return &llm.Request{Messages: []llm.Message{llm.UserText(s)}} }

func TestScriptPlaysStepsInOrder(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t,
		llmtest.Text("one two"), llmtest.Call("f", map[string]int{"a": 1}), llmtest.Fail(llm.Auth),
		llmtest.Cut("half", llm.Unreachable)).Named("m")
	streamed := ""
	a, err := llm.Collect(t.Context(), s, ask("q"), func(c *llm.Chunk) { streamed += c.Text })
	if err != nil || a.Message.Text() != "one two" || streamed != "one two" || a.Model != "m" {
		t.Errorf("first: %+v, streamed %q, %v", a, streamed, err)
	}
	a, err = llm.Collect(t.Context(), s, ask("q"), nil)
	if err != nil || a.Finish != llm.Calls || a.Message.Calls()[0].Args != `{"a":1}` || a.Message.Calls()[0].ID == "" {
		t.Errorf("second: %+v, %v", a, err)
	}
	if _, err = llm.Collect(t.Context(), s, ask("q"), nil); llm.ReasonOf(err) != llm.Auth || err.Error()[:2] != "m:" {
		t.Errorf("third: %v", err)
	}
	streamed = ""
	_, err = llm.Collect(t.Context(), s, ask("q"), func(c *llm.Chunk) { streamed += c.Text })
	if llm.ReasonOf(err) != llm.Unreachable || streamed != "half" {
		t.Errorf("fourth: streamed %q, %v", streamed, err)
	}
	if s.Left() != 0 || len(s.Requests()) != 4 {
		t.Errorf("%d left, %d requests", s.Left(), len(s.Requests()))
	}
}

func TestScriptRecordsACopy(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t).Otherwise(llmtest.Text("ok"))
	req := ask("before")
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Parts: []llm.Part{
		{Call: &llm.Call{ID: "1", Name: "f", Args: "{}"}},
	}})
	if _, err := llm.Collect(t.Context(), s, req, nil); err != nil {
		t.Fatal(err)
	}
	req.Messages[0].Parts[0].Text = "after"
	req.Messages[1].Parts[0].Call.Name = "g"
	got := s.Last()
	if got.Messages[0].Text() != "before" || got.Messages[1].Calls()[0].Name != "f" {
		t.Errorf("the record changed with its original: %+v", got.Messages)
	}
}

func TestScriptWithoutStepsFailsTheTest(t *testing.T) {
	t.Parallel()
	w := &witness{TB: t}
	_, err := llm.Collect(t.Context(), llmtest.New(w), ask("q"), nil)
	if err == nil || len(w.said) != 1 {
		t.Errorf("error %v, complaints %v", err, w.said)
	}
}

func TestHangEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("stopped by hand")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := llmtest.New(t, func(c context.Context, r *llm.Request) (*llm.Answer, error) {
		cancel(cause)
		return llmtest.Hang()(c, r)
	})
	if _, err := llm.Collect(ctx, s, ask("q"), nil); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

func TestScriptServesManyAtOnce(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t).Otherwise(llmtest.Text("ok"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := llm.Collect(t.Context(), s, ask("q"), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(s.Requests()); n != 20 {
		t.Errorf("%d requests", n)
	}
}

func TestStrictRefusesWhatAVendorWould(t *testing.T) {
	t.Parallel()
	call := func(ids ...string) llm.Message {
		m := llm.Message{Role: llm.Assistant}
		for _, id := range ids {
			m.Parts = append(m.Parts, llm.Part{Call: &llm.Call{ID: id, Name: "f", Args: "{}"}})
		}
		return m
	}
	result := func(ids ...string) llm.Message {
		m := llm.Message{Role: llm.ToolRole}
		for _, id := range ids {
			m.Parts = append(m.Parts, llm.Part{Result: &llm.Result{CallID: id, Name: "f", Text: "r"}})
		}
		return m
	}
	user, object := llm.UserText("q"), json.RawMessage(`{"type":"object"}`)
	for _, tc := range []struct {
		name string
		req  llm.Request
		want string // part of the complaint; empty for a valid request
	}{
		{"paired calls", llm.Request{Messages: []llm.Message{user, call("a", "b"), result("b", "a"), user}}, ""},
		{"an empty refusal", llm.Request{Messages: []llm.Message{user, {Role: llm.Assistant}, user}}, ""},
		{"two user messages", llm.Request{Messages: []llm.Message{user, user}}, ""},
		{"no messages", llm.Request{}, "no messages"},
		{"a call without a result", llm.Request{Messages: []llm.Message{user, call("a"), user}}, "no result"},
		{"a call at the end", llm.Request{Messages: []llm.Message{user, call("a")}}, "no result"},
		{"half of the results", llm.Request{Messages: []llm.Message{user, call("a", "b"), result("a"), user}}, "no result"},
		{"a result without a call", llm.Request{Messages: []llm.Message{user, result("a")}}, "no open call"},
		{"a result twice", llm.Request{Messages: []llm.Message{user, call("a"), result("a", "a")}}, "no open call"},
		{"an empty id", llm.Request{Messages: []llm.Message{user, call(""), result("")}}, "empty or repeated"},
		{"a repeated id", llm.Request{Messages: []llm.Message{user, call("a", "a"), result("a", "a")}}, "repeated"},
		{"an unknown role", llm.Request{Messages: []llm.Message{{Role: "system", Parts: user.Parts}}}, "role"},
		{"an empty text", llm.Request{Messages: []llm.Message{llm.UserText("")}}, "contents"},
		{"two contents in a part", llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{
			{Text: "a", Image: &llm.Image{}}}}}}, "contents"},
		{"words in a tool message",
			llm.Request{Messages: []llm.Message{{Role: llm.ToolRole, Parts: user.Parts}}}, "no result"},
		{"its own words at the end", llm.Request{Messages: []llm.Message{user, llm.AssistantText("a")}}, "own"},
		{"a tool without a schema", llm.Request{Messages: []llm.Message{user}, Tools: []llm.Tool{{Name: "f"}}}, "schema"},
		{"two tools of one name", llm.Request{Messages: []llm.Message{user},
			Tools: []llm.Tool{{Name: "f", Input: object}, {Name: "f", Input: object}}}, "repeated"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := &witness{TB: t}
			_, err := llm.Collect(t.Context(), llmtest.New(w, llmtest.Text("ok")).Strict(), &tc.req, nil)
			if tc.want == "" {
				if err != nil || len(w.said) > 0 {
					t.Errorf("refused: %v, %v", err, w.said)
				}
				return
			}
			if llm.ReasonOf(err) != llm.Rejected || len(w.said) != 1 || !strings.Contains(w.said[0], tc.want) {
				t.Errorf("error %v, complaints %v; want %q", err, w.said, tc.want)
			}
		})
	}
}

func TestRepeatedUseOfAStepGivesFreshAnswers(t *testing.T) {
	t.Parallel()
	step := llmtest.Calls(llm.Call{Name: "f", Args: "{}"})
	s := llmtest.New(t).Otherwise(step)
	first, err := llm.Collect(t.Context(), s, ask("q"), nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Message.Calls()[0].Name = "changed"
	second, err := llm.Collect(t.Context(), s, ask("q"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("f", second.Message.Calls()[0].Name); d != "" {
		t.Error(d)
	}
}
