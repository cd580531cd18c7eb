// Package place holds the settings of conversations. A setting of a topic counts before that of its chat, that of the
// chat before that of its channel.
package place

import (
	"slices"
	"sync"

	"github.com/leadhand/leadhand/channels"
)

// Answer is when the bot answers in a place where several people talk. In a chat with one person it always does.
type Answer string

// When the bot answers.
const (
	Mention Answer = "mention" // when it is spoken to: mentioned, replied to, given a command
	Always  Answer = "always"
)

// Place is what is set for one channel, chat or topic: the parts of Conversation that are empty mean all.
type Place struct {
	Conversation channels.Conversation
	Answer       Answer // empty: not set here
}

// Settings are all that is set. The zero value sets nothing.
type Settings struct {
	mu     sync.RWMutex
	places []Place
}

// Set replaces everything.
func (s *Settings) Set(places []Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places = slices.Clone(places)
}

// Move lets what is set for a chat hold for its new id too. It tells whether anything is set for the old one.
func (s *Settings) Move(channel string, from, to channels.ChatID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var moved []Place
	for _, p := range s.places {
		if p.Conversation.Channel == channel && p.Conversation.Chat == from {
			p.Conversation.Chat = to
			moved = append(moved, p)
		}
	}
	s.places = append(s.places, moved...)
	return len(moved) > 0
}

// Answer is when the bot answers in a conversation.
func (s *Settings) Answer(c channels.Conversation) Answer {
	s.mu.RLock()
	defer s.mu.RUnlock()
	answer, depth := Mention, -1
	for _, p := range s.places {
		if d := p.covers(c); d > depth && p.Answer != "" {
			answer, depth = p.Answer, d
		}
	}
	return answer
}

// covers tells how narrowly a place holds a conversation: 0 for its channel, 2 for its topic; -1 when it does not.
func (p Place) covers(c channels.Conversation) int {
	at := p.Conversation
	switch {
	case at.Channel != c.Channel, at.Chat != "" && at.Chat != c.Chat, at.Topic != "" && at.Topic != c.Topic:
		return -1
	case at.Topic != "":
		return 2
	case at.Chat != "":
		return 1
	}
	return 0
}
