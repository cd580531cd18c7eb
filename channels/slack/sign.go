package slack

import (
	"context"
	"errors"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// Typing implements channels.Typer. Slack has a sign only in threads of a person's chat with the bot; it goes away
// when the bot answers.
func (c *Channel) Typing(ctx context.Context, conv channels.Conversation) error {
	to, err := spotOf(conv)
	if err != nil {
		return err
	}
	if !direct(to.chat) || to.thread == "" {
		return nil
	}
	c.signs.Store(to, true)
	return c.status(ctx, to, "is working on it…")
}

func (c *Channel) status(ctx context.Context, to spot, text string) error {
	return c.api.call(ctx, "assistant.threads.setStatus", to.chat, func(ctx context.Context) error {
		return c.api.SetAssistantThreadsStatusContext(ctx, slackgo.AssistantThreadsSetStatusParameters{
			ChannelID: to.chat, ThreadTS: to.thread, Status: text,
		})
	})
}

// unsign takes the sign of Typing away after an answer: Slack does it only when something is posted, and most answers
// take the place of a preview.
func (c *Channel) unsign(ctx context.Context, to spot) {
	if _, shown := c.signs.LoadAndDelete(to); !shown {
		return
	}
	if err := c.status(ctx, to, ""); err != nil {
		c.env.Log.Debug("take a typing sign away", "err", err)
	}
}

// MarkSeen implements channels.Marker with a reaction; where that is not allowed, with the sign of Typing. What has no
// message, such as a slash command, was acknowledged by itself.
func (c *Channel) MarkSeen(ctx context.Context, conv channels.Conversation, id channels.MessageID) error {
	to, err := spotOf(conv)
	if err != nil {
		return err
	}
	if !isTS(string(id)) {
		return nil
	}
	err = c.api.call(ctx, "reactions.add", to.chat, func(ctx context.Context) error {
		return c.api.AddReactionContext(ctx, "eyes", slackgo.NewRefToMessage(to.chat, string(id)))
	})
	f, failed := errors.AsType[*failure](err)
	if !failed || f.is("already_reacted") {
		return nil
	}
	c.env.Log.Debug("mark a message as seen", "err", err)
	return c.Typing(ctx, conv)
}
