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
	plan, err := tools.BuildPlan(ts, tools.Signals{}, gates...)
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
	return func(d *tools.Descriptor) []tools.Verdict {
		return []tools.Verdict{{Layer: layer, Rule: "only " + name, Hides: d.Name != name}}
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

func TestGatesAreJoinedByAndAndKeepAllVerdicts(t *testing.T) {
	t.Parallel()
	ts := []tools.Tool{named("a", 0), named("b", 0), named("c", 0)}
	silent := func(*tools.Descriptor) []tools.Verdict { return nil }
	plan := mustPlan(t, ts, only("policy", "a"), silent, only("role", "b"))
	got := map[string][]tools.Verdict{}
	for _, h := range plan.Hidden {
		got[h.Name] = h.Verdicts
	}
	policy := tools.Verdict{Layer: "policy", Rule: "only a", Hides: true}
	role := tools.Verdict{Layer: "role", Rule: "only b", Hides: true}
	want := map[string][]tools.Verdict{"a": {role}, "b": {policy}, "c": {policy, role}}
	if diff := cmp.Diff(want, got); diff != "" || len(plan.Visible) != 0 {
		t.Errorf("visible %v; hidden -want +got:\n%s", visible(plan), diff)
	}
}

func TestOneVerdictOfAGateHides(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, []tools.Tool{named("a", 0)}, func(*tools.Descriptor) []tools.Verdict {
		return []tools.Verdict{{Layer: "x", Rule: "all"}, {Layer: "y", Rule: "no a", Hides: true}, {Layer: "z", Rule: "all"}}
	})
	want := []tools.Verdict{{Layer: "y", Rule: "no a", Hides: true}}
	if len(plan.Visible) != 0 || !cmp.Equal(want, plan.Hidden[0].Verdicts) {
		t.Errorf("got %+v", plan)
	}
}

func TestWhyTellsEveryVerdictInOrder(t *testing.T) {
	t.Parallel()
	exec := named("exec", 0)
	exec.Requires = tools.NeedsEnv("SHELL")
	plan := mustPlan(t, []tools.Tool{exec, named("read_file", 0)}, only("policy", "read_file"), only("role", "read_file"))
	for name, want := range map[string][]string{
		"exec": {
			"requires: the environment variable SHELL, hides", "policy: only read_file, hides", "role: only read_file, hides",
		},
		"read_file": {"policy: only read_file", "role: only read_file"},
	} {
		said, err := plan.Why(name)
		if diff := cmp.Diff(want, lines(said)); diff != "" || err != nil {
			t.Errorf("%s: %v -want +got:\n%s", name, err, diff)
		}
	}
}

// lines are verdicts as a person sees them.
func lines(said []tools.Verdict) []string {
	var all []string
	for _, v := range said {
		line := v.String()
		if v.Hides {
			line += ", hides"
		}
		all = append(all, line)
	}
	return all
}

func TestWhyKnowsHiddenNames(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, []tools.Tool{named("exec", 0), named("read_file", 0)}, only("role", "read_file"))
	for name, want := range map[string]string{
		"exce":                    `there is no tool "exce"; the nearest are: exec`,
		"EXEC":                    "the nearest are: exec",
		"zzz":                     `there is no tool "zzz"; no other tool has a name like it`,
		strings.Repeat("x", 1000): "xxx...",
	} {
		if _, err := plan.Why(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Why(%.10q): %v, want %q", name, err, want)
		}
	}
}

func TestRefusalHasTheWordsOfTheHidingVerdicts(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, []tools.Tool{named("exec", 0), named("read_file", 0)},
		tools.Policy{AgentName: "lead", Agent: tools.Rules{Deny: []string{"exec"}}}.Gate(),
		tools.ListGate("topic Design", "set by @c, 3 Nov", tools.Allowlist{Limited: true, Names: []string{"read_file"}}))
	_, refusal := plan.Lookup("exec")
	said, err := plan.Why("exec")
	if err != nil || refusal == nil {
		t.Fatal(err, refusal)
	}
	for _, v := range said {
		if strings.Contains(refusal.Error(), v.String()) != v.Hides {
			t.Errorf("hides: %v, but the refusal is %q and the explanation has %q", v.Hides, refusal, v)
		}
	}
}

func TestVerdictsDoNotLeakFromOnePlanToAnother(t *testing.T) {
	t.Parallel()
	roomy := make([]tools.Verdict, 1, 10)
	roomy[0] = tools.Verdict{Layer: "requires", Rule: "nothing"}
	tool := named("a", 0)
	tool.Requires = func(tools.Signals) []tools.Verdict { return roomy }
	first := mustPlan(t, []tools.Tool{tool}, only("first", "a"))
	mustPlan(t, []tools.Tool{tool}, only("second", "b"))
	said, err := first.Why("a")
	if diff := cmp.Diff([]string{"requires: nothing", "first: only a"}, lines(said)); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
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
		{plan, "exec", "may not be used here: place: this place allows only read_file, web_search; role: only read_file"},
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
			_, err := tools.BuildPlan(tc.ts, tools.Signals{})
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
	if _, err := tools.BuildPlan(many, tools.Signals{}); err == nil || strings.Count(err.Error(), "schema") != 2 {
		t.Errorf("not all faults are told: %v", err)
	}
}
