package discord

import (
	"context"

	"github.com/leadhand/leadhand/channels"
)

// NameOf implements channels.Namer.
func (c *Channel) NameOf(ctx context.Context, conv channels.Conversation) (string, error) {
	id, err := target(conv)
	if err != nil {
		return "", err
	}
	p, err := c.place(ctx, id)
	return p.called(), err
}

// called is what people call a channel, "#web", or a thread; empty when it has no name.
func (p place) called() string {
	name := channels.OneLine(p.Name)
	if name == "" || p.direct() || p.thread() {
		return name
	}
	return "#" + name
}

// read takes a text apart. Who reads it may not see a channel that others are kept from: its name is none of theirs.
func (c *Channel) read(text, me string, mentions []mention) words {
	return read(text, me, mentions, func(id string) string {
		p, known := c.places.get(id)
		around, _ := c.places.get(p.Parent)
		switch name := p.called(); {
		case p.hidden || p.thread() && around.hidden:
			return "#private-channel"
		case known && name != "" && p.thread():
			return "#" + name
		case known && name != "":
			return name
		}
		return "<#" + id + ">"
	})
}
