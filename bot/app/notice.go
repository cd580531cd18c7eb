package app

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/channels"
)

// notice tells whoever runs the bot, where the configuration says. What it tells is in the log anyway.
func (a *App) notice(ctx context.Context, text string) {
	to := a.cfg.Notices.conversation()
	if to.Channel == "" {
		return
	}
	err := a.outbox.Post(ctx, tenant, "", channels.Outbound{
		Key: "notice/" + uuid.NewString(), Conversation: to, Text: text,
	})
	if err != nil {
		a.log.Error("post notice", "err", err)
	}
}

func (p Place) conversation() channels.Conversation {
	return channels.Conversation{Channel: p.Channel, Chat: channels.ChatID(p.Chat), Topic: channels.TopicID(p.Topic)}
}

// undeliverable counts and reports a message that was given up. One to the place of notices itself is only logged.
func (a *App) undeliverable(ctx context.Context, r *outbox.Row, _ error) {
	to := r.Message.Conversation
	a.metrics.undelivered.WithLabelValues(to.Channel).Inc()
	if to != a.cfg.Notices.conversation() {
		a.notice(ctx, fmt.Sprintf("A message to %s could not be delivered after %d attempts. It is kept; the log says why.",
			to, r.Attempts))
	}
}
