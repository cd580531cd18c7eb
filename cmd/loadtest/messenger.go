package main

import (
	"context"
	"fmt"
	"time"
)

// messenger is a fake of one platform, with as much as a load needs.
type messenger interface {
	// env are the environment variables that connect the bot.
	env() []string
	// open makes n conversations: direct chats, and topics or threads in rooms, by turns.
	open(n int) ([]place, error)
	// ready tells whether the bot receives; one platform tells nothing to those who do not.
	ready() bool
	// say lets the person of a conversation write to the bot there.
	say(at place, text string) error
	// watch calls note for everything that the bot posts, until ctx is done.
	watch(ctx context.Context, note func(where, text string, at time.Time))
	// slow makes every post of the bot take so long.
	slow(d time.Duration)
	violations() []string
	close()
}

// messengers make the platforms that can be chosen.
func messengers() map[string]func() (messenger, error) {
	return map[string]func() (messenger, error){"telegram": newTelegram, "slack": newSlack, "discord": newDiscord}
}

// place is a conversation, with its ids as the platform writes them.
type place struct {
	number      int
	chat, topic string // no topic in a direct chat
}

func (p place) String() string { return p.chat + "/" + p.topic }

// person names who writes in a conversation.
func (p place) person() string { return fmt.Sprintf("Person %d", p.number) }
