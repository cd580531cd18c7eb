package llm

import (
	"crypto/rand"
	"errors"
	"strings"
)

// NewAnswer finishes what an adapter read: it drops empty parts, gives every call an id of its own, and corrects the
// finish reason by whether there are calls. An answer with neither text nor calls is a BadAnswer error, unless the
// model refused.
func NewAnswer(provider string, parts []Part, usage Usage, finish Finish) (*Answer, error) {
	m := Message{Role: Assistant}
	useful := false
	seen := map[string]bool{}
	for _, p := range parts {
		if p.Reasoning == nil && p.Call == nil && p.Text == "" {
			continue
		}
		if p.Call != nil {
			if p.Call.ID == "" || seen[p.Call.ID] {
				p.Call.ID = "call_" + rand.Text()
			}
			seen[p.Call.ID] = true
			if strings.TrimSpace(p.Call.Args) == "" {
				p.Call.Args = "{}"
			}
		}
		useful = useful || p.Call != nil || strings.TrimSpace(p.Text) != ""
		m.Parts = append(m.Parts, p)
	}
	switch {
	case !useful && finish == Length:
		return nil, &Error{Provider: provider, Reason: BadAnswer,
			Err: errors.New("the token limit was used up before any text")}
	case !useful && finish != Refused:
		return nil, &Error{Provider: provider, Reason: BadAnswer, Err: errors.New("the answer is empty")}
	case len(seen) > 0 && finish != Refused && finish != Length:
		finish = Calls
	case len(seen) == 0 && finish == Calls, finish == "":
		finish = Stop
	}
	return &Answer{Message: m, Usage: usage, Finish: finish, Model: provider}, nil
}
