package telegram

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/leadhand/leadhand/channels"
)

// maxNames bounds what is remembered of names.
const maxNames = 20_000

// names are what people call conversations. Messages tell the names of chats; those of topics only what happens in them
// does: the Bot API can't be asked.
type names struct {
	known *lru.Cache[channels.Conversation, string]
}

func newNames() names {
	known, _ := lru.New[channels.Conversation, string](maxNames) // fails only for a size below one
	return names{known}
}

// NameOf implements channels.Namer. A topic of which nothing was heard since the start is not named.
func (c *Channel) NameOf(ctx context.Context, conv channels.Conversation) (string, error) {
	s, err := c.spot(conv)
	if err != nil {
		return "", err
	}
	conv.Chat = chatID(s.chat)
	if name, ok := c.names.known.Get(conv); ok {
		return name, nil
	}
	switch {
	case conv.Topic == General:
		return "General", nil
	case conv.Topic != "" || s.private():
		return "", nil
	}
	var found chat
	if err := c.brief(ctx, "getChat", params{"chat_id": string(conv.Chat)}, &found); err != nil {
		return "", err
	}
	name := channels.OneLine(found.Title)
	c.names.known.Add(conv, name)
	return name, nil
}

// learn remembers the names that a message tells.
func (c *Channel) learn(m *message) {
	at := channels.Conversation{Channel: c.name, Chat: chatID(m.Chat.ID)}
	if title := channels.OneLine(m.Chat.Title); title != "" {
		c.names.known.Add(at, title)
	}
	topic := c.conversation(m)
	switch r := m.ReplyTo; {
	case topic.Topic == "":
	case m.TopicEdited != nil && m.TopicEdited.Name != "": // the name is left out when only its icon was changed
		c.names.known.Add(topic, channels.OneLine(m.TopicEdited.Name))
	case m.TopicCreated != nil:
		c.names.known.Add(topic, channels.OneLine(m.TopicCreated.Name))
	case r != nil && r.TopicCreated != nil: // as it was called in the beginning
		c.names.known.ContainsOrAdd(topic, channels.OneLine(r.TopicCreated.Name))
	}
}
