package command

import (
	"context"
	"fmt"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// Sessions finds and ends the sessions of conversations.
type Sessions interface {
	End(ctx context.Context, tenant, agent string, c channels.Conversation) (messages int, found bool, err error)
	Busy(ctx context.Context, tenant string, c channels.Conversation) ([]inbox.Busy, error)
}

// Fresh starts a new session in a conversation. agent tells who answers there.
func Fresh(tenant string, sessions Sessions, agent func(context.Context, channels.Conversation) (string, error)) Verb {
	return Verb{
		Name: "new", Help: "start a new session here; the old one is kept", Role: access.Member,
		Do: func(ctx context.Context, req *bot.Request, _ string) (*bot.Answer, error) {
			who, err := agent(ctx, req.In.Conversation)
			if err != nil {
				return nil, err
			}
			n, found, err := sessions.End(ctx, tenant, who, req.In.Conversation)
			switch {
			case err != nil:
				return nil, err
			case !found:
				return openly("This is a new session already."), nil
			}
			return &bot.Answer{
				Text: fmt.Sprintf("New session. The old one, with %s of yours, is kept.", bot.Count(n, "message")),
			}, nil
		},
	}
}
