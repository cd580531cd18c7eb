package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// nameTime is how long a messenger may take to tell a name.
const nameTime = 2 * time.Second

// Naming tells what people call conversations, as far as their messengers tell.
type Naming func(channel string) (channels.Channel, bool)

// Of is a conversation in words: "#web", "a thread in #web", "Release in Design"; "a chat on slack" when nobody knows.
func (n Naming) Of(ctx context.Context, c channels.Conversation) string {
	if c.Chat == "" {
		return "all of " + c.Channel
	}
	ctx, cancel := context.WithTimeout(ctx, nameTime)
	defer cancel()
	chat := c
	chat.Topic = ""
	name := n.ask(ctx, chat)
	if name == "" {
		name = "a chat on " + c.Channel
	}
	if c.Topic == "" {
		return name
	}
	if topic := n.ask(ctx, c); topic != "" {
		return fmt.Sprintf("%s in %s", topic, name)
	}
	return "a thread in " + name
}

// ask is the name that the messenger tells; empty when it tells none in time.
func (n Naming) ask(ctx context.Context, c channels.Conversation) string {
	ch, _ := n(c.Channel)
	namer, able := ch.(channels.Namer)
	if !able {
		return ""
	}
	name, err := namer.NameOf(ctx, c)
	if err != nil { // a name is only for showing
		return ""
	}
	return name
}
