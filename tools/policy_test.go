package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

// office has tools of all groups that policies name.
func office() []tools.Tool {
	var ts []tools.Tool
	for name, group := range map[string]string{
		"cron": "automation", "exec": "runtime", "message": "messaging", "read_file": "fs", "read_image": "media",
		"session_status": "sessions", "sessions_list": "sessions", "spawn": "sessions", "web_search": "web",
		"write_file": "fs",
	} {
		t := named(name, 0)
		t.Group = group
		ts = append(ts, t)
	}
	wiki := named("wiki_find", 0)
	wiki.Source = tools.MCPSource("wiki")
	return append(ts, wiki)
}

// ruling is one layer that is set alone.
type ruling struct {
	name  string
	set   func(p *tools.Policy)
	kind  string   // "keep", "drop" or "also"
	names []string // the tools that are kept, dropped or added
	line  string   // what the layer says about one of the tools that it hides or adds
}

// Names in profiles, of those in the office.
const (
	codingNames = "exec read_file read_image session_status sessions_list spawn web_search write_file"
	chatNames   = "message read_image session_status sessions_list web_search"
)

func rulings() []ruling {
	only := func(names ...string) tools.ProviderRules { return tools.ProviderRules{Allow: names} }
	keep := func(name, names, line string, set func(p *tools.Policy)) ruling {
		return ruling{name, set, "keep", strings.Fields(names), line}
	}
	drop := func(name, names, line string, set func(p *tools.Policy)) ruling {
		return ruling{name, set, "drop", strings.Fields(names), line}
	}
	also := func(name, names, line string, set func(p *tools.Policy)) ruling {
		return ruling{name, set, "also", strings.Fields(names), line}
	}
	// A provider has a profile and a list in one struct, so each is set without the other.
	provider := func(of *map[string]tools.ProviderRules, change func(*tools.ProviderRules)) {
		r := (*of)["openai"]
		change(&r)
		*of = map[string]tools.ProviderRules{"openai": r}
	}
	return []ruling{
		keep("global profile", codingNames, "global profile: coding, hides",
			func(p *tools.Policy) { p.Global.Profile = "coding" }),
		keep("provider profile", chatNames, "global profile for openai: messaging, hides",
			func(p *tools.Policy) {
				provider(&p.Global.Providers, func(r *tools.ProviderRules) { r.Profile = "messaging" })
			}),
		keep("agent profile", "session_status", "agent lead profile: minimal, hides",
			func(p *tools.Policy) { p.Agent.Profile = "minimal" }),
		keep("global allow", "read_file write_file spawn", "global allow: only group:fs, spawn, hides",
			func(p *tools.Policy) { p.Global.Allow = []string{"group:fs", "spawn"} }),
		keep("provider allow", "web_search exec wiki_find", "global allow for openai: only exec, mcp:wiki, web_search, hides",
			func(p *tools.Policy) {
				provider(&p.Global.Providers, func(r *tools.ProviderRules) {
					r.Allow = only("exec", "web_search", "mcp:wiki").Allow
				})
			}),
		keep("agent allow", "wiki_find message read_file", "agent lead allow: only group:mcp, message, read_file, hides",
			func(p *tools.Policy) { p.Agent.Allow = []string{"group:mcp", "message", "read_file"} }),
		keep("agent and provider allow", "exec read_file", "agent lead allow for openai: only exec, read_file, hides",
			func(p *tools.Policy) {
				p.Agent.Providers = map[string]tools.ProviderRules{"openai": only("exec", "read_file")}
			}),
		keep("group allow", "", "group allow: no tools, hides", func(p *tools.Policy) { p.Group = []string{} }),
		drop("global deny", "exec wiki_find", "global deny: no exec, mcp:wiki, hides",
			func(p *tools.Policy) { p.Global.Deny = []string{"exec", "mcp:wiki"} }),
		drop("agent deny", "read_file write_file", "agent lead deny: no group:fs, hides",
			func(p *tools.Policy) { p.Agent.Deny = []string{"group:fs"} }),
		also("global also allow", "exec", "global also allow: also exec",
			func(p *tools.Policy) { p.Global.AlsoAllow = []string{"exec"} }),
		also("agent also allow", "web_search read_file write_file", "agent lead also allow: also group:fs, group:web",
			func(p *tools.Policy) { p.Agent.AlsoAllow = []string{"group:web", "group:fs"} }),
		drop("subagent", "cron message session_status",
			"subagent deny: no cron, memory_get, memory_search, message, session_status, sessions_send, hides",
			func(p *tools.Policy) { p.Depth, p.MaxDepth = 1, max(p.MaxDepth, 2) }),
		drop("deepest subagent", "cron message session_status sessions_list spawn",
			"deepest subagent deny: no sessions_history, sessions_list, spawn, hides",
			func(p *tools.Policy) { p.Depth, p.MaxDepth = 2, 2 }),
	}
}

// offered are the tools that the layers leave, by the plain rule: every keep has a tool or an also adds it, and no drop
// has it.
func offered(rs ...ruling) []string {
	var names []string
	for _, t := range office() {
		kept, added, dropped := true, false, false
		for _, r := range rs {
			has := slices.Contains(r.names, t.Name)
			switch r.kind {
			case "keep":
				kept = kept && has
			case "drop":
				dropped = dropped || has
			case "also":
				added = added || has
			}
		}
		if (kept || added) && !dropped {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}

func rule(rs ...ruling) tools.Policy {
	p := tools.Policy{AgentName: "lead", Provider: "openai"}
	for _, r := range rs {
		r.set(&p)
	}
	return p
}

func TestPolicyLayerAlone(t *testing.T) {
	t.Parallel()
	for _, r := range rulings() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, office(), rule(r).Gate())
			if diff := cmp.Diff(offered(r), visible(plan)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			found := false
			for _, tool := range office() {
				said, err := plan.Why(tool.Name)
				if err != nil {
					t.Fatal(err)
				}
				found = found || slices.Contains(lines(said), r.line)
			}
			if !found {
				t.Errorf("nothing says %q", r.line)
			}
		})
	}
}

func TestPairsOfPolicyLayers(t *testing.T) {
	t.Parallel()
	all := rulings()
	for i, a := range all {
		for _, b := range all[i+1:] {
			want := offered(a, b)
			if a.name == "global profile" && b.name == "provider profile" {
				want = offered(b)
			}
			plan := mustPlan(t, office(), rule(a, b).Gate())
			if diff := cmp.Diff(want, visible(plan)); diff != "" {
				t.Errorf("%s and %s -want +got:\n%s", a.name, b.name, diff)
			}
		}
	}
}

func TestPolicyWithoutRulesAllowsEverything(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, office(), tools.Policy{}.Gate())
	if len(plan.Hidden) != 0 {
		t.Errorf("hidden: %+v", plan.Hidden)
	}
	said, err := plan.Why("exec")
	if diff := cmp.Diff([]string{"global profile: full"}, lines(said)); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
}

func TestPolicySpeaksInTheOrderOfItsLayers(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, office(), rule(rulings()...).Gate())
	for name, want := range map[string][]string{
		"exec": {
			"global profile: coding",
			"global profile for openai: messaging; lifted by global also allow",
			"agent lead profile: minimal; lifted by global also allow",
			"global allow: only group:fs, spawn; lifted by global also allow",
			"global allow for openai: only exec, mcp:wiki, web_search",
			"agent lead allow: only group:mcp, message, read_file; lifted by global also allow",
			"agent lead allow for openai: only exec, read_file",
			"group allow: no tools; lifted by global also allow",
			"global deny: no exec, mcp:wiki, hides",
			"agent lead deny: no group:fs",
			"global also allow: also exec",
			"subagent deny: no cron, memory_get, memory_search, message, session_status, sessions_send",
			"deepest subagent deny: no sessions_history, sessions_list, spawn",
		},
		"cron": {
			"global profile: coding; replaced by the profile for openai",
			"global profile for openai: messaging, hides",
			"agent lead profile: minimal, hides",
			"global allow: only group:fs, spawn, hides",
			"global allow for openai: only exec, mcp:wiki, web_search, hides",
			"agent lead allow: only group:mcp, message, read_file, hides",
			"agent lead allow for openai: only exec, read_file, hides",
			"group allow: no tools, hides",
			"global deny: no exec, mcp:wiki",
			"agent lead deny: no group:fs",
			"subagent deny: no cron, memory_get, memory_search, message, session_status, sessions_send, hides",
			"deepest subagent deny: no sessions_history, sessions_list, spawn",
		},
	} {
		said, err := plan.Why(name)
		if diff := cmp.Diff(want, lines(said)); diff != "" || err != nil {
			t.Errorf("%s: %v -want +got:\n%s", name, err, diff)
		}
	}
}

func TestPolicyDetails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		policy tools.Policy
		hidden []string
		why    string // of the first hidden one
	}{
		"rules for another provider": {
			tools.Policy{Provider: "gemini", Global: tools.Rules{
				Providers: map[string]tools.ProviderRules{"openai": {Profile: "minimal", Allow: []string{}}},
			}}, nil, "",
		},
		"a provider may have a wider profile": {
			tools.Policy{Provider: "gemini", Global: tools.Rules{
				Profile: "minimal", Providers: map[string]tools.ProviderRules{"gemini": {Profile: "full"}},
			}}, nil, "",
		},
		"a profile that is not known": {
			tools.Policy{Global: tools.Rules{Profile: "codng", Deny: []string{"exec"}, AlsoAllow: []string{"*"}}},
			[]string{"exec"}, "global deny: no exec",
		},
		"an agent without a name": {
			tools.Policy{Agent: tools.Rules{Deny: []string{"exec"}}}, []string{"exec"}, "agent deny: no exec",
		},
		"one more tool is denied to subagents": {
			tools.Policy{Depth: 1, MaxDepth: 3, Agent: tools.Rules{SubagentDeny: []string{"exec"}, LeafDeny: []string{"*"}}},
			[]string{"cron", "exec", "message", "session_status"},
			"subagent deny: no cron, exec, memory_get, memory_search, message, session_status, sessions_send",
		},
		"subagents have no children unless told": {
			tools.Policy{Depth: 1}, []string{"cron", "message", "session_status", "sessions_list", "spawn"},
			"subagent deny: no cron, memory_get, memory_search, message, session_status, sessions_send",
		},
		"subagents get back nothing": {
			tools.Policy{Depth: 1, MaxDepth: 2, Agent: tools.Rules{AlsoAllow: []string{"*"}}},
			[]string{"cron", "message", "session_status"},
			"subagent deny: no cron, memory_get, memory_search, message, session_status, sessions_send",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, office(), tc.policy.Gate())
			var hidden []string
			for _, h := range plan.Hidden {
				hidden = append(hidden, h.Name)
			}
			if diff := cmp.Diff(tc.hidden, hidden); diff != "" {
				t.Fatalf("-want +got:\n%s", diff)
			}
			if tc.why != "" && plan.Hidden[0].Verdicts[0].String() != tc.why {
				t.Errorf("got %q, want %q", plan.Hidden[0].Verdicts[0], tc.why)
			}
		})
	}
	plan := mustPlan(t, office(), tools.Policy{Global: tools.Rules{Profile: "codng"}}.Gate())
	want := `global profile: no tools, because there is no profile "codng"`
	if len(plan.Visible) != 0 || plan.Hidden[0].Verdicts[0].String() != want {
		t.Errorf("an unknown profile: visible %v, %v", visible(plan), plan.Hidden[0].Verdicts)
	}
}
