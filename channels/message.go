package channels

import (
	"context"
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

// Inbound is one message that a person sent, or the press of a button.
type Inbound struct {
	ID       MessageID `json:"id"`        // of the message, or of the one that holds the button
	EventKey string    `json:"event_key"` // the same for every delivery of this event; unique within the channel
	// Revises is the event key of the message that was changed, when this is a newer version of it.
	Revises string `json:"revises,omitempty"`
	// Deleted tells that the message named by Revises was taken back. Nothing else is known then but where that was.
	Deleted bool `json:"deleted,omitempty"`

	Conversation Conversation `json:"conversation"`
	Sender       Sender       `json:"sender"`

	Direct    bool `json:"direct,omitempty"`    // a chat between this person and the bot alone
	Mentioned bool `json:"mentioned,omitempty"` // the message speaks to the bot
	// Followed tells that it does only because the bot takes part in its topic already: nobody named the bot.
	Followed bool `json:"followed,omitempty"`
	// Thread is the topic that answering this message can open, where the platform can do that; empty inside a topic, in
	// a direct chat and where there are none. Conversation.Topic is the same where people are used to that, and empty
	// otherwise: a place may choose the other one. A topic that does not exist yet is opened by the first Send to it.
	Thread TopicID `json:"thread,omitempty"`

	Text        string       `json:"text,omitempty"`
	Command     *Command     `json:"command,omitempty"`
	Action      *Action      `json:"action,omitempty"`
	ReplyTo     *Quoted      `json:"reply_to,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Album is the same for messages that people see as one, each with a part of its files.
	Album  string    `json:"album,omitempty"`
	SentAt time.Time `json:"sent_at"`
	// Unquoted tells that answers shall not quote the message. A place chooses that; adapters never set it.
	Unquoted bool `json:"unquoted,omitempty"`
	// Via is how the platform lets this event itself be answered, for some minutes: where the bot may not post, or so
	// that nobody else sees it. It is opaque outside the adapter, and a secret.
	Via string `json:"via,omitempty"`
}

// Quote is what answers reply to: the message, unless they shall not quote it.
func (in *Inbound) Quote() MessageID {
	if in.Unquoted {
		return ""
	}
	return in.ID
}

// Quoted is an earlier message that a message refers to.
type Quoted struct {
	ID          MessageID    `json:"id"`
	Sender      Sender       `json:"sender"`
	Mine        bool         `json:"mine,omitempty"` // the bot wrote it
	Text        string       `json:"text,omitempty"` // all of it, or the part that was quoted
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Sender is who wrote a message. ID is the platform's immutable id; the name is for showing only.
type Sender struct {
	ID   UserID `json:"id"`
	Name string `json:"name"`
	Bot  bool   `json:"bot,omitempty"` // another program: adapters hand over only those that their settings name
}

// Command is a message that the messenger itself marked as a command, already split: "/lead stop all" is
// {Name: "stop", Args: "all"}.
type Command struct {
	Name string `json:"name"`
	Args string `json:"args,omitempty"`
}

// Action is the press of a button. The adapter has told the platform that it was received before it hands it over.
type Action struct {
	Token  string `json:"token"`            // of the button
	Choice int    `json:"choice,omitempty"` // which of the button's options, from 1; 0 when it has none
	Answer string `json:"answer,omitempty"` // to the button's question
}

// Attachment is a file that came with a message or goes out with one.
type Attachment struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data,omitempty"`
	// Ref is how the channel gets the content, see Fetcher, while Data is empty. It is opaque outside the adapter.
	Ref  string `json:"ref,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes, as the platform tells it; 0 when unknown
}

// Outbound is one message to show.
type Outbound struct {
	Key          string       `json:"key"` // idempotency: the same for every attempt at this message
	Conversation Conversation `json:"conversation"`
	ReplyTo      MessageID    `json:"reply_to,omitempty"` // the message this answers
	Edit         MessageID    `json:"edit,omitempty"`     // change this message instead of posting a new one
	// Via is that of the message that is answered. It is used where the bot may not post, and with To.
	Via string `json:"via,omitempty"`
	// To is who alone is to see it, where the platform can do that; others post it. Empty is everybody.
	To          UserID       `json:"to,omitempty"`
	Text        string       `json:"text"`           // Markdown
	Card        *Card        `json:"card,omitempty"` // instead of a text
	Attachments []Attachment `json:"attachments,omitempty"`
	Buttons     [][]Button   `json:"buttons,omitempty"` // rows
	// Attempt is what earlier attempts achieved.
	Attempt Attempt `json:"-"`
}

// Attempt is what is known of earlier attempts at a message, and how this one keeps what it achieves.
type Attempt struct {
	// Parts is how many parts were delivered, of a message that is delivered in several. They are left out.
	Parts int
	// Unsure says that the first part that is not known to be delivered may have been: its answer never came. An
	// adapter that can find out, or whose platform drops repeats by key, should; others send again.
	Unsure bool
	// Delivered keeps that so many parts are delivered. It is called after each part but the last. It may be nil.
	Delivered func(ctx context.Context, parts int) error
}
