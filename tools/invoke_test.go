package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

// run gives the results of calls and fails the test if the run ends early.
func run(t *testing.T, p *tools.Pipeline, plan *tools.Plan, calls ...*tools.Call) []*tools.Result {
	t.Helper()
	var rs []*tools.Result
	err := p.Run(t.Context(), plan, calls, func(i int, r *tools.Result) error {
		if i != len(rs) {
			t.Errorf("result %d came as number %d", i, len(rs))
		}
		rs = append(rs, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != len(calls) {
		t.Fatalf("%d results for %d calls", len(rs), len(calls))
	}
	return rs
}

func texts(rs []*tools.Result) []string {
	var all []string
	for _, r := range rs {
		all = append(all, r.ForModel)
	}
	return all
}

func call(name string) *tools.Call { return &tools.Call{ID: "1", Name: name} }

// doing is a tool that does what do does.
func doing(name string, effect tools.Effect, do func(context.Context) (*tools.Result, error)) tools.Tool {
	return tools.New(tools.Descriptor{Name: name, Effect: effect},
		func(ctx context.Context, _ *tools.Call, _ noParams) (*tools.Result, error) { return do(ctx) })
}

func TestWhatThePlanHidesDoesNotRun(t *testing.T) {
	t.Parallel()
	ran := 0
	exec := doing("exec", tools.Mutating, func(context.Context) (*tools.Result, error) {
		ran++
		return tools.Text("ran"), nil
	})
	limit := tools.Allowlist{Limited: true, Names: []string{"a"}}
	plan := mustPlan(t, []tools.Tool{exec, named("a", 0)}, tools.CapGate(limit))
	calls := []*tools.Call{call("exec"), call("Exec"), call("exec "), call("a")}
	rs := run(t, new(tools.Pipeline), plan, calls...)
	for _, r := range rs[:3] {
		if !r.IsError {
			t.Errorf("got %q", r.ForModel)
		}
	}
	if rs[3].ForModel != "a" || ran != 0 {
		t.Errorf("a gave %q; exec ran %d times", rs[3].ForModel, ran)
	}
}

func TestAllChecksComeBeforeAnyExecution(t *testing.T) {
	t.Parallel()
	var events []string
	act := func(name string) tools.Tool {
		return doing(name, tools.Mutating, func(context.Context) (*tools.Result, error) {
			events = append(events, "run "+name)
			return tools.Text(name), nil
		})
	}
	check := func(label, refused string) tools.Check {
		return func(_ context.Context, c *tools.Call) error {
			events = append(events, label+" "+c.Tool.Name)
			if c.Name == refused {
				return errors.New("nobody approved " + refused)
			}
			return nil
		}
	}
	p := &tools.Pipeline{Checks: []tools.Check{check("first", "b"), check("second", "")}}
	p.After = append(p.After, func(_ context.Context, c *tools.Call, _ *tools.Result) {
		events = append(events, "after "+c.Name)
	})
	plan := mustPlan(t, []tools.Tool{act("a"), act("b"), act("c")})
	rs := run(t, p, plan, call("a"), call("b"), call("none"), call("c"))
	want := []string{
		"first a", "second a", "first b", "first c", "second c",
		"run a", "after a", "after b", "after none", "run c", "after c",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !rs[1].IsError || rs[1].ForModel != "nobody approved b" {
		t.Errorf("got %+v", rs[1])
	}
}

func TestWhatACheckRewritesIsValidatedAgain(t *testing.T) {
	t.Parallel()
	type params struct {
		Path string `json:"path"`
	}
	tool := tools.New(tools.Descriptor{Name: "read"},
		func(_ context.Context, _ *tools.Call, in params) (*tools.Result, error) {
			return tools.Text(in.Path), nil
		})
	plan := mustPlan(t, []tools.Tool{tool})
	for args, want := range map[string]string{
		`{"path":"safe"}`: "safe",
		`{"path":5}`:      "path: must be a string, got 5",
	} {
		p := &tools.Pipeline{Checks: []tools.Check{func(_ context.Context, c *tools.Call) error {
			c.Args = []byte(args)
			return nil
		}}}
		rs := run(t, p, plan, &tools.Call{Name: "read", Args: []byte(`{"path":"asked"}`)})
		if !strings.Contains(rs[0].ForModel, want) {
			t.Errorf("got %q, want %q", rs[0].ForModel, want)
		}
	}
}

func TestMiddlewareWrapsOutermostFirst(t *testing.T) {
	t.Parallel()
	wrap := func(label string) tools.Middleware {
		return func(next tools.Handler) tools.Handler {
			return func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
				r, err := next(ctx, c)
				if err != nil {
					return nil, err
				}
				return tools.Text(label + "(" + r.ForModel + ")"), nil
			}
		}
	}
	p := &tools.Pipeline{Around: []tools.Middleware{wrap("outer"), wrap("inner")}}
	rs := run(t, p, mustPlan(t, []tools.Tool{named("a", 0)}), call("a"))
	if want := "outer(inner(a))"; rs[0].ForModel != want {
		t.Errorf("got %q, want %q", rs[0].ForModel, want)
	}
}

func TestResultsAreFitForModelsAndDatabases(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		result *tools.Result
		err    error
		want   tools.Result
	}{
		"nothing":       {nil, nil, tools.Result{ForModel: "(no output)"}},
		"empty":         {tools.Text(" \n"), nil, tools.Result{ForModel: "(no output)"}},
		"only NUL":      {tools.Text("\x00"), nil, tools.Result{ForModel: "(no output)"}},
		"bad UTF-8":     {tools.Text("a\xffb\x00c"), nil, tools.Result{ForModel: "a\uFFFDbc"}},
		"an error":      {nil, errors.New("no such file"), tools.Result{ForModel: "no such file", IsError: true}},
		"a format":      {nil, errors.New("100%d"), tools.Result{ForModel: "100%d", IsError: true}},
		"both":          {tools.Text("half"), errors.New("broken"), tools.Result{ForModel: "broken", IsError: true}},
		"its own error": {tools.Failure("no %s", "luck"), nil, tools.Result{ForModel: "no luck", IsError: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := doing("a", 0, func(context.Context) (*tools.Result, error) { return tc.result, tc.err })
			rs := run(t, new(tools.Pipeline), mustPlan(t, []tools.Tool{tool}), call("a"))
			if diff := cmp.Diff(&tc.want, rs[0]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAfterChangesOnlyItsOwnResult(t *testing.T) {
	t.Parallel()
	shared := tools.Text("shared")
	tool := doing("a", tools.ReadOnly, func(context.Context) (*tools.Result, error) { return shared, nil })
	n := 0
	p := &tools.Pipeline{After: []tools.After{func(_ context.Context, _ *tools.Call, r *tools.Result) {
		n++
		r.ForModel += strings.Repeat("!", n)
	}}}
	rs := run(t, p, mustPlan(t, []tools.Tool{tool}), call("a"), call("a"))
	if diff := cmp.Diff([]string{"shared!", "shared!!"}, texts(rs)); diff != "" || shared.ForModel != "shared" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNoCallsAreNoWork(t *testing.T) {
	t.Parallel()
	run(t, new(tools.Pipeline), new(tools.Plan))
}
