package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Rules say which tools may be used, for the whole bot or for one agent. The lists are selectors (see [Matches]). For
// the allow lists nil says nothing, and an empty list allows no tools.
type Rules struct {
	Profile string   `yaml:"profile" json:"profile,omitempty"` // see Profiles; empty: none
	Allow   []string `yaml:"allow" json:"allow,omitzero"`      // only these
	Deny    []string `yaml:"deny" json:"deny,omitempty"`       // never these, whatever else allows them
	// AlsoAllow brings back what profiles and allow lists left out. It never brings back what is denied.
	AlsoAllow []string                 `yaml:"also_allow" json:"also_allow,omitempty"`
	Providers map[string]ProviderRules `yaml:"providers" json:"providers,omitempty"` // by the name of a model provider
	// SubagentDeny and LeafDeny are denied to subagents, and to subagents that can't have children, beside what is
	// denied to them anyway.
	SubagentDeny []string `yaml:"subagent_deny" json:"subagent_deny,omitempty"`
	LeafDeny     []string `yaml:"leaf_deny" json:"leaf_deny,omitempty"`
}

// ProviderRules hold while the model of one provider is used.
type ProviderRules struct {
	Profile string   `yaml:"profile" json:"profile,omitempty"` // instead of the one in Rules
	Allow   []string `yaml:"allow" json:"allow,omitzero"`      // only these of those in Rules.Allow
}

// Check finds profiles, tools, groups and MCP servers that do not exist, each with the nearest that do.
func (r Rules) Check(ds []Descriptor) error {
	var errs []error
	add := func(key string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	add("profile", checkProfile(r.Profile))
	add("allow", CheckSelectors(r.Allow, ds))
	add("deny", CheckSelectors(r.Deny, ds))
	add("also_allow", CheckSelectors(r.AlsoAllow, ds))
	add("subagent_deny", CheckSelectors(r.SubagentDeny, ds))
	add("leaf_deny", CheckSelectors(r.LeafDeny, ds))
	for _, name := range slices.Sorted(maps.Keys(r.Providers)) {
		key := "providers." + name
		add(key+".profile", checkProfile(r.Providers[name].Profile))
		add(key+".allow", CheckSelectors(r.Providers[name].Allow, ds))
	}
	return errors.Join(errs...)
}

// DefaultMaxDepth is how deep subagents go when nothing else is set: they have no children of their own.
const DefaultMaxDepth = 1

// SubagentDenied are the tools that no subagent has.
func SubagentDenied() []string {
	return []string{
		"cron",                        // what it sets up would go on after it, and nobody would know whose it is
		"memory_search", "memory_get", // it knows what its task tells it; the memory is about the person, not the task
		"message", "sessions_send", // it answers its parent, and only the parent talks to others
		"session_status", // it would tell of the subagent, where people want to hear of the parent
	}
}

// LeafDenied are the tools that subagents at the greatest depth do not have either: all are for work with children.
func LeafDenied() []string { return []string{"spawn", "sessions_list", "sessions_history"} }

// Policy is everything that rules of the bot and of an agent say about the tools of a run.
type Policy struct {
	Global    Rules
	Agent     Rules
	AgentName string   // for the words of the verdicts
	Group     []string // allow list of the chat's group; nil: none
	Provider  string   // whose model the agent uses
	// Depth is how many spawns deep the run is, 0 for one that is no subagent. Scope.Depth is not the same: it also
	// counts work that was handed to another agent, which keeps that agent's own tools.
	Depth    int
	MaxDepth int // the depth at which subagents have no children; 0 means DefaultMaxDepth
}

// Gate asks the layers in this order: profiles and allow lists, which all have to keep a tool; deny lists, which beat
// everything; also-allow lists; and what is denied to subagents. Each layer that is set gives one verdict, an
// also-allow list only about the tools it names.
//
// Also-allow lists undo verdicts of profiles and allow lists and no others: a deny is written by somebody who wants the
// tool gone, and must not depend on what is added elsewhere.
func (p Policy) Gate() Gate {
	keeps, also := p.keeps(), p.also()
	denies, last := p.denies(), p.subagents()
	return func(d *Descriptor) []Verdict {
		said := make([]Verdict, 0, len(keeps)+len(denies)+len(also)+len(last))
		added := slices.IndexFunc(also, func(l layer) bool { return l.matches(d) })
		for i := range keeps {
			v := keeps[i].verdict(d)
			if keeps[i].replaced != "" {
				v = v.lift(keeps[i].replaced)
			}
			if added >= 0 {
				v = v.lift(also[added].lifts)
			}
			said = append(said, v)
		}
		for i := range denies {
			said = append(said, denies[i].verdict(d))
		}
		for i := range also {
			if v := also[i].verdict(d); !v.Hides {
				said = append(said, v)
			}
		}
		for i := range last {
			said = append(said, last[i].verdict(d))
		}
		return said
	}
}

func (p *Policy) agent() string {
	if p.AgentName == "" {
		return "agent"
	}
	return "agent " + p.AgentName
}

// keeps are the profiles and allow lists.
func (p *Policy) keeps() []layer {
	global := p.Global
	if global.Profile == "" {
		global.Profile = ProfileFull
	}
	layers := slices.Concat(
		global.profiles("global", p.Provider), p.Agent.profiles(p.agent(), p.Provider),
		global.allows("global", p.Provider), p.Agent.allows(p.agent(), p.Provider),
	)
	return append(layers, allowLayer("group allow", p.Group)...)
}

func (p *Policy) denies() []layer {
	return append(denyLayer("global deny", p.Global.Deny), denyLayer(p.agent()+" deny", p.Agent.Deny)...)
}

func (p *Policy) also() []layer {
	return append(alsoLayer("global also allow", p.Global.AlsoAllow),
		alsoLayer(p.agent()+" also allow", p.Agent.AlsoAllow)...)
}

func (p *Policy) subagents() []layer {
	if p.Depth <= 0 {
		return nil
	}
	denied := slices.Concat(SubagentDenied(), p.Global.SubagentDeny, p.Agent.SubagentDeny)
	layers := denyLayer("subagent deny", denied)
	most := p.MaxDepth
	if most <= 0 {
		most = DefaultMaxDepth
	}
	if p.Depth >= most {
		denied = slices.Concat(LeafDenied(), p.Global.LeafDeny, p.Agent.LeafDeny)
		layers = append(layers, denyLayer("deepest subagent deny", denied)...)
	}
	return layers
}

// profiles are the profile and the one that a provider has instead.
func (r *Rules) profiles(whose, provider string) []layer {
	var layers []layer
	if r.Profile != "" {
		layers = append(layers, profileLayer(whose+" profile", r.Profile))
	}
	special := r.Providers[provider].Profile
	if special == "" {
		return layers
	}
	for i := range layers {
		layers[i].replaced = "replaced by the profile for " + provider
	}
	return append(layers, profileLayer(whose+" profile for "+provider, special))
}

func (r *Rules) allows(whose, provider string) []layer {
	return append(allowLayer(whose+" allow", r.Allow),
		allowLayer(whose+" allow for "+provider, r.Providers[provider].Allow)...)
}

// profileLayer keeps no tool at all for a profile that is not known: rules may be older than the program.
func profileLayer(name, profile string) layer {
	selectors, ok := ProfileSelectors(profile)
	if !ok {
		return layer{name: name, rule: fmt.Sprintf("no tools, because there is no profile %q", abridge(profile))}
	}
	return layer{name: name, rule: profile, selectors: selectors}
}

func allowLayer(name string, selectors []string) []layer {
	if selectors == nil {
		return nil
	}
	return []layer{{name: name, rule: onlyWords(selectors), selectors: selectors}}
}

func denyLayer(name string, selectors []string) []layer {
	if len(selectors) == 0 {
		return nil
	}
	return []layer{{name: name, rule: noWords(selectors), selectors: selectors, drops: true}}
}

func alsoLayer(name string, selectors []string) []layer {
	if len(selectors) == 0 {
		return nil
	}
	return []layer{{name: name, rule: "also " + listed(selectors), selectors: selectors, lifts: "lifted by " + name}}
}
