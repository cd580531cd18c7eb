package bot_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/tools"
)

// notes is a session.Log without a database.
type notes struct {
	mu  sync.Mutex
	all []session.Entry
}

func (n *notes) Load(context.Context) ([]session.Entry, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all), nil
}

func (n *notes) Append(_ context.Context, es []session.Entry) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range es {
		es[i].Seq = int64(len(n.all) + 1)
		n.all = append(n.all, es[i])
	}
	return nil
}

// handing is a tool that lets other agents work: one below the other, as deep as depth says, the last of them does the
// work. It is how teammates, subagents and delegates run: with the child of their parent's scope.
func handing(runner func() *agent.Runner) tools.Tool {
	type args struct {
		Agents []string `json:"agents"`
	}
	return tools.New(tools.Descriptor{Name: "hand_over", Group: "team", Description: "let another agent do it"},
		func(ctx context.Context, call *tools.Call, in args) (*tools.Result, error) {
			scope := call.Scope
			for _, name := range in.Agents {
				scope = scope.Child(name, "child of "+scope.Session)
			}
			reply, err := runner().Run(ctx, &agent.Request{
				Scope: scope, Turn: 1, Log: &notes{},
				Input: []session.Entry{{Source: 1, Kind: session.KindMessage, Message: llm.UserText("do it")}},
			})
			if err != nil {
				return nil, err
			}
			return tools.Text(reply.Text), nil
		})
}

// TestWhatAPlaceForbidsNobodyInheritsAWayTo: the tool that a topic leaves out is refused in the words of `tools why`,
// whoever asks for it on whose behalf: the agent itself, a teammate, a subagent of a teammate, and a turn that no
// message began.
func TestWhatAPlaceForbidsNobodyInheritsAWayTo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		forbidden := llmtest.Call("write_file", map[string]any{"path": "a.txt", "content": "x"})
		var w *world
		w = newWorld(t, url, setup{
			closed: true, model: llmtest.New(t).Otherwise(echo),
			tools: []tools.Tool{handing(func() *agent.Runner { return w.runner })},
		})
		w.lets("501", access.Admin)
		w.lets("503", access.Member)
		w.wantSaid("501", "tools deny write_file", "not write_file")
		w.says("503", "tools why write_file")
		why := "this topic: no write_file (set by 501"
		if m := w.shown(); !strings.Contains(m.Text, why) {
			t.Fatalf("tools why: %q", m.Text)
		}
		asks := func() { w.says("503", "write it") }
		scheduled := func() {
			id, err := store.NewSessions(w.db).Current(t.Context(), "default", "lead", room(), "")
			if err != nil {
				t.Fatal(err)
			}
			in := w.message(room(), "503", "it is nine o'clock: write it")
			in.ID = "" // nobody wrote it
			_, err = w.inbox.Accept(t.Context(), &inbox.Item{Session: id, Message: *in, Scope: tools.Scope{
				Tenant: "default", Agent: "lead", User: "fake:503", Session: id, Conversation: room(),
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		over := func(agents ...string) llmtest.Step {
			return llmtest.Call("hand_over", map[string]any{"agents": agents})
		}
		done := llmtest.Text("done")
		for name, tt := range map[string]struct {
			begins func()
			steps  []llmtest.Step
		}{
			"the agent itself":          {asks, []llmtest.Step{forbidden, done}},
			"a teammate":                {asks, []llmtest.Step{over("writer"), forbidden, done, done}},
			"a subagent":                {asks, []llmtest.Step{over("lead"), forbidden, done, done}},
			"a subagent of a teammate":  {asks, []llmtest.Step{over("writer", "lead"), forbidden, done, done}},
			"a scheduled turn":          {scheduled, []llmtest.Step{forbidden, done}},
			"a teammate of a scheduled": {scheduled, []llmtest.Step{over("writer"), forbidden, done, done}},
		} {
			before := len(w.model.Requests())
			w.model.Add(tt.steps...)
			tt.begins()
			if m := w.shown(); m.Text != "done" || m.Conversation != room() {
				t.Fatalf("%s: shown %+v", name, m)
			}
			refused := slices.ContainsFunc(w.model.Requests()[before:], func(r *llm.Request) bool {
				results := r.Messages[len(r.Messages)-1].Results()
				return len(results) > 0 && results[0].IsError && strings.Contains(results[0].Text, why)
			})
			if offered := slices.ContainsFunc(w.model.Requests()[before:], func(r *llm.Request) bool {
				return slices.ContainsFunc(r.Tools, func(t llm.Tool) bool { return t.Name == "write_file" })
			}); offered || !refused {
				t.Errorf("%s: offered %v, refused %v", name, offered, refused)
			}
		}
	})
}
