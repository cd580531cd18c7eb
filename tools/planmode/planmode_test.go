package planmode_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/planmode"
)

// memory is a planmode.Store in memory.
type memory struct {
	on  map[planmode.Owner]bool
	err error
}

func (m *memory) Set(_ context.Context, o planmode.Owner, on bool) (bool, error) {
	was := m.on[o]
	if m.err == nil {
		m.on[o] = on
	}
	return was != on, m.err
}

func (m *memory) Planning(_ context.Context, o planmode.Owner) (bool, error) { return m.on[o], m.err }

// TestPlanMode: what changes something is refused in that session and to that agent alone, and runs again afterwards.
func TestPlanMode(t *testing.T) {
	t.Parallel()
	s := &memory{on: map[planmode.Owner]bool{}}
	wrote := 0
	write := tools.New(tools.Descriptor{Name: "write"}, func(context.Context, *tools.Call, struct{}) (*tools.Result, error) {
		wrote++
		return tools.Text("written"), nil
	})
	look := tools.New(tools.Descriptor{Name: "look", Effect: tools.ReadOnly}, func(context.Context, *tools.Call, struct{}) (*tools.Result, error) {
		return tools.Text("seen"), nil
	})
	plan, err := tools.BuildPlan(append(planmode.Tools(s), write, look), tools.Signals{})
	if err != nil {
		t.Fatal(err)
	}
	p := &tools.Pipeline{Checks: []tools.Check{planmode.Check(s)}}
	call := func(session, agent, tool, args, want string) {
		t.Helper()
		c := &tools.Call{Name: tool, Args: []byte(args), Scope: tools.Scope{Tenant: "t", Session: session, Agent: agent}}
		err := p.Run(t.Context(), plan, []*tools.Call{c}, func(_ int, r *tools.Result) error {
			if !strings.Contains(r.ForModel, want) {
				t.Errorf("%s of %s in %s: %q, want %q", tool, agent, session, r.ForModel, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	call("a", "lead", "exit_plan_mode", `{"plan":"x"}`, "you are not in plan mode")
	call("a", "lead", "enter_plan_mode", `{}`, "You are in plan mode. Look")
	call("a", "lead", "enter_plan_mode", `{}`, "already")
	call("a", "lead", "write", `{}`, "write was not called: you are in plan mode")
	call("a", "lead", "look", `{}`, "seen")
	call("b", "lead", "write", `{}`, "written")
	call("a", "writer", "write", `{}`, "written")
	s.err = errors.New("no database")
	call("b", "lead", "write", `{}`, "it is not known whether you are in plan mode")
	call("b", "lead", "look", `{}`, "seen")
	s.err = nil
	call("a", "lead", "exit_plan_mode", `{}`, "plan: missing")
	call("a", "lead", "exit_plan_mode", `{"plan":"write"}`, "You are out of plan mode")
	call("a", "lead", "write", `{}`, "written")
	if wrote != 3 {
		t.Errorf("written %d times", wrote)
	}
}
