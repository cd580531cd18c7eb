package command

import (
	"context"
	"strings"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

const helpWord = "help"

// help lists what the person may use, or how one verb is used.
func (r *Registry) help() Verb {
	return Verb{
		Name: helpWord, Help: "show this; `help <command>` shows more about one", Role: access.Guest, Free: true,
		Complete: func(_ context.Context, _ *bot.Request, args string) (fits []channels.Option) {
			for _, v := range r.verbs {
				if strings.HasPrefix(v.Name, strings.ToLower(args)) {
					fits = append(fits, channels.Option{Text: v.Name, Value: v.Name})
				}
			}
			return fits
		},
		Do: func(_ context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			if args != "" {
				v := r.find(args)
				if v == nil {
					return r.unknown(args), nil
				}
				return &bot.Answer{Text: v.usage(), Aside: true}, nil
			}
			lines := []string{"Write what you need in plain words. Commands:\n"}
			for _, v := range r.verbs {
				if req.Person.Role.AtLeast(v.Role) {
					lines = append(lines, "- `"+v.Name+"` – "+v.Help)
				}
			}
			return &bot.Answer{Text: strings.Join(lines, "\n"), Aside: true}, nil
		},
	}
}
