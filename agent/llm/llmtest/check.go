package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/leadhand/leadhand/agent/llm"
)

// Check tells what a strict vendor would refuse in a request: unknown roles, messages or parts without content, tools
// without a name or an object schema, empty or repeated call ids, results without their call and calls without a
// result. An empty assistant message is accepted, because a refusal leaves one.
func Check(req *llm.Request) error {
	if err := checkTools(req.Tools); err != nil {
		return err
	}
	if len(req.Messages) == 0 {
		return errors.New("no messages")
	}
	var open []string // ids of calls that wait for their result
	for i, m := range req.Messages {
		if m.Role != llm.ToolRole && len(open) > 0 {
			return fmt.Errorf("message %d: calls %v have no result", i, open)
		}
		var err error
		if open, err = checkMessage(&m, open); err != nil {
			return fmt.Errorf("message %d (%s): %w", i, m.Role, err)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls %v have no result", open)
	}
	if req.Messages[len(req.Messages)-1].Role == llm.Assistant {
		return errors.New("the last message is the assistant's own")
	}
	return nil
}

func checkTools(ts []llm.Tool) error {
	seen := map[string]bool{}
	for _, t := range ts {
		if t.Name == "" || seen[t.Name] {
			return fmt.Errorf("tool %q: the name is empty or repeated", t.Name)
		}
		seen[t.Name] = true
		var schema struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(t.Input, &schema); err != nil || schema.Type != "object" {
			return fmt.Errorf("tool %q: the input is no schema of type object: %s", t.Name, t.Input)
		}
	}
	return nil
}

// checkMessage returns the calls still open after m.
func checkMessage(m *llm.Message, open []string) ([]string, error) {
	switch m.Role {
	case llm.User, llm.Assistant, llm.ToolRole:
	default:
		return nil, errors.New("the role is unknown")
	}
	if len(m.Parts) == 0 && m.Role != llm.Assistant {
		return nil, errors.New("no parts")
	}
	for i, p := range m.Parts {
		if n := contents(&p); n != 1 {
			return nil, fmt.Errorf("part %d has %d contents, not one", i, n)
		}
		switch {
		case p.Result != nil:
			if m.Role != llm.ToolRole {
				return nil, fmt.Errorf("part %d is a result outside a tool message", i)
			}
			at := slices.Index(open, p.Result.CallID)
			if at < 0 {
				return nil, fmt.Errorf("result for %q has no open call", p.Result.CallID)
			}
			open = slices.Delete(open, at, at+1)
		case m.Role == llm.ToolRole:
			return nil, fmt.Errorf("part %d of a tool message is no result", i)
		case p.Call != nil:
			if m.Role != llm.Assistant {
				return nil, fmt.Errorf("part %d is a call outside an assistant message", i)
			}
			if p.Call.ID == "" || p.Call.Name == "" || slices.Contains(open, p.Call.ID) {
				return nil, fmt.Errorf("call %q of %q: the id or name is empty or repeated", p.Call.ID, p.Call.Name)
			}
			open = append(open, p.Call.ID)
		}
	}
	return open, nil
}

func contents(p *llm.Part) int {
	n := 0
	for _, set := range []bool{p.Text != "", p.Reasoning != nil, p.Image != nil, p.Call != nil, p.Result != nil} {
		if set {
			n++
		}
	}
	return n
}
