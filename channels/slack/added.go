package slack

import (
	"context"

	"github.com/leadhand/leadhand/channels"
)

// joined is somebody who came into a channel.
type joined struct {
	User    string `json:"user"`
	Channel string `json:"channel"`
	Inviter string `json:"inviter"`
}

// joinedJob tells the program that the bot was added to a channel. What it can't keep comes again.
func (c *Channel) joinedJob(cb *callback, e *joined) (job, error) {
	if e.Channel == "" || e.User == "" || cb.EventID == "" {
		return job{}, errIncomplete
	}
	if c.env.Added == nil || e.User != c.me.Load().user {
		return job{}, nil
	}
	return job{e.Channel, func(ctx context.Context) (reply, error) {
		who, cancel := context.WithTimeout(ctx, hintTime)
		defer cancel()
		by := channels.Sender{ID: channels.UserID(e.Inviter), Name: c.called(who, e.Inviter)}
		return reply{}, c.env.Added(ctx, "a:"+cb.EventID, c.conversation(cb.Team, e.Channel, ""), by)
	}}, nil
}
