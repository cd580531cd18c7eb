package tools_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/leadhand/leadhand/tools"
)

// BenchmarkBuildPlan has 200 tools with a requirement each and all layers. Tools of a server cost more, because their
// schemas are read.
func BenchmarkBuildPlan(b *testing.B) {
	for _, source := range []string{tools.BuiltIn, tools.MCPSource("wiki")} {
		b.Run(source, func(b *testing.B) {
			ts := crowd(source)
			sig := tools.Signals{Auth: has("b"), Config: has("c")}
			place := tools.Allowlist{Limited: true, Names: []string{"group:fs", "group:web"}, Denied: []string{"tool_001"}}
			p := rule(rulings()...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tools.BuildPlan(ts, sig, p.Gate(), tools.CapGate(place)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func crowd(source string) []tools.Tool {
	type params struct {
		Path    string   `json:"path" jsonschema:"the file to look at, relative to the workspace"`
		From    int      `json:"from,omitempty" jsonschema:"the first line, from 1"`
		Lines   int      `json:"lines,omitempty" jsonschema:"how many lines, 200 when left out"`
		Filters []string `json:"filters,omitempty" jsonschema:"show only lines that have one of these words"`
	}
	run := func(context.Context, *tools.Call, params) (*tools.Result, error) { return nil, nil }
	groups := []string{"fs", "web", "runtime", "media", "sessions"}
	var ts []tools.Tool
	for i := range 200 {
		t := tools.New(tools.Descriptor{
			Name: fmt.Sprintf("tool_%03d", i), Group: groups[i%len(groups)], Source: source,
			Requires: tools.AnyOf(tools.NeedsEnv("A"), tools.AllOf(tools.NeedsAuth("b"), tools.NeedsConfig("c"))),
		}, run)
		if source != tools.BuiltIn {
			t.Executor = foreign{t.Executor}
		}
		ts = append(ts, t)
	}
	return ts
}

// foreign is an executor that New did not make.
type foreign struct{ tools.Executor }
