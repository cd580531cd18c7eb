package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// Send implements channels.Channel. A message is delivered in parts, each one call: texts of bounded length, files. Of
// a text whose answer never came it is looked up whether it was shown.
func (c *Channel) Send(ctx context.Context, m *channels.Outbound) (channels.MessageID, error) {
	to, err := spotOf(m.Conversation)
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, Gone: true, NotTaken: true, Err: err}
	}
	if m.To != "" {
		return "", c.sendAside(ctx, to, m)
	}
	list, err := parts(m)
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, NotTaken: true, Err: err}
	}
	list = list[min(m.Attempt.Parts, len(list)):]
	s := &sending{c: c, to: to, unsure: m.Attempt.Unsure}
	var id channels.MessageID
	for i, p := range list {
		got, err := s.send(ctx, p)
		if refused, ok := errors.AsType[*channels.Error](err); ok && refused.Gone && m.Via != "" {
			text := said(m)
			if m.Attempt.Parts+i > 0 {
				text = unsaid(list[i:])
			}
			return id, c.answerAside(ctx, to, m, text, refused)
		}
		if err != nil {
			return "", err
		}
		id = cmp.Or(id, got)
		if i+1 < len(list) && m.Attempt.Delivered != nil {
			if err := m.Attempt.Delivered(ctx, m.Attempt.Parts+i+1); err != nil {
				return "", &channels.Error{Op: "send", NotTaken: true, Err: err}
			}
		}
	}
	c.unsign(ctx, to)
	return id, nil
}

// sending is one attempt at a message.
type sending struct {
	c       *Channel
	to      spot
	unsure  bool                          // the next part may have been shown already
	seen    map[string]channels.MessageID // what is shown of it, by key
	stopped bool                          // a stream that was still open was stopped
}

// send delivers a part. What Slack refuses for a reason that can be helped is sent in another way, once.
func (s *sending) send(ctx context.Context, p part) (channels.MessageID, error) {
	if s.unsure {
		s.unsure = false
		if err := s.lookUp(ctx, p); err != nil {
			return "", err
		}
		if id := s.seen[p.key]; id != "" {
			return id, nil
		}
	}
	for plain := false; ; {
		id, err := s.deliver(ctx, p, plain)
		f, failed := errors.AsType[*failure](err)
		switch {
		case !failed:
			return id, err
		case p.remove && f.uneditable(): // it is gone already, or stays
			return "", nil
		case p.edit != "" && f.is("streaming_state_conflict") && !s.stopped:
			s.stopped = true
			err := s.c.stopStream(ctx, s.to, p.edit)
			if f, failed := errors.AsType[*failure](err); failed {
				s.c.env.Log.Warn("stop a stream in whose place an answer comes", "err", err)
				if e := f.channelError(f.method); !e.Terminal { // a second message would leave the stream open for ever
					e.NotTaken = true
					return "", e
				}
			}
		case p.edit != "" && (f.uneditable() || f.is("streaming_state_conflict")):
			p.edit = ""
		case f.badForm() && !plain && len(p.files) == 0:
			s.c.env.Log.Warn("Slack refused the form of a message: sent as plain text", "err", f)
			plain = true
		default:
			if f.needed != "" {
				s.c.notice(ctx, "the Slack app lacks the scope "+f.needed+
					": add it under OAuth & Permissions and reinstall the app")
			}
			e := f.channelError(f.method)
			for key := range s.seen { // some of its plain texts are shown: they must be looked up again
				e.NotTaken = e.NotTaken && !strings.HasPrefix(key, p.key+".")
			}
			return "", e
		}
	}
}

func (s *sending) deliver(ctx context.Context, p part, plain bool) (channels.MessageID, error) {
	switch {
	case p.remove:
		return "", s.c.remove(ctx, s.to, p.edit)
	case len(p.files) > 0:
		return "", s.c.upload(ctx, s.to, p.files)
	case plain:
		return s.plainly(ctx, p)
	}
	return s.put(ctx, p.edit, p.key, p.content()...)
}

// plainly sends a part as several short texts, the last with its buttons unless those are what Slack refuses.
func (s *sending) plainly(ctx context.Context, p part) (id channels.MessageID, err error) {
	texts := p.plainly()
	for i, text := range texts {
		key, edit := p.key, p.edit // the key of the part is that of its last text
		if i > 0 {
			edit = ""
		}
		if i < len(texts)-1 && key != "" {
			key = fmt.Sprintf("%s.%d", p.key, i)
		}
		if got := s.seen[key]; got != "" && edit == "" {
			id = cmp.Or(id, got)
			continue
		}
		content := []slackgo.MsgOption{slackgo.MsgOptionText(text, false)}
		var got channels.MessageID
		if i == len(texts)-1 && len(p.buttons) > 0 {
			got, err = s.put(ctx, edit, key, p.pressable(text)...)
			if f, failed := errors.AsType[*failure](err); failed && f.badForm() {
				got, err = s.put(ctx, edit, key, content...)
			}
		} else {
			got, err = s.put(ctx, edit, key, content...)
		}
		if err != nil {
			return "", err
		}
		id = cmp.Or(id, got)
		if key != "" {
			if s.seen == nil {
				s.seen = map[string]channels.MessageID{}
			}
			s.seen[key] = got
		}
	}
	return id, nil
}

// put changes a message, or posts one.
func (s *sending) put(
	ctx context.Context, edit channels.MessageID, key string, content ...slackgo.MsgOption,
) (channels.MessageID, error) {
	if edit != "" {
		return edit, s.c.edit(ctx, s.to, edit, content...)
	}
	return s.c.post(ctx, s.to, key, content...)
}

const (
	lookBack = time.Hour // how long ago a message may have been shown whose answer never came
	lookAt   = 200       // messages
)

// lookUp finds what may have been shown of a part already, by the keys that are kept with it; nothing when Slack does
// not let the bot look. One that changes a message is looked up too: it is posted when that is gone.
func (s *sending) lookUp(ctx context.Context, p part) error {
	if p.key == "" || p.remove || len(p.files) > 0 {
		return nil
	}
	found, err := s.recent(ctx)
	if f, failed := errors.AsType[*failure](err); failed {
		if f.code != "" && f.retryAfter == 0 && !f.passing() {
			return nil
		}
		e := f.channelError("send")
		e.NotTaken = false
		return e
	}
	s.seen = map[string]channels.MessageID{}
	for _, m := range found {
		key, _ := m.Metadata.EventPayload["key"].(string)
		if m.Metadata.EventType == keyEvent && (key == p.key || strings.HasPrefix(key, p.key+".")) {
			s.seen[key] = channels.MessageID(m.Timestamp)
		}
	}
	return nil
}

func (s *sending) recent(ctx context.Context) (found []slackgo.Message, err error) {
	oldest := fmt.Sprintf("%d.000000", time.Now().Add(-lookBack).Unix())
	method := "conversations.history"
	if s.to.thread != "" {
		method = "conversations.replies"
	}
	err = s.c.api.call(ctx, method, s.to.chat, func(ctx context.Context) error {
		if s.to.thread != "" {
			messages, _, _, err := s.c.api.GetConversationRepliesContext(ctx, &slackgo.GetConversationRepliesParameters{
				ChannelID: s.to.chat, Timestamp: s.to.thread, Oldest: oldest, Limit: lookAt, IncludeAllMetadata: true,
			})
			found = messages
			return err
		}
		h, err := s.c.api.GetConversationHistoryContext(ctx, &slackgo.GetConversationHistoryParameters{
			ChannelID: s.to.chat, Oldest: oldest, Limit: lookAt, IncludeAllMetadata: true,
		})
		if h != nil {
			found = h.Messages
		}
		return err
	})
	return found, err
}
