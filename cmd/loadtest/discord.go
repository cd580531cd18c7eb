package main

import (
	"context"
	"fmt"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// discord has direct messages and threads.
type discord struct {
	fake    *discordfake.Server
	parents map[string]string // channels of threads
}

const posts = "POST /channels/{channel_id}/messages"

func newDiscord() (messenger, error) {
	fake, err := discordfake.Start()
	if err != nil {
		return nil, err
	}
	fake.Keep(keepCalls)
	return &discord{fake, map[string]string{}}, nil
}

func (d *discord) env() []string {
	return []string{"DISCORD_BOT_TOKEN=" + d.fake.Token, "DISCORD_API_URL=" + d.fake.URL}
}

func (d *discord) user(at place) fakekit.Object {
	return discordfake.User(fmt.Sprint(5_000_000+at.number), at.person())
}

func (d *discord) open(n int) ([]place, error) {
	room := d.fake.NewID()
	d.fake.AddGuild(discordfake.Guild{
		ID: d.fake.NewID(), Name: "Team", Channels: []discordfake.Channel{{ID: room, Name: "room"}},
	})
	var all []place
	for i := range n {
		at := place{number: i, chat: d.fake.NewID()}
		if i%2 == 0 {
			d.fake.AddDM(at.chat, d.user(at))
		} else {
			at.chat, at.topic = room, at.chat
			d.parents[at.topic] = room
			if err := d.fake.AddThread(room, at.topic, fmt.Sprintf("thread %d", i)); err != nil {
				return nil, err
			}
		}
		all = append(all, at)
	}
	return all, nil
}

func (d *discord) say(at place, text string) error {
	in := discordfake.Incoming{ChannelID: at.chat, Author: d.user(at), Content: text}
	if at.topic != "" {
		in.ChannelID, in.Content = at.topic, fmt.Sprintf("<@%s> %s", d.fake.AppID(), text)
	}
	_, err := d.fake.SendMessage(in)
	return err
}

func (d *discord) watch(ctx context.Context, note func(where, text string, at time.Time)) {
	for {
		call, err := d.fake.WaitContext(ctx, posts)
		if err != nil {
			return
		}
		channel := call.PathParams["channel_id"]
		where := channel + "/"
		if parent, ok := d.parents[channel]; ok {
			where = parent + "/" + channel
		}
		note(where, call.String("content"), call.Time)
	}
}

func (d *discord) slow(wait time.Duration) {
	d.fake.Inject(fakekit.Fault{Method: posts, Times: -1, Delay: fakekit.Duration(wait)})
}

func (d *discord) violations() []string { return texts(d.fake.Violations()) }

func (d *discord) ready() bool { return d.fake.Connected() > 0 }

func (d *discord) close() { d.fake.Close() }
