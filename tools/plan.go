package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/tools/nearest"
)

// Hidden is a tool that exists but is not offered, with every verdict that holds it back.
type Hidden struct {
	Descriptor
	Verdicts []Verdict
}

// Plan says which tools a run may call. It is the one decision for both what a model is shown and what is executed.
// Both lists are ordered by name, so that a provider's prompt cache holds from run to run. A Plan is read-only.
type Plan struct {
	Visible []Tool
	Hidden  []Hidden

	verdicts map[string][]Verdict // by tool: all of them, also those that allow
}

// BuildPlan asks the requirements of every tool and then every gate. They are joined by and: no gate can undo what
// another one refused, and the plan keeps all that was said. The error is a *PlanError.
func BuildPlan(ts []Tool, sig Signals, gates ...Gate) (*Plan, error) {
	sorted := slices.SortedStableFunc(slices.Values(ts), func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	if faults := findFaults(sorted); len(faults) > 0 {
		return nil, &PlanError{faults}
	}
	plan := &Plan{verdicts: make(map[string][]Verdict, len(sorted))}
	var said []Verdict
	for i := range sorted {
		t := &sorted[i]
		said = append(said[:0], t.Requires.verdicts(sig)...)
		for _, gate := range gates {
			said = append(said, gate(&t.Descriptor)...)
		}
		plan.verdicts[t.Name] = slices.Clone(said)
		if hiding := hidingOf(said); len(hiding) == 0 {
			plan.Visible = append(plan.Visible, *t)
		} else {
			plan.Hidden = append(plan.Hidden, Hidden{t.Descriptor, hiding})
		}
	}
	return plan, nil
}

// Lookup gives the offered tool of exactly that name. The error is for the model: it has the reasons if the tool is
// hidden and near names if there is no such tool.
func (p *Plan) Lookup(name string) (*Tool, error) {
	for i := range p.Visible {
		if p.Visible[i].Name == name {
			return &p.Visible[i], nil
		}
	}
	for _, h := range p.Hidden {
		if h.Name == name {
			return nil, fmt.Errorf("the tool %s may not be used here: %s", name, h.reasons())
		}
	}
	if len(p.Visible) == 0 {
		return nil, fmt.Errorf("there is no tool %q; no tools may be used here", abridge(name))
	}
	names := make([]string, len(p.Visible))
	for i, t := range p.Visible {
		names[i] = t.Name
	}
	return nil, unknownTool(name, names, "use only the tools that are offered")
}

// Why gives what every layer said about a tool, in the order they were asked, whether it is offered or not. It is for
// people: an error about an unknown name has the nearest of all tools, hidden ones too.
func (p *Plan) Why(name string) ([]Verdict, error) {
	said, ok := p.verdicts[name]
	if ok {
		return slices.Clone(said), nil
	}
	names := make([]string, 0, len(p.verdicts))
	for known := range p.verdicts {
		names = append(names, known)
	}
	return nil, unknownTool(name, names, "no other tool has a name like it")
}

// unknownTool tells the nearest names, or otherwise when there are none.
func unknownTool(name string, known []string, otherwise string) error {
	if near := nearest.Nearest(name, known, 3); len(near) > 0 {
		otherwise = "the nearest are: " + strings.Join(near, ", ")
	}
	return fmt.Errorf("there is no tool %q; %s", abridge(name), otherwise)
}

func (h *Hidden) reasons() string {
	lines := make([]string, len(h.Verdicts))
	for i, v := range h.Verdicts {
		lines[i] = v.String()
	}
	return strings.Join(lines, "; ")
}
