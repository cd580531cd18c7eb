package slack

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The types here hold what is used of what Slack sends. Ids and times are texts.

// envelope is one delivery over a socket.
type envelope struct {
	Type     string          `json:"type"`
	ID       string          `json:"envelope_id"`
	Payload  json.RawMessage `json:"payload"`
	Reason   string          `json:"reason"` // of a disconnect
	Attempts int             `json:"retry_attempt"`
}

// Kinds of deliveries over sockets.
const (
	kindEvent       = "events_api"
	kindCommand     = "slash_commands"
	kindInteraction = "interactive"
)

// callback is the payload of an event.
type callback struct {
	Type      string          `json:"type"`
	Challenge string          `json:"challenge"`
	Team      string          `json:"team_id"`
	EventID   string          `json:"event_id"`
	Event     json.RawMessage `json:"event"`
}

type message struct {
	Type        string   `json:"type"`
	Subtype     string   `json:"subtype"`
	Channel     string   `json:"channel"`
	ChannelType string   `json:"channel_type"`
	User        string   `json:"user"`
	BotID       string   `json:"bot_id"`
	Team        string   `json:"team"`
	Text        string   `json:"text"`
	TS          string   `json:"ts"`
	ThreadTS    string   `json:"thread_ts"`
	EventTS     string   `json:"event_ts"`
	DeletedTS   string   `json:"deleted_ts"`
	Username    string   `json:"username"` // of some bots
	Files       []file   `json:"files"`
	Shared      sharings `json:"attachments"`
	Edited      *struct {
		TS string `json:"ts"`
	} `json:"edited"`
	revision
}

// revision is what a changed message was and is.
type revision struct {
	Message  *message `json:"message"`
	Previous *message `json:"previous_message"`
}

type file struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	MimeType string `json:"mimetype"`
	Size     int64  `json:"size"`
	Mode     string `json:"mode"` // "tombstone" once it is deleted
}

// sharings are the messages that another one quotes, among other things that are attached to it.
type sharings []shared

// UnmarshalJSON reads what can be read: attachments of other apps have all kinds of forms.
func (s *sharings) UnmarshalJSON(data []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return nil
	}
	for _, raw := range all {
		var one shared
		if json.Unmarshal(raw, &one) == nil && (one.IsShare || one.IsUnfurl) {
			*s = append(*s, one)
		}
	}
	return nil
}

// shared is a message that another one quotes.
type shared struct {
	IsShare    bool   `json:"is_share"`
	IsUnfurl   bool   `json:"is_msg_unfurl"`
	TS         string `json:"ts"`
	AuthorID   string `json:"author_id"`
	AuthorName string `json:"author_name"`
	Text       string `json:"text"`
	Files      []file `json:"files"`
}

// sessionStopped says that a person pressed Slack's own button that stops an answer.
type sessionStopped struct {
	Channel string   `json:"channel"`
	Thread  string   `json:"thread_ts"`
	User    string   `json:"user"`
	Streams []string `json:"streaming_message_ts"` // that Slack stopped
}

type homeOpened struct {
	User string `json:"user"`
	Tab  string `json:"tab"`
	View *struct {
		PrivateMetadata string `json:"private_metadata"`
		Hash            string `json:"hash"`
	} `json:"view"`
}

type assistantStarted struct {
	Thread struct {
		Channel string `json:"channel_id"`
		TS      string `json:"thread_ts"`
	} `json:"assistant_thread"`
}

// command is a slash command.
type command struct {
	Team    string `json:"team_id"`
	Channel string `json:"channel_id"`
	User    string `json:"user_id"`
	Name    string `json:"user_name"`
	Command string `json:"command"`
	Text    string `json:"text"`
	Trigger string `json:"trigger_id"`
	Respond string `json:"response_url"`
}

type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Team string `json:"team_id"`
}

// interaction is a pressed button, a sent form or a shortcut.
type interaction struct {
	Type       string   `json:"type"`
	CallbackID string   `json:"callback_id"`
	Trigger    string   `json:"trigger_id"`
	Respond    string   `json:"response_url"`
	Team       *named   `json:"team"` // nil for some apps of a whole organisation
	User       named    `json:"user"`
	Channel    named    `json:"channel"`
	Message    *message `json:"message"`
	Container  struct {
		MessageTS string `json:"message_ts"`
		ThreadTS  string `json:"thread_ts"`
		Channel   string `json:"channel_id"`
	} `json:"container"`
	Actions []action `json:"actions"`
	View    *view    `json:"view"`
}

type action struct {
	ActionID string `json:"action_id"`
	Value    string `json:"value"`
	Selected *struct {
		Value string `json:"value"`
	} `json:"selected_option"`
}

type view struct {
	ID              string `json:"id"`
	CallbackID      string `json:"callback_id"`
	PrivateMetadata string `json:"private_metadata"`
	State           struct {
		Values map[string]map[string]struct {
			Value string `json:"value"`
		} `json:"values"`
	} `json:"state"`
}

// decode reads a payload. Its errors tell nothing of what was written.
func decode[T any](raw []byte) (*T, error) {
	v := new(T)
	err := json.Unmarshal(raw, v)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, fmt.Errorf("field %s can't be a %s", e.Field, e.Value)
	}
	if err != nil {
		return nil, errors.New("it is no JSON")
	}
	return v, nil
}

// kind is the type of an event, whatever else it holds.
func kind(event []byte) string {
	var k struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(event, &k) != nil {
		return ""
	}
	return k.Type
}
