package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/leadhand/leadhand/channels"
)

// Send implements channels.Channel. A message is delivered in parts, each one call: texts of bounded length, files,
// albums. An answer that never came leaves open whether a part was shown; it is sent again, because a message that is
// seen twice is better than one that is not seen.
func (c *Channel) Send(ctx context.Context, m *channels.Outbound) (channels.MessageID, error) {
	to, err := c.spot(m.Conversation)
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, Gone: true, NotTaken: true, Err: err}
	}
	parts, err := c.parts(m, to)
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, NotTaken: true, Err: err}
	}
	parts = parts[min(m.Attempt.Parts, len(parts)):]
	if m.Attempt.Unsure && len(parts) > 0 && !parts[0].repeatable() {
		if err := c.probe(ctx, m.Conversation); err != nil {
			return "", err
		}
	}
	if to.moved {
		for i := range parts {
			parts[i] = parts[i].elsewhere()
		}
	}
	s := &sending{c: c, to: to}
	var id channels.MessageID
	for i, p := range parts {
		got, err := s.send(ctx, p)
		if err != nil {
			return "", err
		}
		id = cmp.Or(id, got)
		if i+1 < len(parts) && m.Attempt.Delivered != nil {
			if err := m.Attempt.Delivered(ctx, m.Attempt.Parts+i+1); err != nil {
				return "", &channels.Error{Op: "send", NotTaken: true, Err: err}
			}
		}
	}
	return id, nil
}

// probe makes sure that the server can be reached before something is sent that may have been shown already.
func (c *Channel) probe(ctx context.Context, to channels.Conversation) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := c.Typing(ctx, to)
	f, ok := errors.AsType[*failure](err)
	if !ok || f.code >= 400 && f.code < 500 && f.retryAfter == 0 { // whatever it says, it answers
		return nil
	}
	e := f.channelError("send")
	e.NotTaken = true
	return e
}

// sending is one attempt at a message.
type sending struct {
	c     *Channel
	to    spot
	moved bool // the chat's new id was followed
	lost  bool // the topic is closed or deleted: the rest goes to where it can be read
}

// send delivers a part. What Telegram refuses for a reason that can be helped is sent in another way, once.
func (s *sending) send(ctx context.Context, p part) (channels.MessageID, error) {
	for {
		id, err := s.c.deliver(ctx, p, s.to)
		f, failed := errors.AsType[*failure](err)
		switch {
		case !failed:
			return id, err
		case f.migrateTo != 0 && !s.moved:
			s.moved = true
			if err := s.c.follow(ctx, s.to.chat, f.migrateTo); err != nil {
				return "", &channels.Error{Op: p.method, NotTaken: true, Err: err}
			}
			s.to.chat = f.migrateTo
			p = p.elsewhere() // messages have other numbers there
		case p.edit != "" && f.notModified():
			return p.edit, nil
		case p.method == deleteMethod && f.code == http.StatusBadRequest: // it is gone already, or stays
			return "", nil
		case p.edit != "" && f.uneditable():
			p = p.anew()
		case f.badMarkup() && p.html():
			s.c.env.Log.Warn("Telegram refused the markup: sent as plain text", "err", f)
			p = p.plainly()
		case f.badMedia() && p.asDocuments != nil:
			p = *p.asDocuments
		case (f.topicClosed() || f.topicDeleted()) && !s.lost && s.to.thread > generalThread:
			p = s.elsewhere(ctx, p, f)
		case len(p.files) > 0 && f.refused():
			s.c.env.Log.Warn("Telegram refused a file: told in its place", "err", f)
			p = p.withoutFiles()
		default:
			return "", f.channelError(p.method)
		}
	}
}

// elsewhere readdresses a part to the chat itself, and says so there and to whoever runs the bot. A closed topic is
// never opened again: somebody closed it.
func (s *sending) elsewhere(ctx context.Context, p part, f *failure) part {
	why := "closed"
	if f.topicDeleted() {
		why = "deleted"
	}
	s.c.env.Log.Warn("the topic of a message is gone: sent to the chat", "chat", s.to.chat, "topic", s.to.thread,
		"why", why)
	if s.c.env.Notice != nil {
		s.c.env.Notice(ctx, fmt.Sprintf("Topic %d of chat %d on %s is %s, so an answer for it went to the chat itself.",
			s.to.thread, s.to.chat, s.c.name, why))
	}
	s.lost, s.to.thread = true, 0
	return p.elsewhere().preceded(fmt.Sprintf("The topic this belongs to is %s, so I answer here.", why))
}
