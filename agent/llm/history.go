package llm

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
)

// Tidy brings a history into the form that vendors agree on: blank texts and empty messages are dropped, and neighbours
// of the same role become one message. It doesn't change msgs, and a longer history tidies to the same beginning.
func Tidy(msgs []Message) []Message {
	var out []Message
	for _, m := range msgs {
		parts := make([]Part, 0, len(m.Parts))
		for _, p := range m.Parts {
			if !p.blank() {
				parts = append(parts, p)
			}
		}
		if len(parts) == 0 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == m.Role {
			out[last].Parts = append(out[last].Parts, parts...)
			continue
		}
		out = append(out, Message{Role: m.Role, Parts: parts})
	}
	return out
}

// blank tells whether there is nothing in p that a vendor would accept.
func (p *Part) blank() bool {
	return p.Reasoning == nil && p.Image == nil && p.Call == nil && p.Result == nil && strings.TrimSpace(p.Text) == ""
}

// ArgsObject is the arguments of a call as a JSON object. What the model wrote as something else is kept in a field,
// so that the model sees its mistake and a vendor still accepts the history.
func (c *Call) ArgsObject() json.RawMessage {
	args := strings.TrimSpace(c.Args)
	if args == "" {
		return json.RawMessage("{}")
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return json.RawMessage(args)
	}
	wrapped, _ := json.Marshal(map[string]string{"invalid_arguments": c.Args})
	return wrapped
}

// CallIDs gives the calls of a history ids that its reader accepts, whoever made them: no longer than max, only
// characters that allowed takes (nil: all), no repetition. Calls and results must be asked for in order.
type CallIDs struct {
	max     int
	allowed func(rune) bool
	current map[string]string
	used    map[string]bool
}

// NewCallIDs starts a history.
func NewCallIDs(max int, allowed func(rune) bool) *CallIDs {
	return &CallIDs{max: max, allowed: allowed, current: map[string]string{}, used: map[string]bool{}}
}

// Call is the id to send for a call.
func (c *CallIDs) Call(id string) string {
	sent := c.fit(id)
	for n := 2; c.used[sent]; n++ {
		sent = c.fit(fmt.Sprintf("%s\x00%d", id, n))
	}
	c.used[sent] = true
	c.current[id] = sent
	return sent
}

// Result is the id to send for the result of the latest call with that id.
func (c *CallIDs) Result(id string) string {
	if sent, ok := c.current[id]; ok {
		return sent
	}
	return c.fit(id)
}

func (c *CallIDs) fit(id string) string {
	fits := id != "" && len(id) <= c.max
	for _, r := range id {
		fits = fits && r != 0 && (c.allowed == nil || c.allowed(r))
	}
	if fits {
		return id
	}
	h := fnv.New128a()
	h.Write([]byte(id))
	return "call_" + hex.EncodeToString(h.Sum(nil))[:24]
}
