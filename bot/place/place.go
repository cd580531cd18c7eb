// Package place holds the settings of conversations. A setting of a topic counts before that of its chat, that of the
// chat before that of its channel.
package place

// Answer is when the bot answers in a place where several people talk. In a chat with one person it always does.
type Answer string

// When the bot answers.
const (
	Mention Answer = "mention" // when it is spoken to: mentioned, replied to, given a command
	Always  Answer = "always"
)
