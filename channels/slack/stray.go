package slack

import (
	"context"
	"errors"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// strayAge is how much older than its call a message may be by Slack's clock, which differs from ours.
const strayAge = time.Minute

// stray looks for a message that a call started a stream with, but whose answer never came: a new one of the bot in
// the thread that nobody knows of. Messages that are posted are known, or hold a key; streams hold none. It is empty
// when there is no such message, or Slack does not let the bot look.
func (c *Channel) stray(ctx context.Context, to spot, begun time.Time) (channels.MessageID, error) {
	look := &sending{c: c, to: to}
	found, err := look.recent(ctx)
	if f, failed := errors.AsType[*failure](err); failed {
		if f.code != "" && f.retryAfter == 0 && !f.passing() {
			return "", nil
		}
		return "", err
	}
	me, id := c.me.Load(), channels.MessageID("")
	for _, m := range found {
		mine := m.User == me.user || m.BotID != "" && m.BotID == me.bot
		known, _ := c.posted.of(messageKey(to.chat, m.Timestamp))
		old := m.Timestamp == to.thread || sentAt(m.Timestamp).Before(begun.Add(-strayAge))
		other := m.Metadata.EventType == keyEvent || m.Edited != nil || len(m.Files) > 0
		if mine && !known && !old && !other {
			id = channels.MessageID(m.Timestamp) // replies come oldest first
		}
	}
	return id, nil
}
