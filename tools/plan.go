package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/tools/nearest"
)

// Diagnostic is one reason why a tool is not offered.
type Diagnostic struct {
	Layer  string // who decided: "place", "policy", "role"
	Reason string // in words that a model or a person may read
}

// Gate decides about one tool: nil lets it through.
type Gate func(d *Descriptor) *Diagnostic

// Hidden is a tool that exists but is not offered, with the reason of every gate that held it back.
type Hidden struct {
	Descriptor
	Diagnostics []Diagnostic
}

// Plan says which tools a run may call. It is the one decision for both what a model is shown and what is executed.
// Both lists are ordered by name, so that a provider's prompt cache holds from run to run. A Plan is read-only.
type Plan struct {
	Visible []Tool
	Hidden  []Hidden
}

// BuildPlan asks every gate about every tool. Gates are joined by and: no gate can undo what another one refused, and
// a hidden tool keeps all its reasons. The error is a *PlanError.
func BuildPlan(ts []Tool, gates ...Gate) (*Plan, error) {
	sorted := slices.SortedStableFunc(slices.Values(ts), func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	if faults := findFaults(sorted); len(faults) > 0 {
		return nil, &PlanError{faults}
	}
	plan := new(Plan)
	for _, t := range sorted {
		var ds []Diagnostic
		for _, gate := range gates {
			if d := gate(&t.Descriptor); d != nil {
				ds = append(ds, *d)
			}
		}
		if len(ds) == 0 {
			plan.Visible = append(plan.Visible, t)
		} else {
			plan.Hidden = append(plan.Hidden, Hidden{t.Descriptor, ds})
		}
	}
	return plan, nil
}

// CapGate keeps to what a place allows.
func CapGate(a Allowlist) Gate {
	reason := "this place allows no tools"
	if len(a.Names) > 0 {
		reason = "this place allows only " + strings.Join(slices.Sorted(slices.Values(a.Names)), ", ")
	}
	return func(d *Descriptor) *Diagnostic {
		if a.Allows(d.Name) {
			return nil
		}
		return &Diagnostic{Layer: "place", Reason: reason}
	}
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
	return nil, p.unknown(name)
}

func (p *Plan) unknown(name string) error {
	if len(p.Visible) == 0 {
		return fmt.Errorf("there is no tool %q; no tools may be used here", abridge(name))
	}
	names := make([]string, len(p.Visible))
	for i, t := range p.Visible {
		names[i] = t.Name
	}
	if near := nearest.Nearest(name, names, 3); len(near) > 0 {
		return fmt.Errorf("there is no tool %q; the nearest are: %s", abridge(name), strings.Join(near, ", "))
	}
	return fmt.Errorf("there is no tool %q; use only the tools that are offered", abridge(name))
}

func (h *Hidden) reasons() string {
	var rs []string
	for _, d := range h.Diagnostics {
		rs = append(rs, d.Reason)
	}
	return strings.Join(rs, "; ")
}

// PlanError says which tools can't be part of any plan. It is a mistake of the sources, never of a model.
type PlanError struct {
	Faults []Fault // at least one, ordered by tool
}

// Fault is one defect of one tool.
type Fault struct {
	Tool   string
	Source string
	Reason string
}

func (e *PlanError) Error() string {
	parts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		parts[i] = fmt.Sprintf("%q from %s: %s", f.Tool, f.Source, f.Reason)
	}
	return "plan the tools: " + strings.Join(parts, "; ")
}

// toolName is what every model provider accepts as the name of a function.
var toolName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

func findFaults(ts []Tool) []Fault {
	var faults []Fault
	owners := map[string]string{} // lower-case name -> source: names must differ in more than case
	for _, t := range ts {
		add := func(format string, args ...any) {
			faults = append(faults, Fault{t.Name, t.Source, fmt.Sprintf(format, args...)})
		}
		if !toolName.MatchString(t.Name) {
			add("a name is 1 to 64 letters, digits, _ or -, and starts with a letter or _")
		}
		if t.Executor == nil {
			add("it has no executor")
		}
		if err := checkInput(t.Input); err != nil {
			add("its input schema %v", err)
		}
		folded := strings.ToLower(t.Name)
		if first, taken := owners[folded]; taken {
			add("%s already has a tool of that name", first)
			continue
		}
		owners[folded] = t.Source
	}
	return faults
}

// checkInput tests what providers insist on; one tool that breaks it makes them refuse the whole request. The full
// schema is compiled at the first call.
func checkInput(raw json.RawMessage) error {
	var schema struct {
		Type       json.RawMessage            `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		return fmt.Errorf("is unreadable: %w", err)
	}
	if string(schema.Type) != `"object"` {
		return fmt.Errorf(`must have "type": "object"`)
	}
	return nil
}
