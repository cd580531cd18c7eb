package slack

import (
	"context"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// stopKey is the key of the stop of a stream. Slack tells of it as an event, and in the answer to the next call about
// the stream.
func stopKey(chat channels.ChatID, stream string) string {
	return "stop:" + string(chat) + ":" + stream
}

// stop is what is handed over when a person stops an answer with Slack's own button, as if they had written it.
func stop(place channels.Conversation, by channels.Sender) *channels.Inbound {
	to, err := spotOf(place)
	return &channels.Inbound{
		Conversation: place, Sender: by, Direct: err == nil && direct(to.chat), Mentioned: true,
		Command: &channels.Command{Name: "stop"}, SentAt: time.Now().UTC(),
	}
}

// stopJob is about the event that a person stopped what the bot does in a thread.
func (c *Channel) stopJob(r *running, d delivery, cb *callback, e *sessionStopped) (job, error) {
	if e.Channel == "" || e.User == "" || e.Thread != "" && !isTS(e.Thread) || cb.EventID == "" {
		return job{}, errIncomplete
	}
	return job{e.Channel, func(ctx context.Context) (reply, error) {
		in := stop(c.conversation(cb.Team, e.Channel, e.Thread), c.presser(e.User, ""))
		in.EventKey = "s:" + cb.EventID
		if len(e.Streams) > 0 {
			in.ID, in.EventKey = channels.MessageID(e.Streams[0]), stopKey(in.Conversation.Chat, e.Streams[0])
		}
		return reply{}, c.store(ctx, r, in, d.patience)
	}}, nil
}

// stopped hands over that a person stopped a stream, as its next call tells. That does not say who it was: Slack shows
// the button to the person who asked.
func (c *Channel) stopped(ctx context.Context, p channels.Preview, who asker, id channels.MessageID) {
	r := c.handler.Load()
	if r == nil || !r.begin() {
		return
	}
	in := stop(p.Conversation, c.person(ctx, who.user))
	in.ID, in.EventKey = id, stopKey(p.Conversation.Chat, string(id))
	defer r.tasks.Done()
	ctx, cancel := r.bound(context.WithoutCancel(ctx))
	defer cancel()
	if err := c.store(ctx, r, in, ackPatience); err != nil {
		c.env.Log.Error("an answer that a person stopped goes on", "err", err)
	}
}
