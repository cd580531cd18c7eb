// Package planmode lets an agent look and think before it acts: from enter_plan_mode to exit_plan_mode nothing that
// changes anything is called, in that session and by that agent alone.
package planmode

import (
	"context"
	"fmt"

	"github.com/leadhand/leadhand/tools"
)

// Owner is who plans.
type Owner struct{ Tenant, Session, Agent string }

func ownerOf(call *tools.Call) Owner {
	return Owner{call.Scope.Tenant, call.Scope.Session, call.Scope.Agent}
}

// Store keeps who plans, also over a restart.
type Store interface {
	// Set begins or ends; changed is false when it was so already.
	Set(ctx context.Context, o Owner, planning bool) (changed bool, err error)
	Planning(ctx context.Context, o Owner) (bool, error)
}

// Names of the tools.
const (
	enter = "enter_plan_mode"
	exit  = "exit_plan_mode"
	group = "sessions"
)

// Check is the tools.Check that refuses what changes something while an agent plans. When it is not known whether it
// does, that is refused too.
func Check(s Store) tools.Check {
	return func(ctx context.Context, call *tools.Call) error {
		if call.Tool.Effect == tools.ReadOnly || call.Name == enter || call.Name == exit {
			return nil
		}
		planning, err := s.Planning(ctx, ownerOf(call))
		if err != nil {
			return fmt.Errorf("%s was not called: it is not known whether you are in plan mode", call.Name)
		}
		if planning {
			return fmt.Errorf("%s was not called: you are in plan mode, in which nothing is changed. Look with tools that only "+
				"read, make the plan, then call %s with it", call.Name, exit)
		}
		return nil
	}
}

type enterParams struct{}

type exitParams struct {
	Plan string `json:"plan" jsonschema:"what will be done, step by step"`
}

// Tools begin and end it.
func Tools(s Store) []tools.Tool {
	return []tools.Tool{
		tools.New(tools.Descriptor{
			Name: enter, Label: "planning", Group: group,
			Description: "Begin to plan: until " + exit + " only tools that change nothing can be called. For work that is " +
				"large, risky, or unclear.",
		}, func(ctx context.Context, call *tools.Call, _ enterParams) (*tools.Result, error) {
			changed, err := s.Set(ctx, ownerOf(call), true)
			if err != nil {
				return nil, fmt.Errorf("begin to plan: %w", err)
			}
			if !changed {
				return tools.Text("You are in plan mode already."), nil
			}
			return tools.Text("You are in plan mode. Look around, then call " + exit + " with the plan."), nil
		}),
		tools.New(tools.Descriptor{
			Name: exit, Label: "ending the plan", Group: group,
			Description: "End planning, with the plan. From then on all tools that are offered can be called again.",
		}, func(ctx context.Context, call *tools.Call, _ exitParams) (*tools.Result, error) {
			changed, err := s.Set(ctx, ownerOf(call), false)
			if err != nil {
				return nil, fmt.Errorf("end planning: %w", err)
			}
			if !changed {
				return nil, fmt.Errorf("you are not in plan mode; %s begins it", enter)
			}
			return tools.Text("You are out of plan mode. Tell the people the plan if they should know it, and carry it out."),
				nil
		}),
	}
}
