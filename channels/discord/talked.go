package discord

import (
	"context"
	"errors"
	"time"
)

// lookBack is how long ago something may have been written in a direct chat for it to be caught up on. What is stored
// already has the same key.
const lookBack = 24 * time.Hour

// talked catches up on the direct chats in which people lately talked to the bot: Discord lists them nowhere, and a new
// process knows none. Threads that are archived by now are not listed either. since is what was known when the session
// began, and asked are the channels that are caught up on already.
func (in *intake) talked(ctx context.Context, since uint64, asked map[string]uint64) {
	if in.c.env.Talked == nil {
		return
	}
	all, err := in.c.env.Talked(ctx)
	if err != nil {
		in.c.env.Log.Error("what was missed in direct chats is not caught up on", "err", in.c.api.hide(err.Error()))
		return
	}
	n := 0
	for _, conv := range all {
		channel, err := target(conv)
		if _, known := asked[channel]; known || err != nil || conv.Channel != in.c.name || n == maxCatchUp {
			continue
		}
		if p, known := in.c.places.get(channel); known && p.Type != directChannel {
			continue // a server lists it
		}
		n++
		in.add(ctx, channel, job{
			id: channel, gentle: true, do: func(ctx context.Context) error { return in.missed(ctx, channel, since) },
		})
	}
}

// missed catches up on a channel in which this process saw nothing yet.
func (in *intake) missed(ctx context.Context, channel string, since uint64) error {
	_, listed := in.c.places.get(channel)
	p, err := in.c.place(ctx, channel)
	if errors.Is(err, errUnseen) {
		in.c.env.Log.Debug("a chat is not there any more", "chat", channel, "err", err)
		return nil
	}
	if err != nil {
		return err
	}
	if p.Type == directChannel {
		since = idAt(time.Now().Add(-lookBack))
	}
	if listed && p.Type != directChannel || !listed && number(p.Last) <= since {
		return nil
	}
	return in.catchUp(ctx, channel, since)
}

// idAt is the id that something of a time would have.
func idAt(t time.Time) uint64 { return uint64(t.UnixMilli()-idEpoch) << idTime }
