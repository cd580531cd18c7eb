package tools_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

func TestExcept(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("Tokyo", 9*60*60)
	now := time.Date(2025, 11, 3, 12, 30, 0, 0, zone)
	later := now.Add(2 * time.Hour)
	place := tools.ListGate("topic Design", "", tools.Allowlist{Limited: true, Names: []string{"read_file"}})
	const rule = "topic Design: only read_file"
	for name, tc := range map[string]struct {
		lifts []tools.Exception
		exec  string
	}{
		"none":              {nil, rule + ", hides"},
		"one that holds":    {[]tools.Exception{{[]string{"exec"}, later, "@a"}}, rule + "; lifted for you until 14:30 by @a"},
		"without a name":    {[]tools.Exception{{[]string{"exec"}, later, ""}}, rule + "; lifted for you until 14:30"},
		"of a group":        {[]tools.Exception{{[]string{"group:runtime"}, later, "@a"}}, rule + "; lifted for you until 14:30 by @a"},
		"until tomorrow":    {[]tools.Exception{{[]string{"*"}, now.AddDate(0, 0, 1), "@a"}}, rule + "; lifted for you until 4 Nov 12:30 by @a"},
		"in another zone":   {[]tools.Exception{{[]string{"exec"}, later.UTC(), "@a"}}, rule + "; lifted for you until 05:30 by @a"},
		"for another tool":  {[]tools.Exception{{[]string{"spawn"}, later, "@a"}}, rule + ", hides"},
		"that is over":      {[]tools.Exception{{[]string{"exec"}, now, "@a"}}, rule + ", hides"},
		"without an end":    {[]tools.Exception{{Selectors: []string{"exec"}, By: "@a"}}, rule + ", hides"},
		"without selectors": {[]tools.Exception{{nil, later, "@a"}}, rule + ", hides"},
		"the first that holds": {
			[]tools.Exception{{[]string{"exec"}, now, "@a"}, {[]string{"exec"}, later, "@b"}, {[]string{"*"}, later, "@c"}},
			rule + "; lifted for you until 14:30 by @b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, office(), tools.Except(place, tc.lifts, now))
			for tool, want := range map[string]string{"exec": tc.exec, "read_file": rule} {
				said, err := plan.Why(tool)
				if diff := cmp.Diff([]string{want}, lines(said)); diff != "" || err != nil {
					t.Errorf("%s: %v -want +got:\n%s", tool, err, diff)
				}
			}
		})
	}
}

func TestExceptionLiftsNoOtherGate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	lifts := []tools.Exception{{Selectors: []string{"*"}, Until: now.Add(time.Hour), By: "@a"}}
	place := tools.ListGate("topic Design", "", tools.Allowlist{Limited: true})
	policy := tools.Policy{Global: tools.Rules{Deny: []string{"exec"}}}
	plan := mustPlan(t, office(), policy.Gate(), tools.Except(place, lifts, now))
	if len(plan.Visible) != len(office())-1 || len(plan.Hidden) != 1 || plan.Hidden[0].Name != "exec" {
		t.Errorf("visible: %v", visible(plan))
	}
}

func TestExceptLeavesTheVerdictsOfItsGateAlone(t *testing.T) {
	t.Parallel()
	same := []tools.Verdict{{Layer: "role", Rule: "no exec", Hides: true}}
	gate := func(*tools.Descriptor) []tools.Verdict { return same }
	now := time.Now()
	lifts := []tools.Exception{{Selectors: []string{"*"}, Until: now.Add(time.Hour)}}
	mustPlan(t, office(), tools.Except(gate, lifts, now))
	if !same[0].Hides {
		t.Error("the gate's own verdict was changed")
	}
}
