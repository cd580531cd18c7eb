package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// linkFor is how long a link code is good.
const linkFor = 10 * time.Minute

// Link gives a code that joins another account to the person who asks. It is shown to that person alone.
func Link(tenant string, codes access.Codes, people access.People) Verb {
	return Verb{
		Name: "link", Help: "get a code that joins your account on another messenger to this one", Role: access.Member,
		Changes: always,
		Do: func(ctx context.Context, req *bot.Request, _ string) (*bot.Answer, error) {
			if !req.In.Direct {
				return aside("Write `link` to me in a direct message: the code is for you alone."), nil
			}
			known, _, err := people.Find(ctx, tenant, access.AccountOf(req.In))
			if err != nil {
				return nil, err
			}
			if known == nil {
				return openly("Nobody let you in by name, so there is nothing to join."), nil
			}
			code := access.NewCode()
			if err := codes.Issue(ctx, tenant, access.LinkCode, code, known.ID, linkFor); err != nil {
				return nil, err
			}
			return &bot.Answer{
				Text: fmt.Sprintf("Write `link %s` to me in a direct message on the other messenger, within %d minutes. "+
					"It works once.", code, int(linkFor.Minutes())),
			}, nil
		},
	}
}

// WhoAmI tells a person how the bot knows them.
func WhoAmI(tenant string, people access.People) Verb {
	return Verb{
		Name: "whoami", Help: "how I know you: your accounts and your role", Role: access.Guest,
		Do: func(ctx context.Context, req *bot.Request, _ string) (*bot.Answer, error) {
			all, err := people.All(ctx, tenant)
			if err != nil {
				return nil, err
			}
			accounts := []string{"`" + inline(access.AccountOf(req.In).String()) + "`"}
			for _, p := range all {
				if p.ID != req.Person.ID {
					continue
				}
				accounts = nil
				for _, a := range p.Accounts {
					accounts = append(accounts, "`"+inline(a.String())+"`")
				}
			}
			return aside("You are %s, %s. I know you by %s.",
				channels.Literal(req.In.Sender.Name), req.Person.Role, strings.Join(accounts, ", ")), nil
		},
	}
}
