package telegramfake

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// messageLocked finds a message that a user acts on.
func (s *Server) messageLocked(chatID int64, messageID int) (*chat, fakekit.Object, error) {
	c := s.chats[chatID]
	if c == nil || c.messages[messageID] == nil {
		return nil, nil, fmt.Errorf("no message %d in chat %d", messageID, chatID)
	}
	return c, c.messages[messageID], nil
}

// EditMessage changes the text of a user's message, or the caption if it has
// one, and queues the edited_message update.
func (s *Server) EditMessage(chatID int64, messageID int, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, old, err := s.messageLocked(chatID, messageID)
	if err != nil {
		return err
	}
	m := maps.Clone(old)
	field := "text"
	if _, ok := m["caption"]; ok {
		field = "caption"
	}
	setIncomingText(m, field, text)
	m["edit_date"] = time.Now().Unix()
	c.messages[messageID] = m
	kind := "edited_message"
	if c.kind() == "channel" {
		kind = "edited_channel_post"
	}
	s.sendLocked(fakekit.Object{kind: m})
	return nil
}

// PressButton queues the callback query for an inline button and returns the
// id of the query. The button must exist on the message.
func (s *Server) PressButton(chatID int64, messageID int, data string, from fakekit.Object) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, err := s.messageLocked(chatID, messageID)
	if err != nil {
		return "", err
	}
	if !hasButton(m["reply_markup"], data) {
		return "", fmt.Errorf("message %d has no button with data %q", messageID, data)
	}
	s.nextQuery++
	id := strconv.Itoa(990000 + s.nextQuery)
	s.callbacks[id] = true
	s.sendLocked(fakekit.Object{"callback_query": fakekit.Object{
		"id": id, "from": orAnn(from), "message": maps.Clone(m),
		"chat_instance": "instance" + strconv.FormatInt(chatID, 10), "data": data,
	}})
	return id, nil
}

func hasButton(markup any, data string) bool {
	obj, _ := markup.(fakekit.Object)
	rows, _ := obj["inline_keyboard"].([]any)
	for _, row := range rows {
		buttons, _ := row.([]any)
		for _, b := range buttons {
			if button, _ := b.(fakekit.Object); button["callback_data"] == data {
				return true
			}
		}
	}
	return false
}

// React queues a message_reaction update, which bots get only if they ask.
func (s *Server) React(chatID int64, messageID int, emoji string, from fakekit.Object) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, _, err := s.messageLocked(chatID, messageID)
	if err != nil {
		return err
	}
	s.sendLocked(fakekit.Object{"message_reaction": fakekit.Object{
		"chat": c.info, "message_id": messageID, "user": orAnn(from), "date": time.Now().Unix(),
		"old_reaction": []any{}, "new_reaction": []any{fakekit.Object{"type": "emoji", "emoji": emoji}},
	}})
	return nil
}
