package slack

import (
	"cmp"
	"context"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// NameOf implements channels.Namer. Threads and chats of few people have no names.
func (c *Channel) NameOf(ctx context.Context, conv channels.Conversation) (string, error) {
	to, err := spotOf(conv)
	if err != nil || to.thread != "" || direct(to.chat) {
		return "", err
	}
	room, err := c.room(ctx, to.chat)
	return room.name, err
}

// room is what a channel is called, "#web"; empty for a chat of few people.
func (c *Channel) room(ctx context.Context, id string) (calling, error) {
	if kept, ok := c.names.get(id); ok {
		return kept, nil
	}
	var found *slackgo.Channel
	err := c.api.call(ctx, "conversations.info", id, func(ctx context.Context) (err error) {
		found, err = c.api.GetConversationInfoContext(ctx, &slackgo.GetConversationInfoInput{ChannelID: id})
		return err
	})
	if err != nil {
		c.names.keep(id, calling{}, nameFault)
		return calling{}, err
	}
	room := calling{secret: found.IsPrivate}
	if found.Name != "" && !found.IsIM && !found.IsMpIM {
		room.name = "#" + found.Name
	}
	c.names.keep(id, room, nameAge)
	return room, nil
}

// nameIn is what a person or a channel that a text names is called; the id when Slack does not tell it until ctx is
// done. Who reads the text may not be in a private channel, whose name is none of theirs.
func (c *Channel) nameIn(ctx context.Context) func(id string) string {
	return func(id string) string {
		if !strings.HasPrefix(id, "C") && !strings.HasPrefix(id, "G") {
			return c.called(ctx, id)
		}
		room, err := c.room(ctx, id)
		if err != nil {
			c.env.Log.Debug("look up a channel's name", "chat", id, "err", err)
		}
		if room.secret {
			return "private-channel"
		}
		return cmp.Or(room.name, id)
	}
}
