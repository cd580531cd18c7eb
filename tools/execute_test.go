package tools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

// waiting is a tool that takes d, and notes what begins and ends.
func waiting(name string, effect tools.Effect, d time.Duration, note func(string)) tools.Tool {
	return doing(name, effect, func(ctx context.Context) (*tools.Result, error) {
		note("begin " + name)
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		note("end " + name)
		return tools.Text(name), nil
	})
}

// notebook collects events of several goroutines.
type notebook struct {
	mu     sync.Mutex
	events []string
}

func (n *notebook) note(event string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, event)
}

// runAside is a run in a goroutine of its own.
func runAside(t *testing.T, p *tools.Pipeline, plan *tools.Plan, calls ...*tools.Call) {
	if err := p.Run(t.Context(), plan, calls, func(int, *tools.Result) error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestNeighbouringReadsRunTogetherAndAllElseAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n notebook
		plan := mustPlan(t, []tools.Tool{
			waiting("slow", tools.ReadOnly, 3*time.Second, n.note),
			waiting("quick", tools.ReadOnly, time.Second, n.note),
			waiting("change", tools.Mutating, time.Second, n.note),
			waiting("start", tools.Async, time.Second, n.note),
		})
		calls := []*tools.Call{
			call("slow"), call("none"), call("quick"), call("change"), call("start"), call("quick"),
		}
		begun := time.Now()
		err := new(tools.Pipeline).Run(t.Context(), plan, calls, func(i int, _ *tools.Result) error {
			n.note(fmt.Sprint("done ", i))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != 6*time.Second {
			t.Errorf("took %v, want 3+1+1+1 seconds", took)
		}
		got := n.events
		if got[0] > got[1] { // the two begin together
			got[0], got[1] = got[1], got[0]
		}
		want := []string{
			"begin quick", "begin slow", "end quick", "end slow", "done 0", "done 1", "done 2",
			"begin change", "end change", "done 3", "begin start", "end start", "done 4",
			"begin quick", "end quick", "done 5",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestReadsOfAllRunsShareTheWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		tool := doing("read", tools.ReadOnly, func(context.Context) (*tools.Result, error) {
			n := now.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return nil, nil
		})
		p := &tools.Pipeline{Workers: 3}
		plan := mustPlan(t, []tools.Tool{tool})
		begun := time.Now()
		var runs sync.WaitGroup
		for range 4 {
			runs.Go(func() { runAside(t, p, plan, call("read"), call("read"), call("read")) })
		}
		runs.Wait()
		if most.Load() != 3 || time.Since(begun) != 4*time.Second {
			t.Errorf("%d at once, %v in all; want 3 and 4s", most.Load(), time.Since(begun))
		}
	})
}

func TestARunThatWaitsForAWorkerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n notebook
		p := &tools.Pipeline{Workers: 1}
		plan := mustPlan(t, []tools.Tool{waiting("read", tools.ReadOnly, 30*time.Second, n.note)})
		var first sync.WaitGroup
		first.Go(func() { runAside(t, p, plan, call("read")) })
		synctest.Wait()
		stopped := errors.New("stopped by its user")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, stopped)
		defer cancel()
		begun := time.Now()
		err := p.Run(ctx, plan, []*tools.Call{call("read")}, func(int, *tools.Result) error {
			t.Error("a call that never began has a result")
			return nil
		})
		if !errors.Is(err, stopped) || time.Since(begun) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		first.Wait()
		if diff := cmp.Diff([]string{"begin read", "end read"}, n.events); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	obedient := func(ctx context.Context) (*tools.Result, error) {
		<-ctx.Done()
		return nil, fmt.Errorf("fetch: %w", ctx.Err())
	}
	for name, tc := range map[string]struct {
		effect tools.Effect
		limit  time.Duration
		do     func(context.Context) (*tools.Result, error)
		want   tools.Result
		took   time.Duration
	}{
		"a tool that listens": {
			tools.ReadOnly, 0, obedient, tools.Result{ForModel: "timed out after 60s", IsError: true}, 60 * time.Second,
		},
		"a limit of its own": {
			tools.ReadOnly, 90 * time.Second, obedient,
			tools.Result{ForModel: "timed out after 90s", IsError: true}, 90 * time.Second,
		},
		"a change": {
			tools.Mutating, 0, obedient, tools.Result{
				ForModel: "timed out after 60s (it may have taken effect all the same)", IsError: true,
			}, 60 * time.Second,
		},
		"a tool that does not listen": {
			tools.ReadOnly, 0, func(context.Context) (*tools.Result, error) {
				time.Sleep(time.Hour)
				return tools.Text("far too late"), nil
			}, tools.Result{ForModel: "timed out after 60s", IsError: true}, 62 * time.Second,
		},
		"a part within the grace": {
			tools.ReadOnly, 0, func(ctx context.Context) (*tools.Result, error) {
				<-ctx.Done()
				time.Sleep(time.Second)
				return tools.Failure("killed; so far: abc"), nil
			}, tools.Result{ForModel: "killed; so far: abc", IsError: true}, 61 * time.Second,
		},
		"an error that says more": {
			tools.ReadOnly, time.Second, func(ctx context.Context) (*tools.Result, error) {
				<-ctx.Done()
				return nil, errors.New("signal: killed")
			}, tools.Result{ForModel: "timed out after 1s: signal: killed", IsError: true}, time.Second,
		},
		"an end of the tool's own": {
			tools.ReadOnly, 0, func(context.Context) (*tools.Result, error) {
				return nil, fmt.Errorf("fetch: %w", context.DeadlineExceeded)
			}, tools.Result{ForModel: "fetch: context deadline exceeded", IsError: true}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tool := doing("a", tc.effect, tc.do)
				tool.Timeout = tc.limit
				begun := time.Now()
				rs := run(t, new(tools.Pipeline), mustPlan(t, []tools.Tool{tool, named("b", 0)}), call("a"), call("b"))
				if diff := cmp.Diff(&tc.want, rs[0]); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if rs[1].ForModel != "b" || time.Since(begun) != tc.took {
					t.Errorf("b gave %q after %v, want %v", rs[1].ForModel, time.Since(begun), tc.took)
				}
				time.Sleep(2 * time.Hour) // lets an abandoned tool end
			})
		})
	}
}

func TestAToolThatHangsDoesNotKeepItsWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := doing("hang", tools.ReadOnly, func(context.Context) (*tools.Result, error) {
			time.Sleep(time.Hour)
			return nil, nil
		})
		p := &tools.Pipeline{Workers: 1, Timeout: time.Second}
		rs := run(t, p, mustPlan(t, []tools.Tool{hang, named("read", tools.ReadOnly)}), call("hang"), call("read"))
		if diff := cmp.Diff([]string{"timed out after 1s", "read"}, texts(rs)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestPanicsAreContainedAndLogged(t *testing.T) {
	t.Parallel()
	crash := func(context.Context) (*tools.Result, error) { panic("SECRET detail") }
	plan := mustPlan(t, []tools.Tool{
		doing("crash", tools.ReadOnly, crash),
		doing("leave", tools.ReadOnly, func(context.Context) (*tools.Result, error) {
			runtime.Goexit()
			return nil, nil
		}),
		named("fine", 0),
	})
	for name, tc := range map[string]struct {
		pipeline *tools.Pipeline
		call     string
		want     string
	}{
		"in a tool":                 {&tools.Pipeline{}, "crash", "the tool crashed"},
		"a goroutine that ends":     {&tools.Pipeline{}, "leave", "the tool crashed"},
		"in a check, which refuses": {&tools.Pipeline{Checks: []tools.Check{panics}}, "fine", "fine was refused"},
		"in an After, which conceals": {
			&tools.Pipeline{After: []tools.After{func(context.Context, *tools.Call, *tools.Result) { panic("SECRET") }}},
			"fine", "its result could not be taken over",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			tc.pipeline.Log = slog.New(slog.NewTextHandler(&log, nil))
			c := call(tc.call)
			c.Scope.Session = "session-7"
			rs := run(t, tc.pipeline, plan, c)
			if !rs[0].IsError || !strings.Contains(rs[0].ForModel, tc.want) || strings.Contains(rs[0].ForModel, "SECRET") {
				t.Errorf("got %q, want %q", rs[0].ForModel, tc.want)
			}
			if tc.call == "leave" {
				return // nothing to tell: it did not panic
			}
			for _, want := range []string{"session=session-7", "tool=" + tc.call, "execute_test.go"} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log has no %q:\n%s", want, log.String())
				}
			}
		})
	}
}

func panics(context.Context, *tools.Call) error { panic("SECRET") }

func TestAnErrorOfDoneStopsTheBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n notebook
		plan := mustPlan(t, []tools.Tool{
			waiting("quick", tools.ReadOnly, time.Second, n.note),
			waiting("slow", tools.ReadOnly, time.Minute-1, n.note),
			waiting("change", tools.Mutating, time.Second, n.note),
		})
		lost := errors.New("fence is lost")
		begun := time.Now()
		var got []int
		err := new(tools.Pipeline).Run(t.Context(), plan, []*tools.Call{call("quick"), call("slow"), call("change")},
			func(i int, _ *tools.Result) error {
				got = append(got, i)
				return lost
			})
		if !errors.Is(err, lost) || time.Since(begun) != time.Second {
			t.Errorf("got %v after %v, want %v after 1s", err, time.Since(begun), lost)
		}
		if diff := cmp.Diff([]int{0}, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		for _, event := range n.events {
			if event == "begin change" || event == "end slow" {
				t.Errorf("after the error: %s", event)
			}
		}
	})
}

func TestADoneContextEndsTheRunWithItsCause(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped by its user")
	for name, tc := range map[string]struct {
		effect tools.Effect
		do     func(context.Context) (*tools.Result, error)
		took   time.Duration
	}{
		"a tool that listens": {tools.Mutating, func(ctx context.Context) (*tools.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, time.Second},
		"a read that does not listen": {tools.ReadOnly, func(context.Context) (*tools.Result, error) {
			time.Sleep(time.Hour)
			return nil, nil
		}, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, stopped)
				defer cancel()
				plan := mustPlan(t, []tools.Tool{doing("a", tc.effect, tc.do)})
				begun := time.Now()
				err := new(tools.Pipeline).Run(ctx, plan, []*tools.Call{call("a"), call("a")},
					func(i int, _ *tools.Result) error {
						t.Errorf("call %d has a result", i)
						return nil
					})
				if !errors.Is(err, stopped) || time.Since(begun) != tc.took {
					t.Errorf("got %v after %v, want %v after %v", err, time.Since(begun), stopped, tc.took)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
	t.Run("before it begins", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stopped)
		ran := doing("a", 0, func(context.Context) (*tools.Result, error) {
			t.Error("the call ran")
			return nil, nil
		})
		err := new(tools.Pipeline).Run(ctx, mustPlan(t, []tools.Tool{ran}), []*tools.Call{call("a")}, nil)
		if !errors.Is(err, stopped) {
			t.Errorf("got %v, want %v", err, stopped)
		}
	})
	t.Run("in a check that waits for a person", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, stopped)
			defer cancel()
			p := &tools.Pipeline{Checks: []tools.Check{func(ctx context.Context, _ *tools.Call) error {
				<-ctx.Done()
				return ctx.Err()
			}}}
			err := p.Run(ctx, mustPlan(t, []tools.Tool{named("a", 0)}), []*tools.Call{call("a")}, nil)
			if !errors.Is(err, stopped) {
				t.Errorf("got %v, want %v", err, stopped)
			}
		})
	})
}
