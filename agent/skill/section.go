package skill

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/agent"
)

const (
	maxListed = 40   // skills in the system prompt
	maxRoom   = 6000 // characters of it for them
)

// Section tells an agent which skills there are. It says nothing to a run that may not use them.
type Section struct{ Library *Library }

var _ agent.Section = Section{}

// Render implements agent.Section.
func (s Section) Render(ctx context.Context, b *agent.Briefing) (string, error) {
	if _, err := b.Plan.Lookup(useSkill); err != nil {
		return "", nil
	}
	all, err := s.Library.For(ctx, b.Scope)
	if err != nil || len(all) == 0 {
		return "", err
	}
	var text strings.Builder
	text.WriteString("## Skills\n\nBefore you do something that one of these is for, read it with " + useSkill +
		" and follow it:\n")
	room, shown := maxRoom, 0
	for _, k := range all[:min(len(all), maxListed)] {
		line := "\n- " + k.Name + ": " + k.Description
		if room -= utf8.RuneCountInString(line); room < 0 {
			break
		}
		text.WriteString(line)
		shown++
	}
	if left := len(all) - shown; left > 0 {
		fmt.Fprintf(&text, "\n\nThere are %d more: ", left)
		if _, err := b.Plan.Lookup(searchSkills); err == nil {
			text.WriteString(searchSkills + " finds them.")
		} else {
			text.WriteString(useSkill + " tells their names.")
		}
	}
	return text.String(), nil
}
