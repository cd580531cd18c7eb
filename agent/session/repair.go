package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/agent/llm"
)

// Interrupted is the result of a call of which nobody knows whether it happened.
const Interrupted = "interrupted: the program stopped while this ran; it may have happened. " +
	"Check before doing it again."

// noBeginning opens a history that would not begin with a user message, which providers refuse.
const noBeginning = "The beginning of this conversation is not available."

// Repair makes any list of messages one that providers accept: every call has exactly one result, in one tool message
// directly after it; call ids are set and unique; nothing is empty; the first message is a user message. What is valid
// is not touched, so Repair of a repaired history changes nothing, and a longer history repairs to the same beginning.
// The input is not changed.
func Repair(ms []llm.Message) []llm.Message {
	r := repairer{used: map[string]bool{}, next: map[string]int{}}
	for i := 0; i < len(ms); {
		m := cleaned(&ms[i])
		i++
		if m.Role == llm.ToolRole || !substantial(&m) {
			continue // results without a call
		}
		if len(m.Calls()) == 0 {
			r.out = append(r.out, m)
			continue
		}
		end := i
		for end < len(ms) && ms[end].Role != llm.Assistant {
			end++
		}
		r.pair(m, ms[i:end])
		i = end
	}
	if len(r.out) > 0 && r.out[0].Role != llm.User {
		r.out = slices.Insert(r.out, 0, llm.UserText(Note(noBeginning)))
	}
	return r.out
}

type repairer struct {
	out  []llm.Message
	used map[string]bool // call ids so far
	next map[string]int  // by wanted id: the number to try next when it is taken
}

// pair emits a message with calls, the tool message with their results, and then whatever else stood among the results.
func (r *repairer) pair(m llm.Message, span []llm.Message) {
	var results []llm.Part
	var others []llm.Message
	for i := range span {
		s := cleaned(&span[i])
		if s.Role == llm.ToolRole {
			results = append(results, s.Parts...)
		} else if substantial(&s) {
			others = append(others, s)
		}
	}
	answers := llm.Message{Role: llm.ToolRole}
	for i, p := range m.Parts {
		if p.Call == nil {
			continue
		}
		answer, ok := take(&results, p.Call)
		if !ok {
			answer.Result = &llm.Result{Text: Interrupted, IsError: true}
		}
		call := *p.Call
		call.ID, call.Name = r.freeID(call.ID), validName(call.Name)
		m.Parts[i].Call = &call
		result := *answer.Result
		result.CallID, result.Name = call.ID, call.Name
		if strings.TrimSpace(result.Text) == "" {
			result.Text = "(no output)"
		}
		answers.Parts = append(answers.Parts, llm.Part{Result: &result, Meta: answer.Meta})
	}
	r.out = append(r.out, m, answers)
	r.out = append(r.out, others...)
}

// take removes the first result that answers call from results.
func take(results *[]llm.Part, call *llm.Call) (llm.Part, bool) {
	for i, p := range *results {
		if p.Result.CallID == call.ID && (call.ID != "" || p.Result.Name == call.Name) {
			*results = slices.Delete(*results, i, i+1)
			return p, true
		}
	}
	return llm.Part{}, false
}

// freeID is id, or one like it if another call has it: some providers want ids unique in the whole request, while
// others number the calls of each answer from zero.
func (r *repairer) freeID(id string) string {
	base := id
	if base == "" {
		base = "call"
	}
	free := base
	for n := max(2, r.next[base]); r.used[free]; n++ {
		free = fmt.Sprintf("%s_%d", base, n)
		r.next[base] = n + 1
	}
	r.used[free] = true
	return free
}

// validName is the form of tool names that all providers accept in a history. Only names that a model invented differ.
func validName(name string) string {
	const maxName = 64
	if name == "" {
		return "unknown"
	}
	name = strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return '_'
	}, name)
	return name[:min(len(name), maxName)]
}

// cleaned is a copy of m without the parts that do not belong to its role or hold nothing.
func cleaned(m *llm.Message) llm.Message {
	c := llm.Message{Role: m.Role}
	for _, p := range m.Parts {
		var keep bool
		switch {
		case p.Call != nil:
			p, keep = llm.Part{Call: p.Call, Meta: p.Meta}, m.Role == llm.Assistant
		case p.Result != nil:
			p, keep = llm.Part{Result: p.Result, Meta: p.Meta}, m.Role == llm.ToolRole
		case p.Image != nil:
			p, keep = llm.Part{Image: p.Image, Meta: p.Meta}, m.Role == llm.User && len(p.Image.Data) > 0
		case p.Reasoning != nil:
			p, keep = llm.Part{Reasoning: p.Reasoning, Meta: p.Meta}, m.Role == llm.Assistant
		default:
			keep = strings.TrimSpace(p.Text) != "" && (m.Role == llm.User || m.Role == llm.Assistant)
		}
		if keep {
			c.Parts = append(c.Parts, p)
		}
	}
	return c
}

// substantial tells whether a cleaned message says anything: reasoning alone does not.
func substantial(m *llm.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p llm.Part) bool { return p.Reasoning == nil })
}
