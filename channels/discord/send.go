package discord

import (
	"context"
	"errors"
	"fmt"

	"github.com/leadhand/leadhand/channels"
)

// Send implements channels.Channel. A message is delivered in parts, each one request. A part whose answer never came
// is sent again: Discord knows it by its nonce, for some minutes, and does not show it twice.
func (c *Channel) Send(ctx context.Context, m *channels.Outbound) (channels.MessageID, error) {
	channel, err := target(m.Conversation)
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, Gone: true, NotTaken: true, Err: err}
	}
	parts, err := c.parts(m)
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, NotTaken: true, Err: err}
	}
	done := min(m.Attempt.Parts, len(parts))
	var id channels.MessageID
	for i, p := range parts[done:] {
		got, err := c.send(ctx, channel, p, m.Card)
		if err != nil {
			return "", c.refused(ctx, channel, err)
		}
		if id == "" {
			id = got
		}
		if i+1 < len(parts)-done && m.Attempt.Delivered != nil {
			if err := m.Attempt.Delivered(ctx, done+i+1); err != nil {
				return "", &channels.Error{Op: "send", NotTaken: true, Err: err}
			}
		}
	}
	c.told.over(aboutRights + channel)
	return id, nil
}

// send delivers a part. What Discord refuses for a reason that can be helped is sent in another way, once.
func (c *Channel) send(ctx context.Context, channel string, p part, card *channels.Card) (channels.MessageID, error) {
	for {
		id, err := c.deliver(ctx, channel, p)
		f, failed := errors.AsType[*failure](err)
		switch {
		case !failed:
			return id, err
		case p.remove && (f.uneditable() || f.gone()): // it is gone already, or stays
			return "", nil
		case p.edit != "" && f.uneditable():
			p = p.anew()
		case p.edit == "" && p.Reference != nil && f.badReference():
			p = p.withoutReference()
		case len(p.files) > 0 && f.badFiles():
			c.env.Log.Warn("Discord refused files: sent without them", "err", f)
			p = p.withoutFiles()
		case len(p.Embeds) > 0 && f.badForm():
			c.env.Log.Warn("Discord refused a card: sent as text", "err", f)
			p = unembedded(p, card)
		default:
			return "", f
		}
	}
}

// refused makes of a failed part what the outbox needs to know, and tells an admin about a missing right.
func (c *Channel) refused(ctx context.Context, channel string, err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return err
	}
	if f.gone() {
		c.api.limits.close(channel)
	}
	if fix := f.fix(); fix != "" {
		c.env.Log.Error("the bot may not write into a channel: "+fix, "chat", channel, "err", f)
		c.notice(ctx, aboutRights+channel, fmt.Sprintf(
			"The bot may not write into channel %s on %s: %s.", channel, c.name, fix))
	}
	return f.channelError(f.op)
}
