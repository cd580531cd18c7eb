package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// Stopper ends what runs in a session, and with all drops what waits.
type Stopper func(ctx context.Context, session string, all bool) (stopped, waiting int, err error)

// Stop ends what runs in a conversation, for whoever began it and for leads. What it ended says so itself, so there is
// no answer unless there was nothing to end. It never waits in a queue.
func Stop(tenant string, sessions Sessions, end Stopper) Verb {
	return Verb{
		Name: bot.StopWord, Help: "end what I am doing here; `stop all` also drops what waits", Role: access.Guest,
		Changes: always,
		Subs:    []Sub{{Name: "all", Help: "also drop what waits"}},
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			busy, err := running(ctx, tenant, sessions, req)
			if err != nil {
				return nil, err
			}
			stopped, waiting := 0, 0
			for _, r := range busy {
				all := strings.EqualFold(args, "all")
				met := r.Senders[:1]
				if all {
					met = r.Senders
				}
				for _, who := range met {
					if who.Person != req.Person.ID && !req.Person.Role.AtLeast(access.Lead) {
						return nil, access.Lacks(req.Person, access.Lead, "stop what "+channels.Literal(who.Name)+" asked for")
					}
				}
				s, w, err := end(ctx, r.Session, all)
				if err != nil {
					return nil, err
				}
				stopped, waiting = stopped+s, waiting+w
			}
			switch {
			case stopped == 0:
				return aside("Nothing is running here."), nil
			case waiting > 0:
				return &bot.Answer{
					Text:    fmt.Sprintf("%s still waiting; `stop all` drops them too.", bot.Count(waiting, "message")),
					Buttons: [][]channels.Button{{bot.DropWaiting(time.Now())}},
				}, nil
			}
			return nil, nil
		},
	}
}

// running is what runs or waits where somebody speaks. Where that is nothing, it is what this person began in threads
// of the chat: words said at the top of a chat are for the chat.
func running(ctx context.Context, tenant string, sessions Sessions, req *bot.Request) ([]inbox.Busy, error) {
	at := req.In.Conversation
	busy, err := sessions.Busy(ctx, tenant, at)
	if err != nil || len(busy) > 0 || at.Topic != "" {
		return busy, err
	}
	busy, err = sessions.BusyBelow(ctx, tenant, at)
	return slices.DeleteFunc(busy, func(b inbox.Busy) bool { return b.Senders[0].Person != req.Person.ID }), err
}
