package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

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

// findFaults looks at every tool, also at those that the plan would hide: a source that is wrong should show at once
// and for everybody, not on the day when somebody may see its tool. Only a tool without an executor could be let pass
// until then, but there is no use for one: what is slow to load, an executor loads at its first call.
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
		if err := checkInput(&t); err != nil {
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
// schema is compiled at the first call. What New wrote needs no test, and most tools come from there: reading the
// schemas is by far the longest part of a plan.
func checkInput(t *Tool) error {
	if own, ok := t.Executor.(interface{ made(json.RawMessage) bool }); ok && own.made(t.Input) {
		return nil
	}
	var schema struct {
		Type       json.RawMessage `json:"type"`
		Properties struct{}        `json:"properties"` // an object, whatever is in it
	}
	if err := json.Unmarshal(t.Input, &schema); err != nil {
		return fmt.Errorf("is unreadable: %w", err)
	}
	if string(schema.Type) != `"object"` {
		return fmt.Errorf(`must have "type": "object"`)
	}
	return nil
}
