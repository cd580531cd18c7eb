package place

import (
	"context"

	"github.com/leadhand/leadhand/agent"
)

// Section tells an agent what is set for the place where it works.
type Section struct{ Book *Book }

var _ agent.Section = Section{}

// Render gives the prompts of the place; nothing if none is set.
func (s Section) Render(ctx context.Context, b *agent.Briefing) (string, error) {
	e, err := s.Book.At(ctx, b.Scope.Conversation)
	if err != nil || e.Prompt() == "" {
		return "", err
	}
	return "## What the people in charge of this place ask of you\n\n" + e.Prompt(), nil
}
