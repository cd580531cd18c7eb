package agent

import (
	"context"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/tools"
)

// Spec is a configured agent.
type Spec struct {
	Name         string
	Model        llm.Provider
	Choices      map[string]llm.Provider // models that people may choose in its place, by name; see tools.Scope
	Window       int                     // tokens the model can see; 0 means 128,000
	Instructions string                  // who the agent is and how it works, in Markdown; sections show it
	MaxSteps     int                     // model calls in one turn; 0 means 50
	MaxOutput    int                     // tokens of one answer; 0 leaves it to the model's adapter
}

const (
	defaultWindow   = 128_000
	defaultMaxSteps = 50
)

// model is the one that a run asks: the chosen one, if there is such.
func (s *Spec) model(chosen string) llm.Provider {
	if p, ok := s.Choices[chosen]; ok {
		return p
	}
	return s.Model
}

func (s *Spec) window() int {
	if s.Window > 0 {
		return s.Window
	}
	return defaultWindow
}

func (s *Spec) maxSteps() int {
	if s.MaxSteps > 0 {
		return s.MaxSteps
	}
	return defaultMaxSteps
}

// Section adds one block to the system prompt: persona, context files, skills, memory, team roster. It is rendered once
// per run. The text must depend on nothing that changes from turn to turn (no clock, no counters, no map order), or the
// provider's prompt cache is lost. An empty text adds no block; an error ends the run.
type Section interface {
	Render(ctx context.Context, b *Briefing) (string, error)
}

// Briefing is what a system prompt is written from.
type Briefing struct {
	Spec  *Spec
	Scope tools.Scope
	Plan  *tools.Plan // of the tools that the run is offered
}
