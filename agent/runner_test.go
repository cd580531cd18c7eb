package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

func TestTurnWithTools(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t,
		llmtest.TextAndCalls("Let me look.",
			llm.Call{Name: "read", Args: `{"n":1}`}, llm.Call{Name: "write", Args: `{"n":2}`}),
		llmtest.Text("All done."))
	w.tools = []tools.Tool{counted("read", tools.ReadOnly, &runs), counted("write", tools.Mutating, &runs)}
	reply := w.say("do it")

	if reply.Text != "All done." || reply.Steps != 2 || reply.Through != 10 {
		t.Errorf("reply %+v", reply)
	}
	if want := (llm.Usage{Input: 20, Output: 10}); reply.Usage != want {
		t.Errorf("usage %+v, want %+v", reply.Usage, want)
	}
	if len(reply.Pending) != 1 || reply.Pending[0].Message.Text() != "All done." || reply.Pending[0].At.IsZero() {
		t.Errorf("pending %+v", reply.Pending)
	}
	want := []string{
		"user: do it", "assistant: Let me look.", `call read({"n":1})`, `call write({"n":2})`,
		"result: read(1) run 1", "result: write(2) run 1", "assistant: All done.",
	}
	if diff := cmp.Diff(want, w.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	first := model.Requests()[0]
	if first.System != "You are lead." || len(first.Tools) != 2 || first.Tools[0].Name != "read" {
		t.Errorf("request %+v", first)
	}
	wantEvents := []agent.Event{
		{Kind: agent.EventText, Text: "Let "}, {Kind: agent.EventText, Text: "me "}, {Kind: agent.EventText, Text: "look."},
		{Kind: agent.EventToolStart, Tool: "read", Label: "read label"},
		{Kind: agent.EventToolEnd, Tool: "read", Label: "read label"},
		{Kind: agent.EventToolStart, Tool: "write", Label: "write label"},
		{Kind: agent.EventToolEnd, Tool: "write", Label: "write label"},
		{Kind: agent.EventReset},
		{Kind: agent.EventText, Text: "All "}, {Kind: agent.EventText, Text: "done."},
	}
	if diff := cmp.Diff(wantEvents, w.events); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
}

func TestReadOnlyCallsAreAnnouncedTogether(t *testing.T) {
	t.Parallel()
	var runs counter
	w, _ := newWorld(t,
		llmtest.Calls(llm.Call{Name: "read", Args: `{"n":1}`}, llm.Call{Name: "read", Args: `{"n":2}`},
			llm.Call{Name: "gone", Args: `{}`}),
		llmtest.Text("ok"))
	w.tools = []tools.Tool{counted("read", tools.ReadOnly, &runs)}
	w.say("look")
	var got []string
	for _, e := range w.events {
		switch e.Kind {
		case agent.EventToolStart:
			got = append(got, "start "+e.Label)
		case agent.EventToolEnd:
			got = append(got, "end "+e.Label)
			if e.IsError != (e.Tool == "gone") {
				t.Errorf("event %+v", e)
			}
		}
	}
	want := []string{"start read label", "start read label", "end read label", "end read label", "start gone", "end gone"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Providers cache a prompt by its prefix: from call to call and from turn to turn nothing before the news may change.
func TestRequestsOnlyGrow(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t,
		llmtest.Calls(llm.Call{ID: "0", Name: "read", Args: `{ "n": 1 }`}, llm.Call{ID: "1", Name: "shot", Args: `{}`}),
		llmtest.Call("read", `{"n":2}`), llmtest.Text("one"),
		llmtest.Calls(llm.Call{ID: "0", Name: "gone", Args: `not json`}), llmtest.Text("two"),
		llmtest.Text(""), llmtest.Text("three"),
		llmtest.Text("four"))
	w.tools = []tools.Tool{counted("read", tools.ReadOnly, &runs), screenshot(png(t))}
	for _, text := range []string{"a", "b", "c", "d"} {
		w.say(text)
	}
	requests := model.Requests()
	for i := 1; i < len(requests); i++ {
		before, now := requests[i-1], requests[i]
		if head(t, before) != head(t, now) {
			t.Errorf("request %d: the system prompt or the tools changed", i)
		}
		older := before.Messages
		if n := len(older); strings.Contains(older[n-1].Text(), "Your answer was empty") {
			older = older[:n-1] // a nudge is not kept
		}
		if len(now.Messages) < len(older) {
			t.Fatalf("request %d is shorter", i)
		}
		if diff := cmp.Diff(asJSON(t, older), asJSON(t, now.Messages[:len(older)])); diff != "" {
			t.Errorf("request %d changed what was there (-before +now)\n%s", i, diff)
		}
	}
}

func head(t *testing.T, r *llm.Request) string {
	t.Helper()
	return r.System + asJSON(t, r.Tools)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func screenshot(data []byte) tools.Tool {
	d := tools.Descriptor{Name: "shot", Effect: tools.ReadOnly}
	return tools.New(d, func(context.Context, *tools.Call, struct{}) (*tools.Result, error) {
		return &tools.Result{
			ForModel: "a picture",
			Images:   []llm.Image{{Name: "shot.png", MediaType: "image/jpeg", Data: data}},
			Files:    []channels.Attachment{{Name: "shot.png", Data: data}},
		}, nil
	})
}

func TestImagesAndFilesOfResults(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Call("shot", `{}`), llmtest.Text("see"))
	w.tools = []tools.Tool{screenshot(png(t))}
	reply := w.say("show me")
	want := []string{
		"user: show me", "call shot({})", "result: a picture",
		"user: [program] Image from shot: shot.png", "image: shot.png",
	}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	shown := model.Last().Messages[3].Parts[1].Image
	if shown.MediaType != "image/png" {
		t.Errorf("the type is %s, not that of the content", shown.MediaType)
	}
	if len(reply.Files) != 1 || reply.Files[0].Name != "shot.png" {
		t.Errorf("files %+v", reply.Files)
	}
}

func TestBadImageOfResultIsNotShown(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Call("shot", `{}`), llmtest.Text("see"))
	w.tools = []tools.Tool{screenshot([]byte("<html>sign in</html>"))}
	w.say("show me")
	want := `[program] The image "shot.png" from shot can't be shown: not a PNG, JPEG, GIF or WebP image.`
	if got := model.Last().Messages[3]; got.Text() != want || session.HasImages(model.Last().Messages) {
		t.Errorf("got %+v", got)
	}
}

func TestSteering(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t, llmtest.Call("read", `{}`), llmtest.Text("ok"))
	w.tools = []tools.Tool{counted("read", tools.ReadOnly, &runs)}
	req := w.request(10, "look")
	var asked []int64
	req.Steer = func(_ context.Context, after int64) ([]session.Entry, error) {
		asked = append(asked, after)
		if runs.of("read(0)") == 0 {
			return nil, nil
		}
		return []session.Entry{message(0, 10, "look"), message(0, 12, "hurry")}, nil
	}
	reply, err := w.runner().Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Through != 12 {
		t.Errorf("through %d", reply.Through)
	}
	if diff := cmp.Diff([]int64{10, 10}, asked); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
	want := []string{"user: look", "call read({})", "result: read(0) run 1", "user: hurry"}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	stored, err := w.log.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e := stored[len(stored)-1]; e.Turn != 10 || e.Source != 12 {
		t.Errorf("what was taken in is not stored, but %+v", e)
	}
}

func TestFailuresKeepTheMessage(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	tests := map[string]func(w *world, req *agent.Request) *agent.Runner{
		"no such agent": func(w *world, req *agent.Request) *agent.Runner {
			req.Scope.Agent = "nobody"
			return w.runner()
		},
		"the model fails": func(w *world, _ *agent.Request) *agent.Runner {
			w.model = llmtest.New(w.t, llmtest.Fail(llm.Auth))
			return w.runner()
		},
		"two tools of one name": func(w *world, _ *agent.Request) *agent.Runner {
			w.tools = []tools.Tool{counted("a", tools.ReadOnly, nil), counted("a", tools.ReadOnly, nil)}
			return w.runner()
		},
		"steering fails": func(w *world, req *agent.Request) *agent.Runner {
			req.Steer = func(context.Context, int64) ([]session.Entry, error) { return nil, boom }
			return w.runner()
		},
		"a section fails": func(w *world, _ *agent.Request) *agent.Runner {
			return agent.NewRunner(agent.Config{
				Specs:    func(string) (*agent.Spec, bool) { return &agent.Spec{Model: w.model}, true },
				Sections: []agent.Section{broken{boom}},
				Planner:  &tools.Planner{Source: tools.Fixed(nil)},
			})
		},
		"the log can't be read": func(w *world, req *agent.Request) *agent.Runner {
			req.Log = unreadable{boom}
			return w.runner()
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newWorld(t)
			req := w.request(10, "hi")
			reply, err := prepare(w, req).Run(t.Context(), req)
			if err == nil {
				t.Fatal("no error")
			}
			if len(reply.Pending) != 1 || reply.Pending[0].Source != 10 || reply.Text != "" {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}

type broken struct{ err error }

func (b broken) Render(context.Context, *agent.Briefing) (string, error) { return "", b.err }

type unreadable struct{ err error }

func (u unreadable) Load(context.Context) ([]session.Entry, error) { return nil, u.err }
func (u unreadable) Append(context.Context, []session.Entry) error { return u.err }

func TestTurnWithoutAMessage(t *testing.T) {
	t.Parallel()
	w, _ := newWorld(t)
	req := w.request(10, "")
	req.Input = nil
	if _, err := w.runner().Run(t.Context(), req); err == nil {
		t.Error("no error")
	}
}

func TestGatesHideTools(t *testing.T) {
	t.Parallel()
	var runs counter
	w, model := newWorld(t, llmtest.Call("write", `{}`), llmtest.Text("not allowed"))
	spec := agent.Spec{Model: w.model}
	runner := agent.NewRunner(agent.Config{
		Specs: func(string) (*agent.Spec, bool) { return &spec, true },
		Planner: &tools.Planner{
			Source: tools.Fixed{counted("read", tools.ReadOnly, &runs), counted("write", tools.Mutating, &runs)},
			Gates: func(_ context.Context, s tools.Scope) ([]tools.Gate, error) {
				return []tools.Gate{tools.CapGate(s.Cap)}, nil
			},
		},
		Pipeline: &tools.Pipeline{},
	})
	req := w.request(10, "write")
	req.Scope.Cap = tools.Allowlist{Limited: true, Names: []string{"read"}}
	if _, err := runner.Run(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if got := model.Requests()[0].Tools; len(got) != 1 || got[0].Name != "read" {
		t.Errorf("offered %+v", got)
	}
	if runs.of("write(0)") != 0 || !contains(lines(model.Last().Messages), "this place allows only read") {
		t.Errorf("the call was not refused: %v", lines(model.Last().Messages))
	}
}

func TestSignalsDecideOnRequirements(t *testing.T) {
	t.Parallel()
	slack := func(s tools.Scope) tools.Signals {
		return tools.Signals{Context: map[string]string{tools.ContextChannel: s.Conversation.Channel}}
	}
	for name, tc := range map[string]struct {
		signals func(tools.Scope) tools.Signals
		channel string
		depth   int
		offered int
	}{
		"what is needed is there":       {slack, "slack", 0, 2},
		"what is needed is not there":   {slack, "discord", 0, 1},
		"nothing is known":              {nil, "slack", 0, 1},
		"the depth is known in any way": {slack, "slack", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, model := newWorld(t, llmtest.Text("ok"))
			spec := agent.Spec{Model: w.model}
			fussy := counted("fussy", tools.ReadOnly, nil)
			fussy.Requires = tools.AllOf(tools.NeedsContext(tools.ContextChannel, "slack"),
				tools.NeedsContext(tools.ContextDepth, "0"))
			runner := agent.NewRunner(agent.Config{
				Specs: func(string) (*agent.Spec, bool) { return &spec, true },
				Planner: &tools.Planner{
					Source: tools.Fixed{counted("read", tools.ReadOnly, nil), fussy}, Signals: tc.signals,
				},
				Pipeline: &tools.Pipeline{},
			})
			req := w.request(10, "hi")
			req.Scope.Conversation.Channel, req.Scope.Depth = tc.channel, tc.depth
			if _, err := runner.Run(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			if got := model.Requests()[0].Tools; len(got) != tc.offered {
				t.Errorf("offered %+v, want %d", got, tc.offered)
			}
		})
	}
}
