package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

type noParams struct{}

// named is a tool that says its own name.
func named(name string, effect tools.Effect) tools.Tool {
	return tools.New(tools.Descriptor{Name: name, Effect: effect},
		func(context.Context, *tools.Call, noParams) (*tools.Result, error) { return tools.Text(name), nil })
}

func mustPlan(t *testing.T, ts []tools.Tool, gates ...tools.Gate) *tools.Plan {
	t.Helper()
	plan, err := tools.BuildPlan(ts, gates...)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func visible(p *tools.Plan) []string {
	var names []string
	for _, t := range p.Visible {
		names = append(names, t.Name)
	}
	return names
}

// only hides all but one tool.
func only(layer, name string) tools.Gate {
	return func(d *tools.Descriptor) *tools.Diagnostic {
		if d.Name == name {
			return nil
		}
		return &tools.Diagnostic{Layer: layer, Reason: layer + " wants only " + name}
	}
}

func TestPlanIsOrderedByNameWhateverTheOrderOfTheSources(t *testing.T) {
	t.Parallel()
	ts := []tools.Tool{named("write_file", 0), named("exec", 0), named("read_file", 0)}
	want := []string{"exec", "read_file", "write_file"}
	for range 3 {
		if diff := cmp.Diff(want, visible(mustPlan(t, ts))); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		ts = append(ts[1:], ts[0])
	}
}

func TestGatesAreJoinedByAndAndKeepAllReasons(t *testing.T) {
	t.Parallel()
	ts := []tools.Tool{named("a", 0), named("b", 0), named("c", 0)}
	plan := mustPlan(t, ts, only("policy", "a"), only("role", "b"))
	got := map[string][]tools.Diagnostic{}
	for _, h := range plan.Hidden {
		got[h.Name] = h.Diagnostics
	}
	policy := tools.Diagnostic{Layer: "policy", Reason: "policy wants only a"}
	role := tools.Diagnostic{Layer: "role", Reason: "role wants only b"}
	want := map[string][]tools.Diagnostic{"a": {role}, "b": {policy}, "c": {policy, role}}
	if diff := cmp.Diff(want, got); diff != "" || len(plan.Visible) != 0 {
		t.Errorf("visible %v; hidden -want +got:\n%s", visible(plan), diff)
	}
}

func TestCapGate(t *testing.T) {
	t.Parallel()
	ts := []tools.Tool{named("exec", 0), named("read_file", 0), named("web_search", 0)}
	for name, tc := range map[string]struct {
		limit   tools.Allowlist
		visible []string
		reason  string
	}{
		"no limit":      {tools.Allowlist{}, []string{"exec", "read_file", "web_search"}, ""},
		"names, no cap": {tools.Allowlist{Names: []string{"exec"}}, []string{"exec", "read_file", "web_search"}, ""},
		"two tools": {
			tools.Allowlist{Limited: true, Names: []string{"web_search", "read_file"}},
			[]string{"read_file", "web_search"}, "this place allows only read_file, web_search",
		},
		"an empty list": {tools.Allowlist{Limited: true}, nil, "this place allows no tools"},
		"another case":  {tools.Allowlist{Limited: true, Names: []string{"EXEC"}}, nil, "this place allows only EXEC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, ts, tools.CapGate(tc.limit))
			if diff := cmp.Diff(tc.visible, visible(plan)); diff != "" {
				t.Errorf("visible -want +got:\n%s", diff)
			}
			for _, h := range plan.Hidden {
				want := []tools.Diagnostic{{Layer: "place", Reason: tc.reason}}
				if diff := cmp.Diff(want, h.Diagnostics); diff != "" {
					t.Errorf("%s -want +got:\n%s", h.Name, diff)
				}
			}
		})
	}
}

func TestLookupTellsWhyNot(t *testing.T) {
	t.Parallel()
	ts := []tools.Tool{named("exec", 0), named("read_file", 0), named("web_search", 0), named("write_file", 0)}
	limit := tools.Allowlist{Limited: true, Names: []string{"web_search", "read_file"}}
	plan := mustPlan(t, ts, tools.CapGate(limit), only("role", "read_file"))
	none := mustPlan(t, ts, tools.CapGate(tools.Allowlist{Limited: true}))
	for _, tc := range []struct {
		plan *tools.Plan
		name string
		want string
	}{
		{plan, "exec", "may not be used here: this place allows only read_file, web_search; role wants only read_file"},
		{plan, "file_read", "the nearest are: read_file"},
		{plan, "READ_FILE", "the nearest are: read_file"},
		{plan, "Exec", `there is no tool "Exec"; use only the tools that are offered`},
		{plan, "zzz", "use only the tools that are offered"},
		{none, "zzz", "no tools may be used here"},
		{none, "exec", "this place allows no tools"},
		{plan, strings.Repeat("x", 1<<16), "there is no tool"},
	} {
		_, err := tc.plan.Lookup(tc.name)
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 300 {
			t.Errorf("Lookup(%.20q): %v, want %q", tc.name, err, tc.want)
		}
	}
	if tool, err := plan.Lookup("read_file"); err != nil || tool.Name != "read_file" {
		t.Errorf("Lookup(read_file) = %v, %v", tool, err)
	}
}

func TestPlanRefusesDefectiveTools(t *testing.T) {
	t.Parallel()
	with := func(change func(*tools.Tool)) []tools.Tool {
		t := named("a", 0)
		t.Source = "server x"
		change(&t)
		return []tools.Tool{named("b", 0), t}
	}
	input := func(schema string) []tools.Tool { return with(func(t *tools.Tool) { t.Input = []byte(schema) }) }
	for name, tc := range map[string]struct {
		ts   []tools.Tool
		want string
	}{
		"no executor":              {with(func(t *tools.Tool) { t.Executor = nil }), "no executor"},
		"no name":                  {with(func(t *tools.Tool) { t.Name = "" }), "a name is"},
		"a name with a dot":        {with(func(t *tools.Tool) { t.Name = "a.b" }), "a name is"},
		"a name with a line break": {with(func(t *tools.Tool) { t.Name = "a\n" }), "a name is"},
		"a long name":              {with(func(t *tools.Tool) { t.Name = strings.Repeat("a", 65) }), "a name is"},
		"a name that exists":       {with(func(t *tools.Tool) { t.Name = "b" }), "already has a tool of that name"},
		"a name in another case":   {with(func(t *tools.Tool) { t.Name = "B" }), "already has a tool of that name"},
		"no schema":                {input(""), "unreadable"},
		"a schema that is no JSON": {input("{"), "unreadable"},
		"a schema of null":         {input("null"), `must have "type": "object"`},
		"a schema of a string":     {input(`{"type":"string"}`), `must have "type": "object"`},
		"a schema without a type":  {input(`{}`), `must have "type": "object"`},
		"properties in an array":   {input(`{"type":"object","properties":[]}`), "unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tools.BuildPlan(tc.ts)
			fault, ok := errors.AsType[*tools.PlanError](err)
			if !ok || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want a PlanError with %q", err, tc.want)
			}
			if len(fault.Faults) != 1 {
				t.Errorf("got %d faults, want 1: %v", len(fault.Faults), fault)
			}
		})
	}
	many := slices.Concat(input("1"), input("2"))
	if _, err := tools.BuildPlan(many); err == nil || strings.Count(err.Error(), "schema") != 2 {
		t.Errorf("not all faults are told: %v", err)
	}
}
