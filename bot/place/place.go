// Package place holds the settings of conversations. A setting of a topic counts before that of its chat, that of the
// chat before that of its channel.
package place

import "github.com/leadhand/leadhand/channels"

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

// Places are all that is set.
type Places []Place

// Answer is when the bot answers in a conversation.
func (ps Places) Answer(c channels.Conversation) Answer {
	answer, depth := Mention, -1
	for _, p := range ps {
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
