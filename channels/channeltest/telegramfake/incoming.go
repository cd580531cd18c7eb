package telegramfake

import (
	"fmt"
	"maps"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Incoming describes a message that a user sends: a text, or a file of any kind
// with or without a caption, in a chat, a topic or a thread of comments.
type Incoming struct {
	ChatID int64 `json:"chat_id"`
	// ThreadID is the topic; 0 or [GeneralTopic] is General.
	ThreadID int `json:"thread_id,omitempty"`
	// CommentThread puts the message into a thread of replies that is not a
	// forum topic: message_thread_id without is_topic_message.
	CommentThread int            `json:"comment_thread,omitempty"`
	From          fakekit.Object `json:"from,omitempty"` // nil is the user Ann, 4242
	// Text and Caption get the entities of the commands and mentions in them.
	Text    string `json:"text,omitempty"`
	Caption string `json:"caption,omitempty"`
	ReplyTo int    `json:"reply_to,omitempty"`
	// FileID attaches a file added with [Server.AddFile].
	FileID string `json:"file_id,omitempty"`
	// Kind is what the file is sent as: document, the default, photo, voice,
	// audio, video, video_note, animation or sticker.
	Kind string `json:"kind,omitempty"`
	// FileName and MimeType are shown on the kinds that have them. The name is
	// that of the file unless told otherwise.
	FileName string `json:"file_name,omitempty"`
	MimeType string `json:"mime_type,omitempty"`
	// MediaGroup makes the message part of an album.
	MediaGroup string `json:"media_group,omitempty"`
	// Extra fields are set on the message as they are.
	Extra fakekit.Object `json:"extra,omitempty"`
}

// User returns a User object.
func User(id int64, firstName, username string) fakekit.Object {
	u := fakekit.Object{"id": id, "is_bot": false, "first_name": firstName}
	if username != "" {
		u["username"] = username
	}
	return u
}

// orAnn returns the user who acts, by default Ann.
func orAnn(from fakekit.Object) fakekit.Object {
	if from == nil {
		return User(4242, "Ann", "ann")
	}
	return from
}

// SendMessage stores a user's message and queues the update for it, as
// "message" or, in a channel, "channel_post". It fails if the chat, the file
// or the message replied to does not exist.
func (s *Server) SendMessage(in Incoming) (fakekit.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[in.ChatID]
	if c == nil {
		return nil, fmt.Errorf("no chat %d", in.ChatID)
	}
	content, err := s.contentOf(c, in)
	if err != nil {
		return nil, err
	}
	m := s.newMessage(c, in.ThreadID, orAnn(in.From))
	maps.Copy(m, content)
	if in.CommentThread != 0 {
		m["message_thread_id"] = in.CommentThread
	}
	kind := "message"
	if c.kind() == "channel" {
		delete(m, "from")
		m["sender_chat"] = c.info
		kind = "channel_post"
	}
	if root := c.messages[in.ThreadID]; root != nil && in.ReplyTo == 0 && m["is_topic_message"] == true && c.isForum() {
		// Every message in a topic that is no reply refers to the topic's
		// first message.
		m["reply_to_message"] = withoutReply(root)
	}
	maps.Copy(m, in.Extra)
	s.sendLocked(fakekit.Object{kind: m})
	return maps.Clone(m), nil
}

// contentOf returns the fields of a message that hold what the user sends.
func (s *Server) contentOf(c *chat, in Incoming) (fakekit.Object, error) {
	m := fakekit.Object{}
	setIncomingText(m, "text", in.Text)
	setIncomingText(m, "caption", in.Caption)
	if in.MediaGroup != "" {
		m["media_group_id"] = in.MediaGroup
	}
	if in.FileID != "" {
		f := s.files.byID[in.FileID]
		if f == nil {
			return nil, fmt.Errorf("no file %q", in.FileID)
		}
		file := media{id: in.FileID, name: in.FileName, mime: in.MimeType, size: f.size}
		if file.name == "" {
			file.name = f.name
		}
		kind := in.Kind
		if kind == "" {
			kind = "document"
		}
		if err := s.attach(m, kind, file); err != nil {
			return nil, err
		}
	}
	if in.ReplyTo != 0 {
		target := c.messages[in.ReplyTo]
		if target == nil {
			return nil, fmt.Errorf("no message %d in chat %d", in.ReplyTo, in.ChatID)
		}
		m["reply_to_message"] = withoutReply(target)
	}
	return m, nil
}

// setIncomingText sets a text or caption with the entities that Telegram finds
// in it; an empty one is left out.
func setIncomingText(m fakekit.Object, field, text string) {
	delete(m, field)
	delete(m, entityField(field))
	if text == "" {
		return
	}
	m[field] = text
	if e := detectEntities(text); len(e) > 0 {
		m[entityField(field)] = e
	}
}

func entityField(field string) string {
	if field == "caption" {
		return "caption_entities"
	}
	return "entities"
}
