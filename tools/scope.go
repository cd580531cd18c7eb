package tools

import "github.com/leadhand/leadhand/channels"

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
	// Model is the one of the agent's models that people chose for this work; empty: the agent's own.
	Model string `json:"model,omitempty"`
	Depth int    `json:"depth,omitempty"` // how many agents up the first one is
}

// Child is the scope of work that s hands to another agent. Place, person, role and cap stay; the model was chosen for
// the agent that hands it on.
func (s Scope) Child(agent, session string) Scope {
	s.Agent, s.Session, s.Model = agent, session, ""
	s.Depth++
	return s
}
