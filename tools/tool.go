// Package tools is how agents act: the contract of a tool, the plan of which tools a run is offered, and the one
// pipeline every call goes through.
//
// A [Descriptor] is what planners, policies and models see; an [Executor] is what acts. A run gets its tools from a
// [Source], [BuildPlan] decides which are offered and keeps what every layer said about each, and [Pipeline.Run]
// refuses whatever the plan did not offer. Concrete tools live in subfolders or with their feature.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/channels"
)

// Effect is what a call of a tool changes. The zero value is the careful one.
type Effect int

// Effects of calls.
const (
	Mutating Effect = iota // changes something; runs alone, and is never repeated after a crash
	ReadOnly               // changes nothing; may run beside other read-only calls and again after a crash
	Async                  // returns at once; the result comes later as news to the session
)

// Descriptor describes a tool to planners, policies and models.
type Descriptor struct {
	Name        string // snake_case, unique among all tools of a run
	Label       string // what it does in words for progress lines: "reading a file"; the name when empty
	Description string // for the model
	// Group is what policies name as group:fs. The program sets it, never a tool server: it could put its tools among
	// those that a place allows.
	Group    string
	Input    json.RawMessage
	Effect   Effect
	Source   string        // where it comes from: BuiltIn, MCPSource of a server, or "custom"
	Timeout  time.Duration // 0: the pipeline's default
	Requires Requirement   // what has to be there before it can work; nil: nothing
}

// BuiltIn is the Source of tools that are part of the program.
const BuiltIn = "built-in"

// MCPSource is the Source of all tools of an MCP server, and at the same time the selector that matches them.
func MCPSource(server string) string { return mcpPrefix + server }

// Call is one call that a model asked for, on its way through the pipeline.
type Call struct {
	ID    string
	Name  string
	Args  json.RawMessage // a JSON object
	Scope Scope
	// Tool is the offered tool of that name. Checks may rely on it being set.
	Tool *Tool
	// Plan is what the run is offered. The pipeline sets it.
	Plan *Plan
}

// Result is what a call gave.
type Result struct {
	ForModel string
	Images   []llm.Image           // shown to models that can see
	Files    []channels.Attachment // sent to the people with the answer
	IsError  bool
}

// Text is a result of plain words.
func Text(s string) *Result { return &Result{ForModel: s} }

// Failure is a result that tells the model what went wrong and, if it can, how to do better.
func Failure(format string, args ...any) *Result {
	return &Result{ForModel: fmt.Sprintf(format, args...), IsError: true}
}

// Executor acts. An error is shown to the model like a Failure; only a done ctx ends a run from inside a tool.
type Executor interface {
	Execute(ctx context.Context, call *Call) (*Result, error)
}

// Tool is a descriptor with its executor.
type Tool struct {
	Descriptor
	Executor
}

// Source lists the tools that exist for a scope, before any gate.
type Source interface {
	Tools(ctx context.Context, s Scope) ([]Tool, error)
}

// Fixed is a Source of tools that are the same for everybody.
type Fixed []Tool

func (f Fixed) Tools(context.Context, Scope) ([]Tool, error) { return f, nil }

// New makes a tool from a function over a parameter struct. The schema comes from In: json tags name the properties,
// "omitempty" or "omitzero" makes one optional, jsonschema tags describe it. New panics if In has no schema: that is a
// mistake in the program.
func New[In any](d Descriptor, run func(ctx context.Context, call *Call, in In) (*Result, error)) Tool {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", d.Name, err))
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", d.Name, err))
	}
	d.Input = raw
	if d.Source == "" {
		d.Source = BuiltIn
	}
	return Tool{d, typed[In]{raw, run}}
}

// typed is the executor of a tool that New made.
type typed[In any] struct {
	input json.RawMessage // the schema of In
	run   func(context.Context, *Call, In) (*Result, error)
}

func (t typed[In]) Execute(ctx context.Context, call *Call) (*Result, error) {
	var in In
	dec := json.NewDecoder(bytes.NewReader(call.Args))
	if err := dec.Decode(&in); err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	return t.run(ctx, call, in)
}

// made tells whether an input schema is the one that New wrote.
func (t typed[In]) made(input json.RawMessage) bool { return bytes.Equal(t.input, input) }
