package telegram

import (
	"fmt"
	"strconv"

	"github.com/leadhand/leadhand/channels"
)

const (
	// General is the topic of a forum that every message without a topic belongs to.
	General channels.TopicID = "general"
	// generalThread is its number, which typing signs take and messages must not name.
	generalThread = 1
)

func chatID(id int64) channels.ChatID { return channels.ChatID(strconv.FormatInt(id, 10)) }

func messageID(id int) channels.MessageID { return channels.MessageID(strconv.Itoa(id)) }

// conversation is where a message stands. A thread number alone does not make a topic: in groups without topics it
// numbers a thread of replies.
func (c *Channel) conversation(m *message) channels.Conversation {
	conv := channels.Conversation{Channel: c.name, Chat: chatID(m.Chat.ID)}
	switch {
	case m.IsTopicMessage && m.ThreadID == generalThread && m.Chat.IsForum:
		conv.Topic = General
	case m.IsTopicMessage && m.ThreadID > 0:
		conv.Topic = channels.TopicID(strconv.Itoa(m.ThreadID))
	case m.Chat.IsForum:
		conv.Topic = General
	}
	return conv
}

// spot is a conversation as the Bot API addresses it.
type spot struct {
	chat   int64
	thread int  // 0 outside of topics; generalThread in General
	moved  bool // the chat has another id than the conversation says: numbers of messages are those of the old one
}

func (c *Channel) spot(conv channels.Conversation) (spot, error) {
	chat, err := strconv.ParseInt(string(conv.Chat), 10, 64)
	if err != nil {
		return spot{}, fmt.Errorf("%q is no chat id of Telegram", conv.Chat)
	}
	s := spot{chat: c.current(chat)}
	s.moved = s.chat != chat
	switch conv.Topic {
	case "":
	case General:
		s.thread = generalThread
	default:
		if s.thread, err = strconv.Atoi(string(conv.Topic)); err != nil || s.thread < 1 {
			return spot{}, fmt.Errorf("%q is no topic of Telegram", conv.Topic)
		}
	}
	return s, nil
}

// private tells whether the chat is with one person.
func (s spot) private() bool { return s.chat > 0 }

// params address messages to the spot.
func (s spot) params() params {
	p := params{"chat_id": strconv.FormatInt(s.chat, 10)}
	if s.thread > generalThread {
		p["message_thread_id"] = strconv.Itoa(s.thread)
	}
	return p
}
