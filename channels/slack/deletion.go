package slack

import (
	"cmp"
	"context"

	"github.com/leadhand/leadhand/channels"
)

// tombstone is what Slack leaves in the place of a message that was deleted although others had answered it.
const tombstone = "tombstone"

// takenBack tells whether an event is about a message that was deleted, and which one that was.
func (m *message) takenBack() (ts string, ok bool) {
	switch {
	case m.Subtype == "message_deleted" && m.Previous != nil:
		return cmp.Or(m.DeletedTS, m.Previous.TS), true
	case m.Subtype == "message_deleted":
		return m.DeletedTS, true
	case m.Subtype == "message_changed" && m.Message != nil && m.Message.Subtype == tombstone:
		return m.Message.TS, true
	}
	return "", false
}

// takenBack is the deletion of a message that was, or would have been, handed over; nil for others. Nothing is looked
// up for it but where the message was.
func (c *Channel) takenBack(ctx context.Context, cb *callback, m *message, ts string) (*channels.Inbound, error) {
	was := m.Previous
	if was == nil {
		return nil, nil
	}
	by, ok := c.writer(was)
	switch {
	case !ok:
		return nil, nil
	case m.Channel == "" || !isTS(ts):
		return nil, errIncomplete
	}
	thread := was.ThreadTS
	if thread == ts || !isTS(thread) {
		thread = ""
	}
	in := &channels.Inbound{
		ID: channels.MessageID(ts), Revises: c.eventKey(cb.Team, m.Channel, ts), Deleted: true,
		Conversation: c.conversation(cb.Team, m.Channel, thread), Sender: c.presser(by.id, was.Username),
		Direct: direct(m.Channel) || m.ChannelType == "im", SentAt: sentAt(cmp.Or(m.EventTS, m.TS)),
		Mentioned: read(was.Text, c.me.Load().user, nil).mentioned, // tells whether it opened a thread
	}
	in.EventKey, in.Sender.Bot = "d"+in.Revises[1:], by.bot
	err := c.opened(ctx, in, ts)
	in.Mentioned, in.Followed = false, false
	return in, err
}
