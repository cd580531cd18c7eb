package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels"
)

// place is a channel of Discord, which may be a thread.
type place struct {
	ID     string `json:"id"`
	Type   int    `json:"type"`
	Parent string `json:"parent_id"` // of a thread the channel, of a channel the category
	Last   string `json:"last_message_id"`
	Name   string `json:"name"`
	Owner  string `json:"owner_id"` // of a thread: who opened it
	// Overwrites are who else has which rights there; nil when an event tells only a part of the channel.
	Overwrites []overwrite `json:"permission_overwrites"`
	hidden     bool        // not all may see it
}

// overwrite changes the rights of a role or a person in one channel.
type overwrite struct {
	Allow string `json:"allow"` // sets of bits
	Deny  string `json:"deny"`
}

// Types of channels.
const (
	textChannel         = 0
	directChannel       = 1
	announcementChannel = 5
	announcementThread  = 10
	publicThread        = 11
	privateThread       = 12
)

func (p place) thread() bool {
	return (p.Type == announcementThread || p.Type == publicThread || p.Type == privateThread) && isID(p.Parent)
}

func (p place) direct() bool { return p.Type == directChannel }

// threads tells whether a thread can begin with a message there.
func (p place) threads() bool { return p.Type == textChannel || p.Type == announcementChannel }

// hides tells whether the channel says who may see it and who may not: then not all may.
func (p place) hides() bool {
	return p.Type == privateThread || slices.ContainsFunc(p.Overwrites, func(o overwrite) bool {
		allow, _ := strconv.ParseInt(o.Allow, 10, 64)
		deny, _ := strconv.ParseInt(o.Deny, 10, 64)
		return (allow|deny)&discordgo.PermissionViewChannel != 0
	})
}

// places is what is known of channels: events tell only their id. The zero value is ready to use.
type places struct {
	mu   sync.Mutex
	byID map[string]place
}

// maxPlaces bounds what is remembered; the rest is asked for again.
const maxPlaces = 20_000

func (ps *places) learn(found ...place) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.byID == nil {
		ps.byID = map[string]place{}
	}
	for _, p := range found {
		if !isID(p.ID) {
			continue
		}
		p.hidden = p.hides() || p.Overwrites == nil && ps.byID[p.ID].hidden
		p.Overwrites = nil
		for id := range ps.byID {
			if len(ps.byID) < maxPlaces {
				break
			}
			delete(ps.byID, id)
		}
		ps.byID[p.ID] = p
	}
}

// forget takes away what is known of a channel that is no more.
func (ps *places) forget(id string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.byID, id)
}

func (ps *places) get(id string) (place, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, ok := ps.byID[id]
	return p, ok
}

// errUnseen tells that the bot is not shown what a channel is. What is written there is left out: it might be a thread,
// and what its channel forbids would not hold.
var errUnseen = errors.New("the bot may not see the channel")

// place finds out what a channel is.
func (c *Channel) place(ctx context.Context, id string) (place, error) {
	if p, ok := c.places.get(id); ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var p place
	err := c.api.call(ctx, request{
		op: "look up channel", verb: http.MethodGet, url: discordgo.EndpointChannel(id), chat: id,
	}, &p)
	if f := asFailure(err); f.code != 0 {
		return p, fmt.Errorf("%w: %w", errUnseen, err)
	}
	if err != nil {
		return p, err
	}
	p.ID = id
	c.places.learn(p)
	c.told.over(aboutPlace + id)
	return p, nil
}

// unseen tells once of a channel that the bot may not see, with what mends that.
func (c *Channel) unseen(ctx context.Context, channel string, err error) {
	if !c.told.first(aboutPlace + channel) {
		return
	}
	const fix = "give the bot's role View Channel there"
	c.env.Log.Error("what is written in a channel is left out: the bot may not see the channel: "+fix, "chat", channel,
		"err", c.api.hide(err.Error()))
	if c.env.Notice != nil {
		c.env.Notice(ctx, fmt.Sprintf("What people write in channel %s on %s is left out, because the bot may not see that "+
			"channel: %s.", channel, c.name, fix))
	}
}

// conversation is where something happened, and what channel that is.
func (c *Channel) conversation(ctx context.Context, channel string) (conv channels.Conversation, p place, err error) {
	if p, err = c.place(ctx, channel); err != nil {
		return conv, p, err
	}
	conv = channels.Conversation{Channel: c.name, Chat: channels.ChatID(channel)}
	if p.thread() {
		conv.Chat, conv.Topic = channels.ChatID(p.Parent), channels.TopicID(channel)
	}
	return conv, p, nil
}

// target is the channel of Discord that a conversation's messages go to.
func target(conv channels.Conversation) (string, error) {
	id := string(conv.Chat)
	if conv.Topic != "" {
		id = string(conv.Topic)
	}
	if !isID(id) {
		return "", fmt.Errorf("%q is no channel of Discord", id)
	}
	return id, nil
}
