package place

import (
	"errors"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// ErrChanged refuses a change: somebody else made one meanwhile.
var ErrChanged = errors.New("somebody changed it meanwhile")

// Effective is what counts in one conversation: each value with its source.
type Effective struct {
	Conversation channels.Conversation
	settings     []Setting // narrowest first
	agents       []string  // that there are; nil when nobody knows
}

// Get is the setting that counts; nil when nothing is set.
func (e *Effective) Get(key Key) *Setting {
	for i := range e.settings {
		if e.settings[i].Key == key {
			return &e.settings[i]
		}
	}
	return nil
}

// Here is what is set for exactly one place; nil when nothing is.
func (e *Effective) Here(at channels.Conversation, key Key) *Setting {
	for i := range e.settings {
		if e.settings[i].Key == key && e.settings[i].At == at {
			return &e.settings[i]
		}
	}
	return nil
}

func (e *Effective) value(key Key, otherwise string) string {
	if s := e.Get(key); s != nil {
		return s.Value
	}
	return otherwise
}

// Answer is when the bot answers.
func (e *Effective) Answer() Answer { return Answer(e.value(KeyAnswer, string(Mention))) }

// Reply is where answers stand; empty when nothing is set.
func (e *Effective) Reply() Reply { return Reply(e.value(KeyReply, "")) }

// Model is the model that the agent asks; empty: its own.
func (e *Effective) Model() string { return e.value(KeyModel, "") }

// Muted tells whether the bot leaves the place alone: it answers only who names it.
func (e *Effective) Muted() bool { return e.value(KeyMute, "") != "" }

// Agent is the agent that answers; otherwise when none is set, or one that is not there any more.
func (e *Effective) Agent(otherwise string) string {
	name := e.value(KeyAgent, otherwise)
	if e.agents != nil && !slices.Contains(e.agents, name) {
		return otherwise
	}
	return name
}

// Steers tells whether messages join a running turn; otherwise when nothing is set.
func (e *Effective) Steers(otherwise bool) bool {
	if s := e.Get(KeySteering); s != nil {
		return s.Value == "steer"
	}
	return otherwise
}

// Prompt is what is added to the agent's instructions, of the widest place first: a topic adds to what its chat says.
func (e *Effective) Prompt() string {
	var parts []string
	for i := len(e.settings) - 1; i >= 0; i-- {
		if e.settings[i].Key == KeyPrompt {
			parts = append(parts, e.settings[i].Value)
		}
	}
	return strings.Join(parts, "\n\n")
}

// ToolRule is one list of tools that counts, with its source.
type ToolRule struct {
	ToolList
	Setting *Setting
}

// Tools are the lists that count, narrowest first. A tool must pass all of them: a topic can't have what its chat
// leaves out.
func (e *Effective) Tools() []ToolRule {
	var rules []ToolRule
	for i := range e.settings {
		s := &e.settings[i]
		if s.Key != KeyTools {
			continue
		}
		if l := ReadTools(s.Value); l.Limited || len(l.Deny) > 0 {
			rules = append(rules, ToolRule{l, s})
		}
	}
	return rules
}

// With is what would count if a setting were set, or taken away when its value is empty.
func (e *Effective) With(s Setting) *Effective {
	other := &Effective{Conversation: e.Conversation, agents: e.agents}
	for _, old := range e.settings {
		if old.Key != s.Key || old.At != s.At {
			other.settings = append(other.settings, old)
		}
	}
	if s.Value != "" {
		other.settings = append(other.settings, s)
	}
	narrowestFirst(other.settings)
	return other
}

// Allows tells whether the place allows a tool.
func (e *Effective) Allows(d *tools.Descriptor) bool {
	for _, r := range e.Tools() {
		if !r.allowlist().Allows(d) {
			return false
		}
	}
	return true
}

func (l ToolList) allowlist() tools.Allowlist {
	return tools.Allowlist{Limited: l.Limited, Names: l.Only, Denied: l.Deny}
}
