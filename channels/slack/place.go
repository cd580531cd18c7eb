package slack

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// chatID names a channel, together with its team when that is not the bot's own (an app of a whole organisation).
func (c *Channel) chatID(team, channel string) channels.ChatID {
	if own := c.me.Load().team; team != "" && team != own && own != "" {
		return channels.ChatID(team + ":" + channel)
	}
	return channels.ChatID(channel)
}

// conversation is a channel and a thread in it, "" for the channel itself.
func (c *Channel) conversation(team, channel, thread string) channels.Conversation {
	if isTeam(team) {
		c.teams.keep(channel, team)
	}
	return channels.Conversation{
		Channel: c.name, Chat: c.chatID(team, channel), Topic: channels.TopicID(thread),
	}
}

// isTeam tells whether an id is that of a team, not of a whole organisation.
func isTeam(id string) bool { return strings.HasPrefix(id, "T") }

// direct tells whether a channel is a person's chat with the bot alone.
func direct(channel string) bool { return strings.HasPrefix(channel, "D") }

// spot is a conversation as the Web API addresses it.
type spot struct {
	chat   string
	thread string // ts of the thread's first message; empty outside of threads
}

var errPlace = errors.New("no channel of Slack")

func spotOf(conv channels.Conversation) (spot, error) {
	chat := string(conv.Chat)
	if team, channel, ok := strings.Cut(chat, ":"); ok && team != "" {
		chat = channel
	}
	if chat == "" || strings.ContainsAny(chat, ":/ ") {
		return spot{}, fmt.Errorf("%q: %w", conv.Chat, errPlace)
	}
	if conv.Topic != "" && !isTS(string(conv.Topic)) {
		return spot{}, fmt.Errorf("thread %q: %w", conv.Topic, errPlace)
	}
	return spot{chat: chat, thread: string(conv.Topic)}, nil
}

// isTS tells whether a text can be the ts of a message: an id of digits with a point, never a number.
func isTS(s string) bool {
	seconds, rest, ok := strings.Cut(s, ".")
	digits := func(s string) bool {
		return s != "" && strings.Trim(s, "0123456789") == ""
	}
	return ok && digits(seconds) && digits(rest)
}

// sentAt is when a message was written, which its ts tells.
func sentAt(ts string) time.Time {
	var seconds, micros int64
	if _, err := fmt.Sscanf(ts, "%d.%d", &seconds, &micros); err != nil {
		return time.Now().UTC()
	}
	return time.Unix(seconds, micros*1000).UTC()
}
