package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/nearest"
)

// Meter tells what turns used.
type Meter struct {
	Tenant string
	Spent  func(ctx context.Context, tenant string, by inbox.UsedBy) ([]inbox.Spent, error)
	People access.Known
}

// spans are how far back people look.
var spans = []struct {
	word string
	last string
	time.Duration
}{
	{"day", "In the last 24 hours", 24 * time.Hour},
	{"week", "In the last 7 days", 7 * 24 * time.Hour},
	{"month", "In the last 30 days", 30 * 24 * time.Hour},
}

// usualSpan is the number of the one that is meant when nobody says.
const usualSpan = 1

// Usage tells what was used: by a person, in a place, by everybody.
func Usage(m Meter) Verb {
	var words []string
	for _, s := range spans {
		words = append(words, s.word)
	}
	args := "[" + strings.Join(words, "|") + "]"
	return Verb{
		Name: "usage", Help: "tokens and cost of what I did", Role: access.Member,
		Subs: []Sub{
			{Name: "me", Args: args, Help: "for you"},
			{Name: "here", Args: args, Help: "in this place, by whom", Role: access.Lead},
			{Name: "team", Args: args, Help: "everywhere, by whom", Role: access.Admin},
		},
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			word, rest, _ := strings.Cut(strings.ToLower(args), " ")
			span := usualSpan
			if rest = strings.TrimSpace(rest); rest != "" {
				if span = slices.Index(words, rest); span < 0 {
					hint := strings.Join(words, ", ")
					if near := nearest.Nearest(rest, words, 1); len(near) > 0 {
						hint += fmt.Sprintf("; did you mean `%s`?", near[0])
					}
					return aside("`%s` is none of: %s", inline(rest), hint), nil
				}
			}
			by := inbox.UsedBy{Since: time.Now().Add(-spans[span].Duration)}
			whose := ""
			switch word {
			case "here":
				by.Place = req.In.Conversation
			case "team":
			default:
				by.Person, whose = req.Person.ID, " for you"
			}
			spent, err := m.Spent(ctx, m.Tenant, by)
			if err != nil {
				return nil, err
			}
			return m.told(ctx, spans[span].last+whose, spent, by.Person == "")
		},
	}
}

// mostSpenders is how many are listed; the others are in the sum.
const mostSpenders = 15

func (m Meter) told(ctx context.Context, when string, spent []inbox.Spent, byWhom bool) (*bot.Answer, error) {
	var sum inbox.Spent
	for _, s := range spent {
		sum.Turns += s.Turns
		sum.Usage = sum.Usage.Add(s.Usage)
	}
	if sum.Turns == 0 {
		return aside("%s I did nothing.", when), nil
	}
	lines := []string{when + ": " + consumed(sum)}
	if byWhom {
		all, err := m.People.All(ctx, m.Tenant)
		if err != nil {
			return nil, err
		}
		lines = append(lines, "")
		for _, s := range spent[:min(len(spent), mostSpenders)] {
			lines = append(lines, fmt.Sprintf("- %s, by %s: %s", nameIn(all, s.Person), channels.Literal(s.Agent), consumed(s)))
		}
		if more := len(spent) - mostSpenders; more > 0 {
			lines = append(lines, fmt.Sprintf("- and %d more", more))
		}
	}
	return aside("%s", strings.Join(lines, "\n")), nil
}

// nameIn is what a person is called; the id when nobody let them in by name.
func nameIn(all []access.Person, id string) string {
	if i := slices.IndexFunc(all, func(p access.Person) bool { return p.ID == id }); i >= 0 {
		return channels.Literal(all[i].Name)
	}
	return "`" + inline(id) + "`"
}

// consumed is what turns used, in words.
func consumed(s inbox.Spent) string {
	words := fmt.Sprintf("%s, %s tokens in", bot.Count(s.Turns, "turn"), thousands(s.Usage.Input))
	if s.Usage.CacheRead > 0 {
		words += fmt.Sprintf(" (%s from the cache)", thousands(s.Usage.CacheRead))
	}
	words += fmt.Sprintf(", %s out", thousands(s.Usage.Output))
	if s.Usage.Cost > 0 {
		words += ", " + dollars(s.Usage)
	}
	return words
}

// dollars is what was paid. What is less than a cent is shown as well.
func dollars(u llm.Usage) string {
	if d := float64(u.Cost) / 1e6; d < 0.01 {
		return fmt.Sprintf("$%.4f", d)
	}
	return fmt.Sprintf("$%.2f", float64(u.Cost)/1e6)
}

// thousands is a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
