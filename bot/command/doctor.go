package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// pressWord is what the button of a checkup says: that pressing works.
const pressWord = "press"

// Examiner looks at everything that the bot depends on, and tells it in a conversation when it is done. The key names
// the request.
type Examiner func(ctx context.Context, key string, to channels.Conversation) error

// Doctor checks the whole setup for an admin. What it finds is for whoever runs the bot, so it is told in private.
// Pressed, which may be nil, is told who pressed the button that comes with it, once that is answered.
func Doctor(examine Examiner, pressed func(*access.Person)) Verb {
	return Verb{
		Name: "doctor", Help: "check what I depend on, and how to mend it", Role: access.Admin, Admins: true,
		Subs: []Sub{{Name: pressWord, Help: "what the button of a checkup does"}},
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			if args != "" {
				answer := openly("Buttons work: %s pressed one.", channels.Literal(req.Person.Name))
				if pressed != nil {
					answer.Posted = func() { pressed(req.Person) }
				}
				return answer, nil
			}
			to := req.In.Conversation
			if !req.In.Direct {
				i := slices.IndexFunc(req.Person.Direct, func(c channels.Conversation) bool { return c.Channel == to.Channel })
				if i < 0 {
					return aside("What I find is not for everybody: write `doctor` to me in a direct message."), nil
				}
				to = req.Person.Direct[i]
			}
			if err := examine(ctx, req.In.Conversation.Channel+"/"+req.In.EventKey, to); err != nil {
				return nil, err
			}
			if to != req.In.Conversation {
				return aside("I look at everything that I depend on, and tell you in a direct message in a minute or two."), nil
			}
			return openly("I look at everything that I depend on. That takes a minute or two at most."), nil
		},
	}
}

// Checkup shows findings, the worst first, and a button that shows that buttons work.
func Checkup(
	found []channels.Finding, worst func([]channels.Finding) channels.Level,
) (*channels.Card, [][]channels.Button) {
	card := &channels.Card{Title: "All is well", Tone: channels.Good}
	counts := map[channels.Level]int{}
	for _, f := range found {
		counts[f.Level]++
	}
	switch worst(found) {
	case channels.Fail:
		card.Title, card.Tone = bot.Count(counts[channels.Fail], "thing")+" to mend", channels.Bad
	case channels.Warn:
		card.Title, card.Tone = bot.Count(counts[channels.Warn], "thing")+" to look at", channels.Warning
	}
	var lines []string
	for _, level := range []channels.Level{channels.Fail, channels.Warn, channels.OK} {
		for _, f := range found {
			if f.Level != level {
				continue
			}
			line := fmt.Sprintf("- %s – %s", f.Level, channels.Literal(f.What))
			if f.Fix != "" {
				line += " – " + channels.Literal(f.Fix)
			}
			lines = append(lines, line)
		}
	}
	card.Body = strings.Join(lines, "\n")
	return card, [][]channels.Button{{TestButton()}}
}

// TestButton is a button that shows that buttons work.
func TestButton() channels.Button {
	return channels.Button{Text: "Press me", Command: channels.Command{Name: "doctor", Args: pressWord}}
}
