package session_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
)

func within(t *testing.T, what string, got, low, high int) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%s: %d, want %d to %d", what, got, low, high)
	}
}

func TestGuesses(t *testing.T) {
	t.Parallel()
	e := session.NewEstimator()
	size := func(m llm.Message) int { return e.Message("m", &m) }
	within(t, "420 bytes of prose", size(llm.UserText(strings.Repeat("plain text", 42))), 100, 108)
	within(t, "235 Chinese characters", size(llm.UserText(strings.Repeat("中", 235))), 100, 108)
	within(t, "235 characters beyond the first plane", size(llm.UserText(strings.Repeat("𠀀", 235))), 100, 108)
	picture := llm.Part{Image: &llm.Image{Data: make([]byte, 1<<20)}}
	within(t, "a picture", size(llm.Message{Parts: []llm.Part{picture}}), 1500, 1510)
	signed := llm.Part{
		Reasoning: &llm.Reasoning{Text: strings.Repeat("x", 420)},
		Meta:      map[string]json.RawMessage{"v": json.RawMessage(strings.Repeat("x", 420))},
	}
	within(t, "signed reasoning", size(llm.Message{Parts: []llm.Part{signed}}), 200, 210)
	within(t, "a call", size(calls(llm.Call{ID: "a", Name: "write", Args: strings.Repeat("x", 420)})), 100, 115)
	within(t, "a result", size(results(result("a", strings.Repeat("x", 420)))), 100, 115)
	within(t, "a request", e.Request("m", &llm.Request{
		System:   strings.Repeat("x", 420),
		Tools:    []llm.Tool{{Name: "t", Input: json.RawMessage(strings.Repeat("x", 420))}},
		Messages: []llm.Message{llm.UserText(strings.Repeat("x", 420))},
	}), 300, 320)
}

func TestLearning(t *testing.T) {
	t.Parallel()
	req := &llm.Request{Messages: []llm.Message{llm.UserText(strings.Repeat("x", 42_000))}}
	tests := map[string]struct {
		counted   []int
		low, high int
	}{
		"nothing seen":                           {nil, 9_900, 10_100},
		"the first count is believed":            {[]int{20_000}, 19_500, 20_500},
		"later counts move it slowly":            {[]int{20_000, 10_000}, 16_500, 17_500},
		"many counts win":                        {append([]int{20_000}, slices.Repeat([]int{10_000}, 9)...), 9_900, 10_700},
		"no usage teaches nothing":               {[]int{0}, 9_900, 10_100},
		"nonsense is kept in bounds from above":  {[]int{10_000_000}, 29_000, 31_000},
		"nonsense is kept in bounds from below ": {[]int{1}, 3_900, 4_100},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := session.NewEstimator()
			for _, n := range tt.counted {
				e.Learn("m", req, llm.Usage{Input: n})
			}
			within(t, "m", e.Request("m", req), tt.low, tt.high)
			within(t, "another model", e.Request("other", req), 9_900, 10_100)
		})
	}
}

func TestSmallRequestsTeachNothing(t *testing.T) {
	t.Parallel()
	e := session.NewEstimator()
	small := &llm.Request{Messages: []llm.Message{llm.UserText("hi")}}
	e.Learn("m", small, llm.Usage{Input: 400})
	within(t, "small", e.Request("m", small), 4, 6)
}

func TestEstimatorIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	e := session.NewEstimator()
	req := &llm.Request{Messages: []llm.Message{llm.UserText(strings.Repeat("x", 4200))}}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				e.Learn("m", req, llm.Usage{Input: 1000})
				e.Request("m", req)
			}
		})
	}
	wg.Wait()
	within(t, "m", e.Request("m", req), 990, 1010)
}
