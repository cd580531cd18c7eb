// Package channeltest has one suite that every adapter passes, and in its folders the fake messengers that adapters are
// tested against.
package channeltest

import (
	"testing"

	"github.com/leadhand/leadhand/channels"
)

// Platform is one messenger's fake, as [Exercise] drives it. A function that is nil belongs to what the messenger can't
// do; the cases that need it are skipped with a word.
type Platform struct {
	// New makes the channel called "test" that is connected to the fake. It may be called again, for a restart.
	New func(t *testing.T, env channels.Env) channels.Channel
	// Trusting is New with settings that name the other bot.
	Trusting func(t *testing.T, env channels.Env) channels.Channel
	// Direct is a chat with Ann, Room one where several people talk, Topic and Other two topics (threads) in it.
	// A messenger without topics leaves them empty.
	Direct, Room, Topic, Other channels.Conversation
	// Threads is a room in which an answer can open a thread; empty where there are none.
	Threads channels.Conversation
	// Names is what people call conversations; empty values are those that the messenger does not tell.
	Names map[channels.Conversation]string

	// Ready waits until the channel receives, on a platform that tells nothing to those who do not.
	Ready func(t *testing.T)
	// Say lets a person write.
	Say func(t *testing.T, s Said) channels.MessageID
	// Edit lets a person change what was written.
	Edit func(t *testing.T, in channels.Conversation, id channels.MessageID, text string)
	// Delete lets a person take back what was written; with the id of a message of the bot, an admin takes that away.
	Delete func(t *testing.T, in channels.Conversation, id channels.MessageID)
	// Again delivers everything that was written once more.
	Again func(t *testing.T)
	// Press lets Bob press the button with a text.
	Press func(t *testing.T, in channels.Conversation, id channels.MessageID, button string)
	// Choose lets Bob choose an option of the button with a text.
	Choose func(t *testing.T, in channels.Conversation, id channels.MessageID, button, option string)
	// Answer lets Bob press the button with a text and answer its question.
	Answer func(t *testing.T, in channels.Conversation, id channels.MessageID, button, text string)
	// Shown is what the bot has written in a conversation and people see there now, in order.
	Shown func(t *testing.T, in channels.Conversation) []Shown
	// Private is what only Bob sees of the bot in a conversation.
	Private func(t *testing.T, in channels.Conversation) []string
	// Fail makes the next send fail.
	Fail func(t *testing.T, how Failure)
	// Break breaks the connection over which messages are received.
	Break func(t *testing.T)
	// Revoke makes the platform refuse the token until it is called with false.
	Revoke func(t *testing.T, revoked bool)
}

// Said is what a person writes.
type Said struct {
	In      channels.Conversation
	By      Person
	Text    string
	Mention bool // of the bot, in front of the text
	ReplyTo channels.MessageID
	File    *channels.Attachment
}

// Person is who writes.
type Person int

// People, and bots.
const (
	Ann Person = iota
	Bob
	OtherBot
)

// Shown is a message of the bot.
type Shown struct {
	ID    channels.MessageID
	Text  string // as people read it, without markup
	Files []string
}

// Failure is how a send fails.
type Failure int

// Failures of sends.
const (
	TooMany     Failure = iota // 429 with a wait of a second
	ServerError                // 5xx with an HTML page; nothing was shown
	NoAnswer                   // it was shown, but the answer got lost
	NoRight                    // the bot must not write here
)
