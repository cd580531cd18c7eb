package discord

import (
	"context"
	"errors"
	"fmt"

	"github.com/leadhand/leadhand/channels"
)

// Send implements channels.Channel. A message is delivered in parts, each one request. A part whose answer never came
// is sent again: Discord knows it by its nonce, for some minutes, and does not show it twice. Answers to interactions
// have no nonce; the first of them is an edit, which may be repeated.
func (c *Channel) Send(ctx context.Context, m *channels.Outbound) (channels.MessageID, error) {
	if _, err := target(m.Conversation); err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, Gone: true, NotTaken: true, Err: err}
	}
	parts, err := c.parts(m)
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, NotTaken: true, Err: err}
	}
	channel, err := c.open(ctx, m.Conversation)
	if f := asFailure(err); err != nil {
		return "", f.channelError("send")
	}
	parts[0].reference = referTo(m.ReplyTo, channel)
	r := c.routeOf(ctx, m, channel, parts[0].content)
	if m.To != "" && !r.alone && m.Edit != "" { // it can't be shown to one person alone
		parts[0].edit = m.Edit
	}
	done := min(m.Attempt.Parts, len(parts))
	if r.begun = done > 0; r.begun && m.To != "" && viaOf(m.Via) != nil && !r.alone {
		return "", errTorn()
	}
	var id channels.MessageID
	for i, p := range parts[done:] {
		got, err := c.send(ctx, r, p, m.Card)
		if err != nil && done+i == 0 && c.shut(ctx, m.Conversation, asFailure(err)) {
			return c.Send(ctx, m)
		}
		if err != nil {
			return "", c.refused(ctx, channel, err)
		}
		if r.begun = true; id == "" {
			id = got
		}
		if i+1 < len(parts)-done && m.Attempt.Delivered != nil {
			if err := m.Attempt.Delivered(ctx, done+i+1); err != nil {
				return "", &channels.Error{Op: "send", NotTaken: true, Err: err}
			}
		}
	}
	c.tidy(ctx, r, m, &parts[0])
	if !r.shut {
		c.told.over(aboutRights + channel)
		if m.Conversation.Topic == channels.TopicID(channel) {
			c.told.over(aboutThreads + string(m.Conversation.Chat))
		}
	}
	return id, nil
}

// send delivers a part. What Discord refuses for a reason that can be helped is sent in another way, once.
func (c *Channel) send(
	ctx context.Context, r *route, p part, card *channels.Card,
) (channels.MessageID, error) {
	for p = r.choose(p); ; {
		id, err := c.deliver(ctx, r.channel, p)
		f, failed := errors.AsType[*failure](err)
		switch {
		case !failed:
			return id, err
		case p.via != nil && f.over() && r.alone && r.begun:
			return "", errTorn()
		case p.via != nil && (f.over() || p.edit != "" && f.uneditable()):
			p = r.past(p, f.over())
		case p.remove && (f.uneditable() || f.gone()): // it is gone already, or stays
			return "", nil
		case p.via == nil && r.via != nil && f.gone():
			c.api.limits.close(r.channel)
			c.env.Log.Info("the bot may not write into a channel: it answers by the right of an interaction", "chat", r.channel)
			p = r.around(p)
		case len(p.files) > 0 && f.badFiles():
			c.env.Log.Warn("Discord refused files: sent without them", "err", f)
			p = p.withoutFiles()
		case p.edit != "" && f.uneditable():
			p = r.anew(p)
		case p.edit == "" && p.reference != nil && f.badReference():
			p = p.withoutReference()
		case f.badForm() && (len(p.v2) > 0 || p.edit != "" && !p.remove):
			c.env.Log.Warn("Discord refused the form of a message: sent in another", "err", f)
			p = p.otherwise(card)
		default:
			return "", f
		}
	}
}

// otherwise is a part in another form: a card as text, a text laid out with components (the message that it takes the
// place of may be, and stays so), or a text in a message of its own.
func (p part) otherwise(card *channels.Card) part {
	switch {
	case len(p.v2) > 0 && p.content == "":
		return p.uncarded(card)
	case len(p.v2) == 0:
		return p.laidOut()
	}
	p.v2 = nil
	return p.anew()
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
	return f.channelError("send")
}

// errTorn refuses the rest of a message of which one person was shown the beginning: all would see it.
func errTorn() error {
	return &channels.Error{
		Op: "send", Terminal: true, NotTaken: true, Err: errors.New("the rest can't be shown to one person alone any more"),
	}
}
