package app

import (
	"context"
	"strings"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/channels"
)

// Team is whom the bot works for. Agents are told.
type Team struct {
	Name  string `yaml:"name"`
	Owner string `yaml:"owner"` // the name of the person who set the bot up; it gives no rights
}

var _ agent.Section = Team{}

// Render implements agent.Section.
func (t Team) Render(context.Context, *agent.Briefing) (string, error) {
	var words []string
	if t.Name != "" {
		words = append(words, "You work for the team "+quoted(t.Name)+".")
	}
	if t.Owner != "" {
		words = append(words, quoted(t.Owner)+" set you up.")
	}
	if len(words) == 0 {
		return "", nil
	}
	return "## Your team\n\n" + strings.Join(words, " "), nil
}

// quoted is a name in one line.
func quoted(name string) string { return "“" + channels.OneLine(name) + "”" }
