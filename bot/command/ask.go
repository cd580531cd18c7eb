package command

import (
	"context"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
)

// Ask gives the agent a request, whatever word it begins with, and where a messenger takes only commands.
func Ask() Verb {
	return Verb{
		Name: "ask", Help: "ask me something, or say what to do; a mention does the same", Role: access.Guest, Free: true,
		Do: func(_ context.Context, _ *bot.Request, args string) (*bot.Answer, error) {
			if args == "" {
				return aside("Write what you need behind `ask`."), nil
			}
			return &bot.Answer{Request: args}, nil
		},
	}
}
