package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/channels"
)

// undeliveredKey begins the keys of messages that tell of others.
const undeliveredKey = "undelivered/"

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

// undeliverable counts and reports a message that was given up, to whoever runs the bot and, if only this message is
// refused, where it was to be shown. One to the place of notices itself is only logged.
func (a *App) undeliverable(ctx context.Context, r *outbox.Row, err error) {
	to := r.Message.Conversation
	a.metrics.undelivered.WithLabelValues(to.Channel).Inc()
	ce, known := errors.AsType[*channels.Error](err)
	if known && !ce.Gone && !strings.HasPrefix(r.Message.Key, undeliveredKey) {
		ref := bot.Reference(r.Message.Key)
		a.log.Info("people are told that a message can't be shown", "ref", ref, "key", r.Message.Key)
		perr := a.outbox.Post(ctx, r.Tenant, "", channels.Outbound{
			Key: undeliveredKey + r.Message.Key, Conversation: to, ReplyTo: r.Message.ReplyTo,
			Text: fmt.Sprintf("I have an answer, but the messenger refuses to show it. It is kept; whoever runs me finds "+
				"the reason in the log. (reference %s)", ref),
		})
		if perr != nil {
			a.log.Error("tell that a message could not be shown", "err", perr)
		}
	}
	if to != a.cfg.Notices.conversation() {
		a.notice(ctx, fmt.Sprintf("A message to %s could not be delivered after %d attempts. It is kept; the log says why.",
			to, r.Attempts))
	}
}
