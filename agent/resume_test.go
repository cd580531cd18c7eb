package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// keep puts entries into the log as an earlier run of turn 10 left them.
func (w *world) keep(ms ...llm.Message) {
	w.t.Helper()
	entries := []session.Entry{message(10, 10, "do it")}
	for i, m := range ms {
		entries = append(entries, session.Entry{Turn: 10, Step: i/2 + 1, Kind: session.KindMessage, Message: m})
	}
	if err := w.log.Append(w.t.Context(), entries); err != nil {
		w.t.Fatal(err)
	}
}

func asks(cs ...string) llm.Message {
	m := llm.Message{Role: llm.Assistant}
	for i, name := range cs {
		m.Parts = append(m.Parts, llm.Part{Call: &llm.Call{ID: fmt.Sprint(i), Name: name, Args: "{}"}})
	}
	return m
}

func gives(id int, name, text string) llm.Message {
	r := &llm.Result{CallID: fmt.Sprint(id), Name: name, Text: text}
	return llm.Message{Role: llm.ToolRole, Parts: []llm.Part{{Result: r}}}
}

func TestResume(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		log  []llm.Message
		want []string // what the model is then asked, after the message and the calls
		runs map[string]int
	}{
		"a finished step is not run again": {
			log:  []llm.Message{asks("write"), gives(0, "write", "written")},
			want: []string{"result: written"},
		},
		"a read-only call without a result is run again": {
			log:  []llm.Message{asks("read")},
			want: []string{"result: read(0) run 1"},
			runs: map[string]int{"read(0)": 1},
		},
		"a mutating call without a result may have happened": {
			log:  []llm.Message{asks("write")},
			want: []string{"error: " + session.Interrupted},
		},
		"calls after it had not begun and run now": {
			log:  []llm.Message{asks("write", "other"), gives(0, "write", "written")},
			want: []string{"result: written", "error: " + session.Interrupted},
		},
		"only the first one may have happened": {
			log:  []llm.Message{asks("write", "read", "other")},
			want: []string{"error: " + session.Interrupted, "result: read(0) run 1", "result: other(0) run 1"},
			runs: map[string]int{"read(0)": 1, "other(0)": 1},
		},
		"a call of a tool that is gone may have happened": {
			log:  []llm.Message{asks("gone")},
			want: []string{"error: " + session.Interrupted},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs counter
			w, model := newWorld(t, llmtest.Text("done"))
			w.tools = []tools.Tool{
				counted("read", tools.ReadOnly, &runs), counted("write", tools.Mutating, &runs),
				counted("other", tools.Mutating, &runs),
			}
			w.keep(tt.log...)
			reply := w.sayAs(10, "do it")
			got := lines(model.Last().Messages)
			calls := len(tt.log[0].Parts)
			if diff := cmp.Diff(tt.want, got[1+calls:]); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, key := range []string{"read(0)", "write(0)", "other(0)"} {
				if runs.of(key) != tt.runs[key] {
					t.Errorf("%s ran %d times, want %d", key, runs.of(key), tt.runs[key])
				}
			}
			if reply.Steps != 2 || reply.Text != "done" {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}

func TestResumeOfAnAnsweredTurn(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t)
	w.keep(asks("read"), gives(0, "read", "1"), llm.AssistantText("It is one."))
	reply := w.sayAs(10, "do it")
	if reply.Text != "It is one." || len(reply.Pending) != 0 || len(model.Requests()) != 0 || reply.Through != 10 {
		t.Errorf("reply %+v after %d requests", reply, len(model.Requests()))
	}
}

func TestResumeKeepsWhatWasTakenInAndMade(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Text("done"))
	w.keep(asks("read"))
	result := session.Entry{
		Turn: 10, Step: 1, Kind: session.KindMessage, Message: gives(0, "read", "1"),
		Files: []channels.Attachment{{Name: "a.txt", Data: []byte("a")}},
	}
	if err := w.log.Append(t.Context(), []session.Entry{result, message(10, 12, "hurry")}); err != nil {
		t.Fatal(err)
	}
	req := w.request(10, "do it")
	req.Steer = func(_ context.Context, after int64) ([]session.Entry, error) {
		if after != 12 {
			t.Errorf("asked for messages after %d", after)
		}
		return nil, nil
	}
	reply, err := w.runner().Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Files) != 1 || reply.Through != 12 {
		t.Errorf("reply %+v", reply)
	}
	want := []string{"user: do it", "call read({})", "result: 1", "user: hurry"}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Wherever the log fails, and whether or not the lost write was stored, running the turn again ends it with a valid
// history, and no mutating call runs twice.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	script := func() []llmtest.Step {
		return []llmtest.Step{
			llmtest.Calls(llm.Call{Name: "read", Args: `{"n":1}`}, llm.Call{Name: "write", Args: `{"n":2}`},
				llm.Call{Name: "write", Args: `{"n":3}`}, llm.Call{Name: "read", Args: `{"n":4}`}),
			llmtest.Call("write", `{"n":5}`),
		}
	}
	for failAt := 1; failAt <= 7; failAt++ {
		for _, stores := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d lost, stored %t", failAt, stores), func(t *testing.T) {
				t.Parallel()
				var runs counter
				w, model := newWorld(t, script()...)
				model.Otherwise(llmtest.Text("done"))
				w.tools = []tools.Tool{counted("read", tools.ReadOnly, &runs), counted("write", tools.Mutating, &runs)}
				w.log.failAt, w.log.stores = failAt, stores
				reply, err := w.runner().Run(t.Context(), w.request(10, "do it"))
				if !errors.Is(err, errFenced) {
					t.Fatalf("error %v", err)
				}
				for _, e := range reply.Pending {
					if e.Source == 0 && err != nil {
						t.Errorf("pending after a failed write: %+v", e)
					}
				}
				if reply = w.sayAs(10, "do it"); reply.Text != "done" {
					t.Errorf("text %q", reply.Text)
				}
				for n := 2; n <= 5; n++ {
					if key := fmt.Sprintf("write(%d)", n); runs.of(key) > 1 {
						t.Errorf("%s ran %d times", key, runs.of(key))
					}
				}
				w.sayAs(20, "next")
				asked := lines(model.Last().Messages)
				if n := len(slices.DeleteFunc(asked, func(s string) bool { return s != "user: do it" })); n != 1 {
					t.Errorf("the message is told %d times", n)
				}
			})
		}
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped by a person")
	tests := map[string]struct {
		model llmtest.Step
		want  []string
	}{
		"while the model writes": {llmtest.Hang(), []string{"user: do it"}},
		"while a tool runs": {
			llmtest.Calls(llm.Call{Name: "read", Args: "{}"}, llm.Call{Name: "hang", Args: "{}"},
				llm.Call{Name: "write", Args: "{}"}),
			[]string{
				"user: do it", "call read({})", "call hang({})", "call write({})", "result: read(0) run 1",
				"error: stopped by a person while this ran; it may have happened. Check before doing it again.",
				"error: stopped by a person before this ran",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var runs counter
				w, model := newWorld(t, tt.model, llmtest.Text("what else?"))
				hang := tools.New(tools.Descriptor{Name: "hang"},
					func(ctx context.Context, _ *tools.Call, _ struct{}) (*tools.Result, error) {
						<-ctx.Done()
						return nil, context.Cause(ctx)
					})
				w.tools = []tools.Tool{hang, counted("read", tools.ReadOnly, &runs), counted("write", tools.Mutating, &runs)}
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(stopped) })
				begin := time.Now()
				reply, err := w.runner().Run(ctx, w.request(10, "do it"))
				if !errors.Is(err, stopped) || time.Since(begin) > 2*time.Second {
					t.Fatalf("error %v after %v", err, time.Since(begin))
				}
				w.end(reply)
				if diff := cmp.Diff(tt.want, w.stored()); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				w.sayAs(20, "hello?")
				if got := lines(model.Last().Messages); got[len(got)-1] != "user: hello?" {
					t.Errorf("asked %v", got)
				}
			})
		})
	}
}

// What a tool did is stored even if the run was stopped in the meantime.
func TestResultOfATurnStoppedMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	w, _ := newWorld(t, llmtest.Call("write", "{}"))
	write := tools.New(tools.Descriptor{Name: "write"},
		func(context.Context, *tools.Call, struct{}) (*tools.Result, error) { return tools.Text("written"), nil })
	w.tools = []tools.Tool{write}
	req := w.request(10, "do it")
	req.Log = stopping{w.log, 2, func() { cancel(stopped) }}
	reply, err := w.runner().Run(ctx, req)
	if !errors.Is(err, stopped) {
		t.Fatalf("error %v", err)
	}
	w.end(reply)
	want := []string{"user: do it", "call write({})", "result: written"}
	if diff := cmp.Diff(want, w.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// stopping is a log during whose n-th write the run is stopped.
type stopping struct {
	*memoryLog
	n    int
	stop func()
}

func (s stopping) Append(ctx context.Context, entries []session.Entry) error {
	if s.writes == s.n-1 {
		s.stop()
	}
	return s.memoryLog.Append(ctx, entries)
}

func TestStopBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	w, _ := newWorld(t)
	req := w.request(10, "do it")
	for _, log := range []session.Log{w.log, unreadable{context.Canceled}} {
		req.Log = log
		reply, err := w.runner().Run(ctx, req)
		if !errors.Is(err, stopped) || len(reply.Pending) != 1 {
			t.Errorf("error %v, reply %+v", err, reply)
		}
	}
}
