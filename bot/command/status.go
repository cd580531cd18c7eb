package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// Status tells what runs and what waits in a conversation. It is answered at once, whatever runs.
func Status(tenant string, sessions Sessions) Verb {
	return Verb{
		Name: "status", Help: "what I am doing here, for whom, and what waits", Role: access.Guest,
		Do: func(ctx context.Context, req *bot.Request, _ string) (*bot.Answer, error) {
			busy, err := sessions.Busy(ctx, tenant, req.In.Conversation)
			if err != nil {
				return nil, err
			}
			if len(busy) == 0 {
				return aside("Nothing is running here, and nothing waits."), nil
			}
			var lines []string
			for _, b := range busy {
				lines = append(lines, working(b, time.Now()))
			}
			return aside("%s", strings.Join(lines, "\n")), nil
		},
	}
}

// working is what one session has to do, in words.
func working(b inbox.Busy, now time.Time) string {
	who := "somebody"
	if b.Senders[0].Name != "" {
		who = channels.Literal(b.Senders[0].Name)
	}
	line := fmt.Sprintf("- %s works on what %s asked for (%s)", channels.Literal(b.Agent), who, spell(now.Sub(b.Since)))
	if n := len(b.Senders) - 1; n > 0 {
		line += fmt.Sprintf("; %s waiting", bot.Count(n, "message"))
	}
	return line
}

// spell is how long something lasts, in words.
func spell(d time.Duration) string {
	if d < time.Minute {
		return bot.Count(max(int(d.Seconds()), 0), "second")
	}
	return bot.Count(int(d.Minutes()), "minute")
}
