package tools

import (
	"slices"
	"strconv"
	"strings"
)

// Signals is what is known about the surroundings of a run. The zero value knows nothing, so that a tool with any
// requirement is hidden. The functions tell only whether something is there: values of secrets stay where they are.
type Signals struct {
	Auth    func(name string) bool // whether there are credentials of that name
	Config  func(key string) bool  // whether the setting has a value
	Env     func(name string) bool // whether the environment variable has a value
	Plugin  func(name string) bool // whether the plugin is switched on
	Context map[string]string      // by key, see ContextChannel and its neighbours
	Depth   int                    // as in Scope
}

// Keys of Signals.Context.
const (
	ContextChannel = "channel" // kind of the messenger: "slack"
	ContextRole    = "role"    // of the person: "admin"
	ContextPlace   = "place"   // PlaceDirect, PlaceChat or PlaceTopic
	ContextDepth   = "depth"   // Signals.Depth as a number; not in the map
)

// Values of ContextPlace.
const (
	PlaceDirect = "direct" // alone with one person
	PlaceChat   = "chat"
	PlaceTopic  = "topic" // a topic or thread of a chat
)

func (s Signals) context(key string) string {
	if key == ContextDepth {
		return strconv.Itoa(s.Depth)
	}
	return s.Context[key]
}

// Requirement says what a tool needs and whether it is there; a verdict that hides is something missing. It is asked
// once per tool and run, and must be quick: no I/O. What it returns is only read, so it may be the same each time.
type Requirement func(s Signals) []Verdict

// requires is the layer of all requirements.
const requires = "requires"

// verdicts may be called on nil, which needs nothing.
func (r Requirement) verdicts(s Signals) []Verdict {
	if r == nil {
		return nil
	}
	return r(s)
}

// NeedsAuth wants credentials of that name.
func NeedsAuth(name string) Requirement {
	return need("credentials for "+name, func(s Signals) bool { return s.Auth != nil && s.Auth(name) })
}

// NeedsConfig wants a value for a setting.
func NeedsConfig(key string) Requirement {
	return need("the setting "+key, func(s Signals) bool { return s.Config != nil && s.Config(key) })
}

// NeedsEnv wants a value for an environment variable.
func NeedsEnv(name string) Requirement {
	return need("the environment variable "+name, func(s Signals) bool { return s.Env != nil && s.Env(name) })
}

// NeedsPlugin wants a plugin switched on.
func NeedsPlugin(name string) Requirement {
	return need("the plugin "+name, func(s Signals) bool { return s.Plugin != nil && s.Plugin(name) })
}

// NeedsContext wants one of the values for a key of the context; no values stand for any value.
func NeedsContext(key string, values ...string) Requirement {
	values = slices.Clone(values)
	rule := "a known " + key
	if len(values) > 0 {
		rule = key + " " + strings.Join(values, " or ")
	}
	return need(rule, func(s Signals) bool {
		got := s.context(key)
		if len(values) == 0 {
			return got != ""
		}
		return slices.Contains(values, got)
	})
}

func need(rule string, there func(Signals) bool) Requirement {
	met, unmet := []Verdict{{Layer: requires, Rule: rule}}, []Verdict{{Layer: requires, Rule: rule, Hides: true}}
	return func(s Signals) []Verdict {
		if there(s) {
			return met
		}
		return unmet
	}
}

// AllOf wants everything.
func AllOf(rs ...Requirement) Requirement {
	return func(s Signals) []Verdict {
		var all []Verdict
		for _, r := range rs {
			all = append(all, r.verdicts(s)...)
		}
		return all
	}
}

// AnyOf wants one of its branches, and says the first that is there. When none is, one verdict tells what is missing in
// every branch. Without branches there is nothing that could be there, and the tool stays hidden.
func AnyOf(rs ...Requirement) Requirement {
	return func(s Signals) []Verdict {
		var branches []string
		for _, r := range rs {
			said := r.verdicts(s)
			missing := hidingOf(said)
			if len(missing) == 0 {
				return said
			}
			rules := make([]string, len(missing))
			for i, v := range missing {
				rules[i] = v.Rule
			}
			branches = append(branches, strings.Join(rules, " and "))
		}
		if len(branches) == 0 {
			branches = []string{"one of nothing"}
		}
		return []Verdict{{Layer: requires, Rule: strings.Join(branches, ", or "), Hides: true}}
	}
}
