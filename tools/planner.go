package tools

import (
	"context"
	"errors"
	"fmt"
)

// ErrUndecided is that it is not known at the moment which tools may be used. Nothing may be then.
var ErrUndecided = errors.New("it is not known which tools may be used")

// Planner makes the plan of a scope. The run of a scope and those who ask what it may do use the same one, so that what
// is explained is what happens. Source is required.
type Planner struct {
	Source Source
	// Signals tell what the requirements of tools may find around a scope; nil knows nothing.
	Signals func(s Scope) Signals
	// Gates decide which tools a scope is offered; nil offers all. Without an answer nothing is offered.
	Gates func(ctx context.Context, s Scope) ([]Gate, error)
}

// Plan decides on the tools of a scope.
func (p *Planner) Plan(ctx context.Context, s Scope) (*Plan, error) {
	all, err := p.Source.Tools(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	var gates []Gate
	if p.Gates != nil {
		if gates, err = p.Gates(ctx, s); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUndecided, err)
		}
	}
	var signals Signals
	if p.Signals != nil {
		signals = p.Signals(s)
	}
	signals.Depth = s.Depth // known even where nothing else is
	return BuildPlan(all, signals, gates...)
}
