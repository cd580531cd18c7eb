package discord

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels"
)

const (
	typingEvery = 8 * time.Second // the sign lasts 10 s, or until the bot writes
	seenEmoji   = "%F0%9F%91%80"  // 👀, as it stands in URLs
)

// signs is since when a typing sign is shown in channels. The zero value is ready to use.
type signs struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// due tells whether a channel needs a new sign, and takes it for shown.
func (s *signs) due(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until[channel]) {
		return false
	}
	mark(&s.until, channel, typingEvery)
	return true
}

// over tells that the sign is gone.
func (s *signs) over(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.until, channel)
}

// Typing implements channels.Typer. It may be called more often than Discord needs it.
func (c *Channel) Typing(ctx context.Context, to channels.Conversation) error {
	channel, err := c.spot(ctx, to)
	if err != nil {
		return err
	}
	if c.api.limits.closed(channel) || !c.signs.due(channel) {
		return nil
	}
	err = c.minor(ctx, request{
		op: "show typing", verb: http.MethodPost, url: discordgo.EndpointChannelTyping(channel), chat: channel,
	})
	if err != nil {
		c.signs.over(channel)
	}
	return err
}

// MarkSeen implements channels.Marker with a reaction; where the bot may not react, with the typing sign.
func (c *Channel) MarkSeen(ctx context.Context, to channels.Conversation, id channels.MessageID) error {
	if string(id) == string(to.Topic) { // which begins the thread, and stands around it
		to.Topic = ""
	}
	channel, err := c.spot(ctx, to)
	if err != nil {
		return err
	}
	if !isID(string(id)) || c.api.limits.closed(channel) {
		return nil
	}
	err = c.minor(ctx, request{
		op: "mark as seen", verb: http.MethodPut, chat: channel,
		url: discordgo.EndpointMessageReaction(channel, string(id), seenEmoji, "@me"),
	})
	if err != nil {
		c.env.Log.Debug("mark a message as seen", "err", err)
		return c.Typing(ctx, to)
	}
	return nil
}

// minor makes a request that nobody would miss. Where it is forbidden it is not made again soon.
func (c *Channel) minor(ctx context.Context, r request) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := c.api.call(ctx, r, nil)
	if f := asFailure(err); f.gone() {
		c.api.limits.close(r.chat)
	}
	return err
}
