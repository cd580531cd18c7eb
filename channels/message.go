package channels

import (
	"strings"
	"time"
)

// Identifiers of a platform are opaque: only the adapter that made one may look into it.
type (
	// ChatID names a direct chat or a room.
	ChatID string
	// TopicID names a topic or thread in a chat.
	TopicID string
	// UserID names a person and never changes.
	UserID string
	// MessageID names a message in its chat.
	MessageID string
)

// Conversation is one place where messages are exchanged: a direct chat, a room, or a topic (thread) in it.
type Conversation struct {
	Channel string  `json:"channel"`
	Chat    ChatID  `json:"chat"`
	Topic   TopicID `json:"topic,omitempty"`
}

// String is a stable key of the conversation for logs and database rows: "channel/chat/topic" with "/" and "%" escaped.
func (c Conversation) String() string {
	esc := strings.NewReplacer("%", "%25", "/", "%2F")
	return esc.Replace(c.Channel) + "/" + esc.Replace(string(c.Chat)) + "/" + esc.Replace(string(c.Topic))
}

// Inbound is one message that a person sent.
type Inbound struct {
	ID       MessageID `json:"id"`
	EventKey string    `json:"event_key"` // the same for every delivery of this message; unique within the channel

	Conversation Conversation `json:"conversation"`
	Sender       Sender       `json:"sender"`

	Direct    bool `json:"direct,omitempty"`    // a chat between this person and the bot alone
	Mentioned bool `json:"mentioned,omitempty"` // the message speaks to the bot

	Text        string       `json:"text,omitempty"`
	Command     *Command     `json:"command,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	SentAt      time.Time    `json:"sent_at"`
}

// Sender is who wrote a message. ID is the platform's immutable id; the name is for showing only.
type Sender struct {
	ID   UserID `json:"id"`
	Name string `json:"name"`
}

// Command is a message that the messenger itself marked as a command, already split: "/lead stop all" is
// {Name: "stop", Args: "all"}.
type Command struct {
	Name string `json:"name"`
	Args string `json:"args,omitempty"`
}

// Attachment is a file that came with a message or goes out with one.
type Attachment struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data,omitempty"`
}

// Outbound is one message to show.
type Outbound struct {
	Key          string       `json:"key"` // idempotency: the same for every attempt at this message
	Conversation Conversation `json:"conversation"`
	ReplyTo      MessageID    `json:"reply_to,omitempty"` // the message this answers
	Edit         MessageID    `json:"edit,omitempty"`     // change this message instead of posting a new one
	Text         string       `json:"text"`               // Markdown
	Attachments  []Attachment `json:"attachments,omitempty"`
	// Repeat says that an earlier attempt may have succeeded although its answer never came. An adapter that can
	// find out, or whose platform drops repeats by key, should; others send again.
	Repeat bool `json:"-"`
}
