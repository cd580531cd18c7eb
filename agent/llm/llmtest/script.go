// Package llmtest replaces a model in tests: a [Script] answers from a list and records what it was asked.
package llmtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
)

// Script is an [llm.Provider] that plays its steps in order, one per generation, and records every request. It may be
// used from several goroutines. A generation for which no step is left fails the test.
type Script struct {
	tb   testing.TB
	name string

	mu        sync.Mutex
	steps     []Step
	otherwise Step
	strict    bool
	requests  []*llm.Request
}

var _ llm.Provider = (*Script)(nil)

// New is a script named "script:test" that plays steps.
func New(tb testing.TB, steps ...Step) *Script {
	return &Script{tb: tb, name: "script:test", steps: steps}
}

// Named gives the script another Name, for tests with several providers. It returns s.
func (s *Script) Named(name string) *Script {
	s.name = name
	return s
}

// Strict makes the script fail the test on a request that a strict vendor would answer with 400, see [Check]. It
// returns s.
func (s *Script) Strict() *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strict = true
	return s
}

// Otherwise sets the step for every generation after the list is used up. It returns s.
func (s *Script) Otherwise(step Step) *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.otherwise = step
	return s
}

// Add appends steps, also while the script is in use.
func (s *Script) Add(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// Requests are copies of the requests so far, in order of arrival. Later changes by the caller don't show in them.
func (s *Script) Requests() []*llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*llm.Request(nil), s.requests...)
}

// Last is the latest request; it fails the test if there was none.
func (s *Script) Last() *llm.Request {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		s.tb.Fatalf("%s: no request yet", s.name)
	}
	return s.requests[len(s.requests)-1]
}

// Left is the number of steps not yet played.
func (s *Script) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.steps)
}

func (s *Script) Name() string { return s.name }

// Generate plays the next step: text and reasoning go out in word-sized chunks, then the answer, or the step's error.
func (s *Script) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		step, err := s.next(req)
		if err != nil {
			yield(nil, err)
			return
		}
		a, err := step(ctx, req)
		if a != nil && !stream(a, yield) {
			return
		}
		if err != nil || a == nil {
			yield(nil, s.failure(ctx, err))
			return
		}
		final := *a
		final.Model = s.name
		if final.Message.Role == "" {
			final.Message.Role = llm.Assistant
		}
		yield(&llm.Chunk{Final: &final}, nil)
	}
}

// next records the request and takes the step that answers it.
func (s *Script) next(req *llm.Request) (Step, error) {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, clone(req))
	if s.strict {
		if err := Check(req); err != nil {
			s.tb.Errorf("%s: request %d is invalid: %v", s.name, len(s.requests), err)
			return nil, &llm.Error{Provider: s.name, Reason: llm.Rejected, Status: 400, Err: err}
		}
	}
	if len(s.steps) > 0 {
		step := s.steps[0]
		s.steps = s.steps[1:]
		return step, nil
	}
	if s.otherwise != nil {
		return s.otherwise, nil
	}
	err := fmt.Errorf("no step is left for request %d", len(s.requests))
	s.tb.Errorf("%s: %v", s.name, err)
	return nil, &llm.Error{Provider: s.name, Reason: llm.Rejected, Err: err}
}

// failure makes err what the contract of a provider promises.
func (s *Script) failure(ctx context.Context, err error) error {
	switch e, ok := errors.AsType[*llm.Error](err); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return &llm.Error{Provider: s.name, Reason: llm.BadAnswer, Err: errors.New("the step gave no answer")}
	case ok && e.Provider == "":
		named := *e
		named.Provider = s.name
		return &named
	default:
		return err
	}
}

// stream sends the deltas of an answer and tells whether the consumer wants more.
func stream(a *llm.Answer, yield func(*llm.Chunk, error) bool) bool {
	for _, p := range a.Message.Parts {
		if p.Reasoning != nil {
			for _, w := range strings.SplitAfter(p.Reasoning.Text, " ") {
				if w != "" && !yield(&llm.Chunk{Reasoning: w}, nil) {
					return false
				}
			}
		}
		for _, w := range strings.SplitAfter(p.Text, " ") {
			if w != "" && !yield(&llm.Chunk{Text: w}, nil) {
				return false
			}
		}
	}
	return true
}
