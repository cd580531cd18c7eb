package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/nearest"
)

// skills sets which skills agents may use in a place.
func (t Topics) skills(
	ctx context.Context, req *bot.Request, at channels.Conversation, names string,
) (*bot.Answer, error) {
	if !req.Person.Role.AtLeast(access.Admin) {
		return nil, access.Lacks(req.Person, access.Admin, "say which skills I may use here")
	}
	installed, err := t.Skills()
	if err != nil { // asking again would not help
		return aside("I can't look at the skills: %s. `doctor` says what to do.", channels.Literal(err.Error())), nil
	}
	wanted := strings.FieldsFunc(strings.ToLower(names), func(r rune) bool { return r == ',' || r == ' ' })
	if len(wanted) == 0 {
		return aside("Name skills: `topic skills <names>`, or `none`; `topic reset skills` allows all. %s",
			there(installed)), nil
	}
	if len(wanted) == 1 && wanted[0] == noneWord {
		wanted = nil
	}
	for _, name := range wanted {
		if slices.Contains(installed, name) {
			continue
		}
		hint := there(installed)
		if near := nearest.Nearest(name, installed, 3); len(near) > 0 {
			hint = "The nearest are: " + strings.Join(near, ", ") + "."
		}
		return aside("There is no skill `%s`. %s", inline(name), hint), nil
	}
	return t.set(ctx, req, at, place.KeySkills, place.SkillList(wanted))
}

// there says which skills there are.
func there(installed []string) string {
	if len(installed) == 0 {
		return "There are none yet: whoever runs me can put folders with a SKILL.md into the folder skills of my data."
	}
	return fmt.Sprintf("There are: %s.", strings.Join(installed, ", "))
}

// skillsShown are skills in words.
func skillsShown(names []string) string {
	if len(names) == 0 {
		return noneWord
	}
	return strings.Join(names, ", ")
}
