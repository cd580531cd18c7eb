package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/leadhand/leadhand/agent/llm"
)

// Step is one generation of a [Script]. It may look at the request and block until ctx is done. An answer together
// with an error is streamed and then cut off by the error. An *llm.Error without a Provider gets the script's name.
type Step func(ctx context.Context, req *llm.Request) (*llm.Answer, error)

// usage is what a step reports when the test does not care.
func usage() llm.Usage { return llm.Usage{Input: 10, Output: 5} }

// Text answers with words.
func Text(s string) Step {
	return Answer(llm.Answer{Message: llm.AssistantText(s), Usage: usage(), Finish: llm.Stop})
}

// Call asks for one tool call. Args is a JSON object as a string, or a value that is marshalled to one. The id is
// unique within the request's history.
func Call(name string, args any) Step { return Calls(llm.Call{Name: name, Args: encode(args)}) }

// Calls asks for several tool calls in one answer. A call without ID gets one that the history does not have.
func Calls(calls ...llm.Call) Step { return TextAndCalls("", calls...) }

// TextAndCalls says something and asks for tool calls in the same answer.
func TextAndCalls(text string, calls ...llm.Call) Step {
	return func(_ context.Context, req *llm.Request) (*llm.Answer, error) {
		m := llm.Message{Role: llm.Assistant}
		if text != "" {
			m.Parts = append(m.Parts, llm.Part{Text: text})
		}
		for i, c := range calls {
			if c.ID == "" {
				c.ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i+1)
			}
			m.Parts = append(m.Parts, llm.Part{Call: &c})
		}
		return &llm.Answer{Message: m, Usage: usage(), Finish: llm.Calls}, nil
	}
}

// Answer gives exactly a.
func Answer(a llm.Answer) Step {
	return func(context.Context, *llm.Request) (*llm.Answer, error) {
		given := a
		return &given, nil
	}
}

// Fail fails with an *llm.Error of that reason.
func Fail(reason llm.Reason) Step {
	return FailWith(&llm.Error{Reason: reason, Err: errors.New("scripted failure")})
}

// FailWith fails with err.
func FailWith(err error) Step {
	return func(context.Context, *llm.Request) (*llm.Answer, error) { return nil, err }
}

// Cut streams text and then breaks off with an *llm.Error of that reason.
func Cut(text string, reason llm.Reason) Step {
	return func(context.Context, *llm.Request) (*llm.Answer, error) {
		a := &llm.Answer{Message: llm.AssistantText(text)}
		return a, &llm.Error{Reason: reason, Err: errors.New("scripted cut")}
	}
}

// Hang gives nothing until ctx is done.
func Hang() Step {
	return func(ctx context.Context, _ *llm.Request) (*llm.Answer, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
}

func encode(args any) string {
	if s, ok := args.(string); ok {
		return s
	}
	if args == nil {
		return "{}"
	}
	b, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("llmtest: arguments of a call: %v", err))
	}
	return string(b)
}
