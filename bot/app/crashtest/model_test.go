package crashtest_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
)

// A message of a test is a name ("c03-0007") and orders for the model:
//
//	tools=0             answer at once
//	tools=1             a read-only call, then two changes, one call a step
//	tools=2             all three in one step
//	hold=w1:3s:2        on the worker w1 the model call after two tool calls takes 3 s
//	sendhold=w1:3s      on the worker w1 the messenger takes 3 s for the answer
//
// An answer repeats the names, and the sendhold orders, of all messages since the answer before it.
var (
	namePattern  = regexp.MustCompile(`\bc\d\d-\d{4}\b`)
	toolsPattern = regexp.MustCompile(`(c\d\d-\d{4}) tools=(\d)`)
)

func namesIn(text string) []string { return namePattern.FindAllString(text, -1) }

var (
	holdPattern     = regexp.MustCompile(`\bhold=(\w+):(\w+):(\d+)`)
	sendHoldPattern = regexp.MustCompile(`\bsendhold=(\w+):(\w+)`)
)

// held is how long an order that pattern finds in text holds a worker up; 0 when there is none for it.
func held(pattern *regexp.Regexp, worker, text string, rest ...string) time.Duration {
	m := pattern.FindStringSubmatch(text)
	if m == nil || m[1] != worker || !slices.Equal(m[3:], rest) {
		return 0
	}
	d, err := time.ParseDuration(m[2])
	if err != nil {
		panic(err)
	}
	return d
}

// changes are the keys of the changes that a message asks for.
func changes(name string) []string { return []string{name + "/a", name + "/b"} }

// wantsTools tells whether the message asks for tools.
func wantsTools(text string) bool {
	m := toolsPattern.FindStringSubmatch(text)
	return m != nil && m[2] != "0"
}

// effects is the file to which changes are appended, before its last line.
const (
	effects    = "log.txt"
	effectsEnd = "END"
)

// model is deterministic: what it does next follows from the request alone.
type model struct {
	report func(event)
	worker string
}

func (*model) Name() string { return "crashtest:scripted" }

func (m *model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		a, err := m.answer(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&llm.Chunk{Final: a}, nil)
	}
}

func (m *model) answer(ctx context.Context, req *llm.Request) (*llm.Answer, error) {
	if len(req.Tools) == 0 { // a summary of older history
		return &llm.Answer{Message: llm.AssistantText("summary"), Finish: llm.Stop}, nil
	}
	if err := llmtest.Check(req); err != nil {
		m.report(event{Kind: "invalid", Text: err.Error()})
	}
	asked, called := turnOf(req)
	m.report(event{Kind: "model", Names: namesIn(asked), Calls: len(called)})
	wait := rand.N(6 * time.Millisecond)
	if hold := held(holdPattern, m.worker, asked, strconv.Itoa(len(called))); hold > 0 {
		wait = hold
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if calls := nextCalls(asked, called); len(calls) > 0 {
		msg := llm.Message{Role: llm.Assistant}
		for i, c := range calls {
			c.ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i)
			msg.Parts = append(msg.Parts, llm.Part{Call: &c})
		}
		return &llm.Answer{Message: msg, Finish: llm.Calls}, nil
	}
	text := "done: " + strings.Join(namesIn(asked), " ")
	if order := sendHoldPattern.FindString(asked); order != "" {
		text += " " + order
	}
	return &llm.Answer{Message: llm.AssistantText(text), Finish: llm.Stop}, nil
}

// turnOf is what was asked and which calls were made since the last answer in words.
func turnOf(req *llm.Request) (asked string, called []string) {
	for i := range req.Messages {
		msg := &req.Messages[i]
		switch {
		case msg.Role == llm.User:
			asked += msg.Text() + "\n"
		case msg.Role == llm.Assistant && len(msg.Calls()) == 0:
			asked, called = "", nil
		case msg.Role == llm.Assistant:
			for _, c := range msg.Calls() {
				called = append(called, c.Args)
			}
		}
	}
	return asked, called
}

// nextCalls are the calls of the next step: those of the first message that wants some it has not had.
func nextCalls(asked string, called []string) []llm.Call {
	for _, m := range toolsPattern.FindAllStringSubmatch(asked, -1) {
		if m[2] == "0" {
			continue
		}
		var missing []llm.Call
		for _, c := range callsOf(m[1]) {
			if !slices.Contains(called, c.Args) {
				missing = append(missing, c)
			}
		}
		if len(missing) > 0 && m[2] == "1" {
			return missing[:1]
		}
		if len(missing) > 0 {
			return missing
		}
	}
	return nil
}

// callsOf reads and then appends two lines to the effects, where a second execution would show.
func callsOf(name string) []llm.Call {
	calls := []llm.Call{{Name: "read_file", Args: fmt.Sprintf(`{"path":%q,"limit":%d}`, effects, serial(name)%40+1)}}
	for _, key := range changes(name) {
		calls = append(calls, llm.Call{Name: "edit", Args: fmt.Sprintf(
			`{"path":%q,"old":%q,"new":%q}`, effects, effectsEnd, key+"\n"+effectsEnd)})
	}
	return calls
}

func serial(name string) int {
	n, err := strconv.Atoi(name[len(name)-4:])
	if err != nil {
		panic(err)
	}
	return n
}
