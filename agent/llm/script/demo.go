// Package script is a model without a network: a few rules that answer in a chat and really use the tools they are
// offered. It stands in for a language model in `leadhand chat --demo`, and says so.
package script

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
)

const name = "script:demo"

// Option changes how the demo model behaves.
type Option func(*demo)

// WithDelay waits that long before each word, so that a person can see the streaming. The default is no wait.
func WithDelay(d time.Duration) Option { return func(m *demo) { m.delay = d } }

// Demo is the demo model, a provider named "script:demo". It understands greetings, questions for the time, and
// requests to write, read, list, edit and plan; to everything else it says honestly what it can do.
func Demo(opts ...Option) llm.Provider {
	m := &demo{}
	for _, o := range opts {
		o(m)
	}
	return m
}

type demo struct{ delay time.Duration }

func (m *demo) Name() string { return name }

func (m *demo) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		r := reply(newTurn(req))
		for _, word := range chunks(r.text) {
			if err := m.wait(ctx); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&llm.Chunk{Text: word}, nil) {
				return
			}
		}
		yield(&llm.Chunk{Final: answer(req, r)}, nil)
	}
}

func (m *demo) wait(ctx context.Context) error {
	if m.delay <= 0 {
		return nil
	}
	t := time.NewTimer(m.delay)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var chunkPattern = regexp.MustCompile(`\s*\S+\s*$|\s*\S+`)

// chunks cuts a text into words so that joining the pieces gives the text again.
func chunks(s string) []string { return chunkPattern.FindAllString(s, -1) }

func answer(req *llm.Request, r move) *llm.Answer {
	a := &llm.Answer{Finish: llm.Stop, Model: name, Message: llm.Message{Role: llm.Assistant}}
	if r.text != "" {
		a.Message.Parts = append(a.Message.Parts, llm.Part{Text: r.text})
	}
	size := len(r.text)
	if r.call != nil {
		a.Finish = llm.Calls
		r.call.ID = fmt.Sprintf("demo_%d", len(req.Messages))
		a.Message.Parts = append(a.Message.Parts, llm.Part{Call: r.call})
		size += len(r.call.Name) + len(r.call.Args)
	}
	a.Usage = llm.Usage{Input: tokens(prompt(req)), Output: tokens(size)}
	return a
}

// tokens estimates four bytes to a token, so that usage views have something to show.
func tokens(bytes int) int { return (bytes + 3) / 4 }

func prompt(req *llm.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Input)
	}
	for _, m := range req.Messages {
		n += len(m.Text())
		for _, r := range m.Results() {
			n += len(r.Text)
		}
	}
	return n
}

// turn is what the person asked last, and what the tools have answered to it so far.
type turn struct {
	said    string
	results []*llm.Result
	offered map[string]bool
}

func newTurn(req *llm.Request) *turn {
	t := &turn{offered: map[string]bool{}}
	for _, tool := range req.Tools {
		t.offered[tool.Name] = !req.NoTools
	}
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := &req.Messages[i]
		if m.Role == llm.User {
			said, person := words(m.Text())
			if t.said = said; said != "" || person {
				break
			}
			continue // the program's own note within the turn, or a tool's picture
		}
		t.results = append(m.Results(), t.results...)
	}
	return t
}

var (
	headerPattern = regexp.MustCompile(`^\[from [^\]\n]*\]\n?`)
	notePattern   = regexp.MustCompile(`(?s)(?:^|\n)\[program\] .*`)
)

// words are what a person said in a user message, without the line that names the person and without the program's
// notes. Person tells whether there was such a line.
func words(text string) (said string, person bool) {
	body := headerPattern.ReplaceAllString(text, "")
	return strings.TrimSpace(notePattern.ReplaceAllString(body, "")), body != text
}
