package bot

import (
	"context"
	"strings"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
)

// visit is a message of somebody who may talk.
type visit struct {
	in        *channels.Inbound
	person    *access.Person
	at        *place.Effective
	addressed bool // the bot is to answer
}

// visitOf decides whether the bot is to answer: it was named, or the place says that it always answers, or it takes
// part in the topic already and is not muted there.
func visitOf(in *channels.Inbound, p *access.Person, at *place.Effective) *visit {
	follows := !at.Muted() && (in.Mentioned || at.Answer() == place.Always)
	return &visit{in: in, person: p, at: at, addressed: named(in) || follows}
}

// named tells whether a message is for the bot whatever is set.
func named(in *channels.Inbound) bool {
	return in.Direct || in.Mentioned && !in.Followed || in.Command != nil || in.Action != nil
}

// seat puts a message where it is answered. What is set from a chat is for the chat, and not for the topic that the
// words would open.
func (v *visit) seat() {
	in := v.in
	if !v.addressed {
		return
	}
	reply := v.at.Reply()
	in.Unquoted = reply == place.Plain && in.Command == nil && in.Action == nil
	switch {
	case in.Thread == "" || in.Conversation.Topic != "" && in.Conversation.Topic != in.Thread:
	case in.Command != nil, reply == place.Quoting, reply == place.Plain:
		in.Conversation.Topic = ""
	case reply == place.InThread:
		in.Conversation.Topic = in.Thread
	}
}

// asideMark begins a message that people do not want the bot to see.
const asideMark = "!aside"

func ignored(in *channels.Inbound) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(in.Text), " ")
	return in.Command == nil && in.Action == nil && strings.EqualFold(word, asideMark)
}

// ignore keeps nothing of a message. One that is only now not for the bot is taken back.
func (r *Router) ignore(ctx context.Context, in *channels.Inbound) error {
	if in.Revises == "" {
		return nil
	}
	return r.takeBack(ctx, in)
}
