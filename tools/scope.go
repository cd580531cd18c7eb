package tools

import (
	"slices"

	"github.com/leadhand/leadhand/channels"
)

// Scope says for whom and where a run acts. It travels by value, is stored with queued work, and only narrows: a
// child never sees more than its parent.
type Scope struct {
	Tenant  string `json:"tenant"`
	Agent   string `json:"agent"`
	User    string `json:"user"` // person on whose behalf the run acts
	Role    string `json:"role"`
	Session string `json:"session"`

	Conversation channels.Conversation `json:"conversation"`
	Cap          Allowlist             `json:"cap"`
	Depth        int                   `json:"depth,omitempty"` // how many agents up the first one is
}

// Child is the scope of work that s hands to another agent. Place, person, role and cap stay.
func (s Scope) Child(agent, session string) Scope {
	s.Agent, s.Session = agent, session
	s.Depth++
	return s
}

// Allowlist limits which tools a place may use. The zero value allows all.
type Allowlist struct {
	// Limited tells "only Names" (none, when Names is empty) from "no limit here".
	Limited bool     `json:"limited,omitempty"`
	Names   []string `json:"names,omitempty"`
}

// Allows tells whether the tool called name may be used.
func (a Allowlist) Allows(name string) bool { return !a.Limited || slices.Contains(a.Names, name) }
