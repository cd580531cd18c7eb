package discord

import (
	"context"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// helloFor is how long ago the bot may have been added to a server for it to say hello: it may have been down. The key
// keeps it from doing so twice.
const helloFor = 24 * time.Hour

// added tells the program that the bot was added to a server. Discord does not say who did it.
func (in *intake) added(ctx context.Context, e *guildEvent) {
	where := e.entrance()
	if in.c.env.Added == nil || !isID(e.ID) || where == "" || time.Since(e.Joined) > helloFor {
		return
	}
	key := "a:" + e.ID + ":" + e.Joined.UTC().Format(time.RFC3339)
	in.add(ctx, where, job{id: e.ID, do: func(ctx context.Context) error {
		at := channels.Conversation{Channel: in.c.name, Chat: channels.ChatID(where)}
		return in.c.env.Added(ctx, key, at, channels.Sender{})
	}})
}

// entrance is where a newcomer is seen: where Discord itself greets, or the first channel with texts.
func (e *guildEvent) entrance() string {
	if isID(e.System) {
		return e.System
	}
	for _, p := range e.Channels {
		if p.Type == textChannel && isID(p.ID) {
			return p.ID
		}
	}
	return ""
}
