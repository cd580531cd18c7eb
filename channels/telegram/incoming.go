package telegram

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// incoming makes a received message of an update; nil when there is nothing in it for anybody.
func (c *Channel) incoming(u *update) *channels.Inbound {
	switch {
	case u.CallbackQuery != nil:
		return c.press(u.CallbackQuery)
	case u.Message != nil:
		return c.written(u.Message)
	case u.ChannelPost != nil:
		return c.written(u.ChannelPost)
	}
	m := u.content()
	if m == nil {
		return nil
	}
	in := c.written(m)
	if in != nil && in.Action != nil { // what was answered is answered
		return nil
	}
	if in != nil {
		in.Revises = in.EventKey
		in.EventKey = fmt.Sprintf("e:%d", u.ID)
	}
	return in
}

// written is a message that somebody wrote. Telegram may deliver it again, with another update id when the way of
// delivery changes, so its key is what never changes.
func (c *Channel) written(m *message) *channels.Inbound {
	me := c.me.Load()
	switch {
	case m.From != nil && m.From.IsBot && m.SenderChat == nil:
		return nil // other bots, and this one: bots that answer each other never stop
	case m.Chat.IsDirectMessages:
		return nil // messages of many people to a channel, in one chat
	}
	text, es := m.Text, m.Entities
	if text == "" {
		text, es = m.Caption, m.CaptionEntities
	}
	w := read(text, es, me)
	if w.other {
		return nil
	}
	in := &channels.Inbound{
		ID: messageID(m.ID), EventKey: fmt.Sprintf("m:%d:%d", m.Chat.ID, m.ID),
		Conversation: c.conversation(m), Sender: sender(m), Direct: m.Chat.Type == "private",
		Mentioned: w.mentioned, Text: join(w.text, describe(&m.media)), ReplyTo: c.quoted(m),
		Attachments: attachments(m), SentAt: time.Unix(m.Date, 0).UTC(),
	}
	if m.ForwardOrigin != nil {
		in.Text = join("Forwarded from "+m.ForwardOrigin.name()+":", in.Text)
	}
	if m.MediaGroupID != "" {
		in.Album = fmt.Sprintf("%d:%s", m.Chat.ID, m.MediaGroupID)
	}
	if in.ReplyTo != nil && in.ReplyTo.Mine {
		in.Mentioned = true
	}
	if w.command != "" && (in.Direct || in.Mentioned || c.knows(w.command)) {
		in.Command = &channels.Command{Name: w.command, Args: w.args}
	}
	if w.command != "" && in.Command == nil { // meant for another bot, or for nobody
		in.Text = join(strings.TrimSpace("/"+w.command+" "+w.text), describe(&m.media))
	}
	if in.Command == nil { // a command is none of the question's answers
		in.Action = c.answered(m, w.text)
	}
	if in.Text == "" && in.Command == nil && len(in.Attachments) == 0 && !w.mentioned {
		return nil // messages of the platform itself
	}
	return in
}

// knows tells whether a command is one of ours. In a group one without a name may be meant for another bot.
func (c *Channel) knows(command string) bool {
	return command == startCommand || command == leadCommand ||
		slices.ContainsFunc(c.env.Commands, func(i channels.CommandInfo) bool { return i.Name == command })
}

// startCommand is what Telegram sends when a person opens the bot for the first time.
const startCommand = "start"

// leadCommand may stand before all words that the program understands.
const leadCommand = "lead"

// press is a pressed button.
func (c *Channel) press(q *callbackQuery) *channels.Inbound {
	action, ask, ok := unpack(q.Data)
	if !ok || ask || q.Message == nil || q.unplaced() {
		return nil
	}
	return &channels.Inbound{
		ID: messageID(q.Message.ID), EventKey: "c:" + q.ID, Conversation: c.conversation(q.Message),
		Sender: person(&q.From), Direct: q.Message.Chat.Type == "private", Mentioned: true,
		Action: action, SentAt: time.Now().UTC(),
	}
}

// quoted is what a message answers. In a topic every message that answers nothing refers to the topic's first message;
// that one is nobody's, even if the bot opened the topic.
func (c *Channel) quoted(m *message) *channels.Quoted {
	r := m.ReplyTo
	if x := m.ExternalReply; x != nil {
		q := &channels.Quoted{ID: messageID(x.ID), Sender: channels.Sender{Name: x.Origin.name()}, Text: m.Quote.Text}
		if u := x.Origin.SenderUser; u != nil {
			q.Sender, q.Mine = person(u), u.ID == c.me.Load().ID
		}
		return q
	}
	if r == nil || r.TopicCreated != nil || m.IsTopicMessage && r.ID == m.ThreadID {
		return nil
	}
	q := &channels.Quoted{
		ID: messageID(r.ID), Sender: sender(r), Mine: r.From != nil && r.From.ID == c.me.Load().ID,
		Text: join(cmp.Or(r.Text, r.Caption), describe(&r.media)), Attachments: attachments(r),
	}
	if m.Quote.Text != "" {
		q.Text = m.Quote.Text
	}
	return q
}

// sender is who wrote a message: a person, or a chat in whose name somebody wrote.
func sender(m *message) channels.Sender {
	switch {
	case m.SenderChat != nil:
		name := m.SenderChat.Title
		if m.AuthorSignature != "" {
			name = inNameOf(m.AuthorSignature, name)
		}
		return channels.Sender{ID: channels.UserID(strconv.FormatInt(m.SenderChat.ID, 10)), Name: name}
	case m.From != nil:
		return person(m.From)
	}
	return channels.Sender{ID: channels.UserID(strconv.FormatInt(chatOf(m), 10)), Name: "unknown"}
}

func chatOf(m *message) int64 {
	if m.Chat == nil {
		return 0
	}
	return m.Chat.ID
}

func person(u *user) channels.Sender {
	return channels.Sender{ID: channels.UserID(strconv.FormatInt(u.ID, 10)), Name: u.name()}
}

func (u *user) name() string {
	name := strings.TrimSpace(u.FirstName + " " + u.LastName)
	if u.Username != "" {
		name = strings.TrimSpace(name + " @" + u.Username)
	}
	return name
}

func (o *origin) name() string {
	switch {
	case o.SenderUser != nil:
		return o.SenderUser.name()
	case o.SenderChat != nil:
		return o.SenderChat.Title
	case o.Chat != nil:
		return o.Chat.Title
	}
	return cmp.Or(o.SenderUserName, "somebody")
}

// join puts texts below each other.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}

// inNameOf names a person who writes in the name of a chat.
func inNameOf(who, chat string) string {
	if chat == "" {
		return who
	}
	return who + " of " + chat
}
