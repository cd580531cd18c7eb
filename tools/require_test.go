package tools_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

// has knows one name.
func has(name string) func(string) bool { return func(asked string) bool { return asked == name } }

func TestRequirements(t *testing.T) {
	t.Parallel()
	known := tools.Signals{
		Auth: has("openai"), Config: has("media.image"), Env: has("KEY"), Plugin: has("git"), Depth: 1,
		Context: map[string]string{tools.ContextChannel: "slack", tools.ContextPlace: tools.PlaceTopic},
	}
	met, missing := tools.NeedsEnv("KEY"), tools.NeedsPlugin("x")
	for name, tc := range map[string]struct {
		needs tools.Requirement
		known []string // what is said when the signals are there
		blank []string // what is said when nothing is known
	}{
		"none": {nil, nil, nil},
		"auth": {
			tools.NeedsAuth("openai"),
			[]string{"requires: credentials for openai"}, []string{"requires: credentials for openai, hides"},
		},
		"config": {
			tools.NeedsConfig("media.image"),
			[]string{"requires: the setting media.image"}, []string{"requires: the setting media.image, hides"},
		},
		"env": {
			tools.NeedsEnv("KEY"),
			[]string{"requires: the environment variable KEY"}, []string{"requires: the environment variable KEY, hides"},
		},
		"plugin": {
			tools.NeedsPlugin("git"), []string{"requires: the plugin git"}, []string{"requires: the plugin git, hides"},
		},
		"one of two values": {
			tools.NeedsContext(tools.ContextChannel, "discord", "slack"),
			[]string{"requires: channel discord or slack"}, []string{"requires: channel discord or slack, hides"},
		},
		"another value": {
			tools.NeedsContext(tools.ContextPlace, tools.PlaceDirect),
			[]string{"requires: place direct, hides"}, []string{"requires: place direct, hides"},
		},
		"any value": {
			tools.NeedsContext(tools.ContextChannel),
			[]string{"requires: a known channel"}, []string{"requires: a known channel, hides"},
		},
		"the depth": {
			tools.NeedsContext(tools.ContextDepth, "0"),
			[]string{"requires: depth 0, hides"}, []string{"requires: depth 0"},
		},
		"all of none": {tools.AllOf(), nil, nil},
		"all of": {
			tools.AllOf(met, nil, missing),
			[]string{"requires: the environment variable KEY", "requires: the plugin x, hides"},
			[]string{"requires: the environment variable KEY, hides", "requires: the plugin x, hides"},
		},
		"any of none": {
			tools.AnyOf(), []string{"requires: one of nothing, hides"}, []string{"requires: one of nothing, hides"},
		},
		"any of, with one that needs nothing": {tools.AnyOf(missing, nil), nil, nil},
		"any of": {
			tools.AnyOf(missing, met),
			[]string{"requires: the environment variable KEY"},
			[]string{"requires: the plugin x, or the environment variable KEY, hides"},
		},
		"any of branches of several": {
			tools.AnyOf(tools.AllOf(missing, met), tools.AllOf(tools.NeedsAuth("a"), tools.NeedsConfig("b"))),
			[]string{"requires: the plugin x, or credentials for a and the setting b, hides"},
			[]string{
				"requires: the plugin x and the environment variable KEY, or credentials for a and the setting b, hides",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := named("a", 0)
			tool.Requires = tc.needs
			for _, around := range []struct {
				signals tools.Signals
				want    []string
			}{{known, tc.known}, {tools.Signals{}, tc.blank}} {
				plan, err := tools.BuildPlan([]tools.Tool{tool}, around.signals)
				if err != nil {
					t.Fatal(err)
				}
				said, err := plan.Why("a")
				if diff := cmp.Diff(around.want, lines(said)); diff != "" || err != nil {
					t.Errorf("%v -want +got:\n%s", err, diff)
				}
			}
		})
	}
}

func TestGatesCannotUndoARequirement(t *testing.T) {
	t.Parallel()
	tool := named("a", 0)
	tool.Requires = tools.NeedsAuth("x")
	plan := mustPlan(t, []tools.Tool{tool}, tools.Policy{Agent: tools.Rules{AlsoAllow: []string{"*"}}}.Gate())
	if len(plan.Visible) != 0 {
		t.Error("the tool is offered")
	}
}
