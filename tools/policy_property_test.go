package tools_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/leadhand/leadhand/tools"
)

func someRules(t *rapid.T, label string) tools.Rules {
	list := func(name string) []string {
		names := someSelectors().Draw(t, label+" "+name)
		if rapid.Bool().Draw(t, label+" has "+name) {
			return names
		}
		return nil
	}
	return tools.Rules{
		Profile: rapid.SampledFrom(append(tools.Profiles(), "")).Draw(t, label+" profile"),
		Allow:   list("allow"), Deny: list("deny"), AlsoAllow: list("also"), SubagentDeny: list("subagent"),
		Providers: map[string]tools.ProviderRules{"openai": {
			Profile: rapid.SampledFrom(append(tools.Profiles(), "")).Draw(t, label+" provider profile"),
			Allow:   list("provider allow"),
		}},
	}
}

func somePolicy(t *rapid.T) tools.Policy {
	return tools.Policy{
		Global: someRules(t, "global"), Agent: someRules(t, "agent"), Provider: "openai",
		Depth: rapid.IntRange(0, 2).Draw(t, "depth"),
	}
}

// shown are the names of the zoo's tools that the gates let through.
func shown(t *rapid.T, gates ...tools.Gate) []string {
	var ts []tools.Tool
	for _, d := range zoo() {
		tool := named(d.Name, 0)
		tool.Group, tool.Source = d.Group, d.Source
		ts = append(ts, tool)
	}
	plan, err := tools.BuildPlan(ts, tools.Signals{}, gates...)
	if err != nil {
		t.Fatal(err)
	}
	return visible(plan)
}

func TestMoreGatesNeverWiden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gates := []tools.Gate{
			somePolicy(t).Gate(), tools.CapGate(someAllowlist(t, "cap")),
			tools.ListGate("role", "", someAllowlist(t, "role")),
		}
		before := shown(t)
		for i := range gates {
			now := shown(t, gates[:i+1]...)
			for _, name := range now {
				if !slices.Contains(before, name) {
					t.Fatalf("gate %d brought %s back", i, name)
				}
			}
			before = now
		}
	})
}

func TestDenyNeverShowsATool(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := somePolicy(t)
		before := shown(t, p.Gate())
		denied := someSelectors().Draw(t, "denied")
		for _, list := range []*[]string{&p.Global.Deny, &p.Agent.Deny, &p.Global.SubagentDeny, &p.Agent.LeafDeny} {
			*list = slices.Concat(*list, denied)
			now := shown(t, p.Gate())
			for _, name := range now {
				if !slices.Contains(before, name) {
					t.Fatalf("a deny brought %s back", name)
				}
			}
			before = now
		}
		for _, d := range zoo() {
			matches := func(s string) bool { return tools.Matches(s, &d) }
			if slices.Contains(before, d.Name) && slices.ContainsFunc(denied, matches) {
				t.Fatalf("%s is denied and offered", d.Name)
			}
		}
	})
}
