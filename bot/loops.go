package bot

import (
	"context"
	"fmt"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// maxBots is how many messages of other programs are answered in a session until a person writes in it again: two bots
// that answer each other never stop by themselves.
const maxBots = 5

// loops tells whether a message is one of another program too many. The first is said aloud.
func (r *Router) loops(ctx context.Context, it *inbox.Item) (bool, error) {
	in := &it.Message
	if !in.Sender.Bot {
		return false, nil
	}
	n, since, err := r.cfg.Inbox.Bots(ctx, it.Session)
	if err != nil || n < maxBots {
		return false, err
	}
	r.cfg.Log.Warn("another bot is not answered: it and this one may be answering each other",
		"channel", in.Conversation.Channel, "user", person(in), "session", it.Session, "messages", n)
	return true, r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key:          fmt.Sprintf("loop/%s/%d", it.Session, since),
		Conversation: in.Conversation,
		Text: fmt.Sprintf("Other bots wrote to me %d times here and no person did, so I don't answer them any more. "+
			"I go on when a person writes.", n),
	})
}
