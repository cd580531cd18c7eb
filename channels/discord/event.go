package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The types here hold what is used of Discord's objects. The library's own lack newer parts, and give up whole messages
// for a component that they don't know.

type user struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Bot        bool   `json:"bot"`
}

type member struct {
	Nick string `json:"nick"`
	User *user  `json:"user"` // in interactions
}

// mention is a person whom a message mentions.
type mention struct {
	user
	Member *member `json:"member"`
}

type message struct {
	ID        string  `json:"id"`
	ChannelID string  `json:"channel_id"`
	Type      int     `json:"type"`
	Author    *user   `json:"author"`
	Member    *member `json:"member"`
	WebhookID string  `json:"webhook_id"`

	Timestamp time.Time  `json:"timestamp"`
	Edited    *time.Time `json:"edited_timestamp"`

	content
	Referenced *message `json:"referenced_message"`
	Snapshots  []struct {
		Message content `json:"message"`
	} `json:"message_snapshots"`
}

// content is what people see of a message.
type content struct {
	Content     string       `json:"content"`
	Mentions    []mention    `json:"mentions"`
	Attachments []attachment `json:"attachments"`
	Stickers    []struct {
		Name string `json:"name"`
	} `json:"sticker_items"`
	Poll *poll `json:"poll"`
}

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	URL         string `json:"url"`
}

type pollText struct {
	Text string `json:"text"`
}

type poll struct {
	Question pollText `json:"question"`
	Answers  []struct {
		Media pollText `json:"poll_media"`
	} `json:"answers"`
}

// Kinds of messages that people write; all others tell of an event.
const (
	plainMessage = 0
	replyMessage = 19
)

// interaction is the use of a command, a button, a menu or a form.
type interaction struct {
	ID        string      `json:"id"`
	Token     string      `json:"token"`
	Type      int         `json:"type"`
	ChannelID string      `json:"channel_id"`
	Channel   *place      `json:"channel"`
	Member    *member     `json:"member"`
	User      *user       `json:"user"` // in direct chats
	Message   *message    `json:"message"`
	Data      pressedData `json:"data"`
}

type pressedData struct {
	Type       int         `json:"type"` // of a command
	Name       string      `json:"name"`
	CustomID   string      `json:"custom_id"`
	Values     []string    `json:"values"`
	Options    []option    `json:"options"`
	Components []component `json:"components"`
	Target     string      `json:"target_id"` // the message that a command of its menu is about
	Resolved   struct {
		Messages map[string]*message `json:"messages"`
	} `json:"resolved"`
}

type option struct {
	Name    string   `json:"name"`
	Value   any      `json:"value"`
	Options []option `json:"options"`
}

// Types of interactions.
const (
	usedCommand   = 2
	usedComponent = 3
	typedSoFar    = 4
	usedModal     = 5
)

type readyEvent struct {
	User        user `json:"user"`
	Application struct {
		ID string `json:"id"`
	} `json:"application"`
}

// guildEvent is a server that the bot is in, or threads that it can see from now on.
type guildEvent struct {
	ID       string    `json:"id"` // of the server, only when it is told whole
	System   string    `json:"system_channel_id"`
	Joined   time.Time `json:"joined_at"`
	Channels []place   `json:"channels"`
	Threads  []place   `json:"threads"`
}

// edit is a message that was changed.
type edit struct{ message }

// deletion is messages that were taken back. Nobody tells whose they were.
type deletion struct {
	ID        string   `json:"id"`
	IDs       []string `json:"ids"` // when they are several
	ChannelID string   `json:"channel_id"`
}

// all are the messages.
func (d *deletion) all() []string {
	if d.ID != "" {
		return []string{d.ID}
	}
	return d.IDs
}

// removal is a channel that was deleted.
type removal struct{ place }

// decode reads one event of the gateway; nil without an error is one that nobody needs.
func decode(kind string, raw []byte) (any, error) {
	var into any
	switch kind {
	case "READY":
		into = &readyEvent{}
	case "MESSAGE_CREATE":
		into = &message{}
	case "MESSAGE_UPDATE":
		into = &edit{}
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		into = &deletion{}
	case "INTERACTION_CREATE":
		into = &interaction{}
	case "GUILD_CREATE", "THREAD_LIST_SYNC":
		into = &guildEvent{}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		into = &place{}
	case "CHANNEL_DELETE", "THREAD_DELETE":
		into = &removal{}
	default:
		return nil, nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	if err := check(into); err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	return into, nil
}

var (
	errNoID     = errors.New("an id is missing or is none")
	errNoAuthor = errors.New("nobody did it")
)

// check makes sure that what the rest relies on is there.
func check(event any) error {
	switch e := event.(type) {
	case *readyEvent:
		if !isID(e.User.ID) {
			return errNoID
		}
	case *message:
		return e.check()
	case *edit:
		if e.Author == nil { // a part of a message that did not change itself
			e.Author = &user{ID: "0", Bot: true}
		}
		return e.check()
	case *deletion:
		if !isID(e.ChannelID) || slices.ContainsFunc(e.all(), func(id string) bool { return !isID(id) }) {
			return errNoID
		}
	case *interaction:
		if !isID(e.ID) || !isID(e.ChannelID) || !isToken(e.Token) {
			return errNoID
		}
		if who := e.who(); who == nil || !isID(who.ID) {
			return errNoAuthor
		}
		if e.Message != nil && !isID(e.Message.ID) {
			e.Message = nil
		}
	}
	return nil
}

func (m *message) check() error {
	switch {
	case !isID(m.ID), !isID(m.ChannelID):
		return errNoID
	case m.Author == nil || !isID(m.Author.ID):
		return errNoAuthor
	}
	if r := m.Referenced; r != nil && (!isID(r.ID) || r.Author == nil) {
		m.Referenced = nil
	}
	return nil
}

// who used it.
func (i *interaction) who() *user {
	if i.Member != nil && i.Member.User != nil {
		return i.Member.User
	}
	return i.User
}

// isID tells whether s is an id of Discord. Ids become parts of URLs.
func isID(s string) bool {
	const longest = 20
	return s != "" && len(s) <= longest && strings.Trim(s, "0123456789") == ""
}
