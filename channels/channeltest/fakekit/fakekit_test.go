package fakekit_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern, method string
		want            bool
	}{
		{"", "sendMessage", true},
		{"*", "GET /gateway", true},
		{"send*", "sendMessage", true},
		{"send*", "editMessageText", false},
		{"POST /channels/{channel_id}/messages", "POST /channels/{channel_id}/messages", true},
		{"POST */messages", "POST /channels/{channel_id}/messages", true},
		{"chat.*", "chat.postMessage", true},
	} {
		if got := fakekit.Match(tc.pattern, tc.method); got != tc.want {
			t.Errorf("Match(%q, %q) = %v", tc.pattern, tc.method, got)
		}
	}
}

func TestFaults(t *testing.T) {
	var r fakekit.Recorder
	r.Inject(fakekit.Fault{Method: "a", After: 1, Times: 2, Status: 500})
	r.Inject(fakekit.Fault{Method: "b", Times: -1, Drop: true})
	want := map[string][]bool{"a": {false, true, true, false}, "b": {true, true, true}, "c": {false}}
	for method, results := range want {
		for i, w := range results {
			if _, got := r.TakeFault(method, ""); got != w {
				t.Errorf("%s, call %d: %v", method, i, got)
			}
		}
	}
}

func TestWait(t *testing.T) {
	var r fakekit.Recorder
	r.Add(fakekit.Call{Method: "m", Params: fakekit.Object{"n": json.Number("1")}})
	go func() {
		time.Sleep(20 * time.Millisecond)
		r.Add(fakekit.Call{Method: "m", Params: fakekit.Object{"n": "2"}, Violations: []string{"bad"}})
	}()
	for _, want := range []int64{1, 2} {
		c, err := r.WaitContext(t.Context(), "m")
		if err != nil || c.Int("n") != want {
			t.Errorf("%v, %v, want %d", c.Params, err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.WaitContext(ctx, "m"); err == nil {
		t.Error("a call was returned twice")
	}
	if v := r.Violations(); len(v) != 1 || v[0].Seq != 2 {
		t.Errorf("violations %v", v)
	}
}

func TestDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{`"1.5s"`: 1500 * time.Millisecond, `2`: 2 * time.Second, `0.25`: 250 * time.Millisecond} {
		var d fakekit.Duration
		if err := json.Unmarshal([]byte(in), &d); err != nil || time.Duration(d) != want {
			t.Errorf("%s: %v, %v", in, d, err)
		}
	}
}

func TestFaultOfOneChat(t *testing.T) {
	var r fakekit.Recorder
	r.Inject(fakekit.Fault{Method: "send*", Chat: "7", Times: 1, Status: 500})
	for _, step := range []struct {
		method, chat string
		want         bool
	}{{"sendA", "8", false}, {"sendA", "", false}, {"edit", "7", false}, {"sendA", "7", true}, {"sendA", "7", false}} {
		if _, got := r.TakeFault(step.method, step.chat); got != step.want {
			t.Errorf("%s in %q: %v", step.method, step.chat, got)
		}
	}
}

func TestKeep(t *testing.T) {
	var r fakekit.Recorder
	r.Keep(3)
	add := func(n int) {
		for range n {
			r.Add(fakekit.Call{Method: "m"})
		}
	}
	add(5)
	if calls := r.Calls(""); len(calls) != 3 || calls[0].Seq != 3 {
		t.Errorf("kept %v", calls)
	}
	for want := 3; want <= 5; want++ {
		if c, err := r.WaitContext(t.Context(), "m"); err != nil || c.Seq != want {
			t.Errorf("wait: %d, %v, want %d", c.Seq, err, want)
		}
	}
	add(2)
	if c, err := r.WaitContext(t.Context(), "m"); err != nil || c.Seq != 6 {
		t.Errorf("wait: %d, %v, want 6", c.Seq, err)
	}
	r.Reset()
	add(1)
	if c, err := r.WaitContext(t.Context(), "m"); err != nil || c.Seq != 8 {
		t.Errorf("after a reset: %d, %v, want 8", c.Seq, err)
	}
}

func TestWaitSkipsWhatOthersTook(t *testing.T) {
	var r fakekit.Recorder
	for _, method := range []string{"a", "b", "a", "b"} {
		r.Add(fakekit.Call{Method: method})
	}
	for _, step := range []struct {
		method string
		want   int
	}{{"b", 2}, {"a", 1}, {"*", 3}, {"", 4}} {
		if c, err := r.WaitContext(t.Context(), step.method); err != nil || c.Seq != step.want {
			t.Errorf("%q: %d, %v, want %d", step.method, c.Seq, err, step.want)
		}
	}
}
