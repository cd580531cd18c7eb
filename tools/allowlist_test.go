package tools_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/leadhand/leadhand/tools"
)

func TestCapGate(t *testing.T) {
	t.Parallel()
	ts := []tools.Tool{named("exec", 0), named("read_file", 0), named("web_search", 0)}
	ts[1].Group = "fs"
	all := []string{"exec", "read_file", "web_search"}
	for name, tc := range map[string]struct {
		limit   tools.Allowlist
		visible []string
		rule    string // of the verdicts that hide
	}{
		"no limit":      {tools.Allowlist{}, all, ""},
		"names, no cap": {tools.Allowlist{Names: []string{"exec"}}, all, ""},
		"two tools": {
			tools.Allowlist{Limited: true, Names: []string{"web_search", "read_file"}},
			[]string{"read_file", "web_search"}, "this place allows only read_file, web_search",
		},
		"a group": {
			tools.Allowlist{Limited: true, Names: []string{"group:fs"}},
			[]string{"read_file"}, "this place allows only group:fs",
		},
		"an empty list": {tools.Allowlist{Limited: true}, nil, "this place allows no tools"},
		"another case":  {tools.Allowlist{Limited: true, Names: []string{"EXEC"}}, nil, "this place allows only EXEC"},
		"a deny alone":  {tools.Allowlist{Denied: []string{"exec"}}, all[1:], "this place allows no exec"},
		"a deny beats the names": {
			tools.Allowlist{Limited: true, Names: []string{"*"}, Denied: []string{"group:fs"}},
			[]string{"exec", "web_search"}, "this place allows no group:fs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, ts, tools.CapGate(tc.limit))
			if diff := cmp.Diff(tc.visible, visible(plan)); diff != "" {
				t.Errorf("visible -want +got:\n%s", diff)
			}
			for _, h := range plan.Hidden {
				want := []tools.Verdict{{Layer: "place", Rule: tc.rule, Hides: true}}
				if diff := cmp.Diff(want, h.Verdicts); diff != "" {
					t.Errorf("%s -want +got:\n%s", h.Name, diff)
				}
			}
		})
	}
}

func TestListGateNamesTheLayerAndWhereTheListComesFrom(t *testing.T) {
	t.Parallel()
	list := tools.Allowlist{Limited: true, Names: []string{"group:web", "exec"}, Denied: []string{"exec"}}
	plan := mustPlan(t, []tools.Tool{named("exec", 0)},
		tools.ListGate("topic Design", "set by @c, 3 Nov", list),
		tools.ListGate("you (member)", "", tools.Allowlist{Denied: []string{"group:runtime"}}))
	said, err := plan.Why("exec")
	want := []string{
		"topic Design: only exec, group:web (set by @c, 3 Nov)",
		"topic Design: no exec (set by @c, 3 Nov), hides",
		"you (member): no group:runtime",
	}
	if diff := cmp.Diff(want, lines(said)); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
}

// Rows that were stored before there were groups and denies must go on to mean the same.
func TestAllowlistReadsWhatWasStored(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string][]string{
		`{}`:                                     {"exec", "read_file"},
		`{"limited":true}`:                       nil,
		`{"limited":true,"names":["read_file"]}`: {"read_file"},
	} {
		var list tools.Allowlist
		if err := json.Unmarshal([]byte(stored), &list); err != nil {
			t.Fatal(err)
		}
		plan := mustPlan(t, []tools.Tool{named("exec", 0), named("read_file", 0)}, tools.CapGate(list))
		if diff := cmp.Diff(want, visible(plan)); diff != "" {
			t.Errorf("%s -want +got:\n%s", stored, diff)
		}
		again, err := json.Marshal(list)
		if err != nil || string(again) != stored {
			t.Errorf("%s is stored again as %s, %v", stored, again, err)
		}
	}
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	limit := func(names ...string) tools.Allowlist { return tools.Allowlist{Limited: true, Names: names} }
	deny := func(names ...string) tools.Allowlist { return tools.Allowlist{Denied: names} }
	for name, tc := range map[string]struct{ a, b, want tools.Allowlist }{
		"nothing with nothing":  {tools.Allowlist{}, tools.Allowlist{}, tools.Allowlist{}},
		"a limit with nothing":  {limit("exec"), tools.Allowlist{}, limit("exec")},
		"nothing with a limit":  {tools.Allowlist{}, limit("exec"), limit("exec")},
		"the same limit twice":  {limit("a", "b"), limit("b", "a", "a"), limit("a", "b")},
		"an empty limit":        {limit("exec"), limit(), limit()},
		"two denies":            {deny("b", "a"), deny("c", "a"), deny("a", "b", "c")},
		"names without a limit": {limit("a"), tools.Allowlist{Names: []string{"b"}}, limit("a")},
		"two limits": {limit("group:fs"), limit("read_file"), tools.Allowlist{
			Limited: true, Names: []string{"group:fs"}, Within: [][]string{{"read_file"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.a.Narrow(tc.b)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNarrowNeverWidens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := someAllowlist(t, "a"), someAllowlist(t, "b"), someAllowlist(t, "c")
		narrow := a.Narrow(b).Narrow(c)
		raw, err := json.Marshal(narrow)
		if err != nil {
			t.Fatal(err)
		}
		var stored tools.Allowlist
		if err := json.Unmarshal(raw, &stored); err != nil {
			t.Fatal(err)
		}
		for _, d := range zoo() {
			want := a.Allows(&d) && b.Allows(&d) && c.Allows(&d)
			if narrow.Allows(&d) != want || stored.Allows(&d) != want {
				t.Fatalf("%s: %v, stored %v, want %v: %s", d.Name, narrow.Allows(&d), stored.Allows(&d), want, raw)
			}
			if again := narrow.Narrow(a); again.Allows(&d) != want {
				t.Fatalf("%s: narrowing again changes the answer", d.Name)
			}
		}
	})
}

func TestGateOfAllowlistDecidesAsTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := someAllowlist(t, "list").Narrow(someAllowlist(t, "other"))
		gate := tools.CapGate(list)
		for _, d := range zoo() {
			hides := slices.ContainsFunc(gate(&d), func(v tools.Verdict) bool { return v.Hides })
			if hides == list.Allows(&d) {
				t.Fatalf("%s: hidden %v by %+v", d.Name, hides, list)
			}
		}
	})
}

// zoo has a tool of every kind that selectors tell apart.
func zoo() []tools.Descriptor {
	return []tools.Descriptor{
		{Name: "exec", Group: "runtime", Source: tools.BuiltIn},
		{Name: "read_file", Group: "fs", Source: tools.BuiltIn},
		{Name: "web_search", Group: "web", Source: tools.BuiltIn},
		{Name: "wiki_find", Group: "web", Source: tools.MCPSource("wiki")},
		{Name: "jira_find", Source: tools.MCPSource("jira")},
		{Name: "deploy", Source: "custom"},
	}
}

func someSelectors() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom([]string{
		"exec", "read_file", "wiki_find", "gone", "group:fs", "group:web", "group:mcp", "group:leadhand", "group:media",
		"mcp:wiki", "mcp:jira", "mcp:gone", "*",
	}), 0, 4)
}

func someAllowlist(t *rapid.T, label string) tools.Allowlist {
	return tools.Allowlist{
		Limited: rapid.Bool().Draw(t, label+" limited"),
		Names:   someSelectors().Draw(t, label+" names"),
		Denied:  someSelectors().Draw(t, label+" denied"),
	}
}
