package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

var errUnknownSelf = errors.New("the bot does not know itself yet")

// heard tells whether a message is for the program: a person wrote it, or a bot that the settings name. Bots that
// answer each other, or themselves, never stop.
func (c *Channel) heard(m *message) bool {
	if m.WebhookID != "" || m.Type != plainMessage && m.Type != replyMessage {
		return false
	}
	return !m.Author.Bot || slices.Contains(c.conf.Bots, m.Author.ID) && !c.wrote(m)
}

// wrote tells whether this bot is the author.
func (c *Channel) wrote(m *message) bool {
	me := c.me.Load()
	return me != nil && m.Author.ID == me.user
}

// incoming makes a received message of one that somebody wrote; nil when there is nothing in it for anybody.
func (c *Channel) incoming(ctx context.Context, m *message) (*channels.Inbound, error) {
	me := c.me.Load()
	if me == nil {
		return nil, fmt.Errorf("read message %s: %w", m.ID, errUnknownSelf)
	}
	w := c.read(m.Content, me.user, m.Mentions)
	in := &channels.Inbound{
		ID: channels.MessageID(m.ID), EventKey: "m:" + m.ID, Sender: sender(m.Author, m.Member), Mentioned: w.mentioned,
		Text: join(w.text, m.describe()), ReplyTo: c.quoted(m, me), Attachments: m.files(m.ChannelID, m.ID),
		SentAt: m.Timestamp.UTC(),
	}
	in.Sender.Bot = m.Author.Bot
	for _, s := range m.Snapshots { // forwarded from elsewhere
		f := c.read(s.Message.Content, me.user, s.Message.Mentions)
		in.Text = join(in.Text, "Forwarded:", f.text, s.Message.describe())
		in.Attachments = append(in.Attachments, s.Message.files(m.ChannelID, m.ID)...)
	}
	if in.Text == "" && len(in.Attachments) == 0 && !in.Mentioned {
		return nil, nil
	}
	var at place
	var err error
	if in.Conversation, at, err = c.conversation(ctx, m.ChannelID); err != nil {
		return nil, err
	}
	if in.Direct = at.direct(); at.threads() {
		in.Thread = channels.TopicID(m.ID)
		c.threads.titles.keep(m.ID, titleOf(in.Text, in.Sender.Name))
	}
	in.Mentioned = in.Mentioned || in.ReplyTo != nil && in.ReplyTo.Mine
	if !in.Mentioned && !in.Direct && in.Conversation.Topic != "" && c.env.Joined != nil {
		if in.Followed, err = c.env.Joined(ctx, in.Conversation); err != nil {
			return nil, fmt.Errorf("see whether the bot is in the thread: %w", err)
		}
		in.Mentioned = in.Followed
	}
	return in, nil
}

// quoted is the message that a message answers.
func (c *Channel) quoted(m *message, me *identity) *channels.Quoted {
	r := m.Referenced
	if r == nil || m.Type != replyMessage {
		return nil
	}
	q := &channels.Quoted{
		ID: channels.MessageID(r.ID), Sender: sender(r.Author, r.Member), Mine: r.Author.ID == me.user,
		Text:        join(c.read(r.Content, me.user, r.Mentions).text, r.describe()),
		Attachments: r.files(m.ChannelID, r.ID),
	}
	q.Sender.Bot = r.Author.Bot && !q.Mine
	return q
}

func sender(u *user, m *member) channels.Sender {
	name := u.shown(m)
	if name != u.Username && u.Username != "" {
		name += " @" + u.Username
	}
	return channels.Sender{ID: channels.UserID(u.ID), Name: name}
}

// shown is the name that others see.
func (u *user) shown(m *member) string {
	if m != nil && m.Nick != "" {
		return m.Nick
	}
	if u.GlobalName != "" {
		return u.GlobalName
	}
	return u.Username
}

// describe tells in words what a message holds beside text and files.
func (m *content) describe() string {
	var parts []string
	for _, s := range m.Stickers {
		parts = append(parts, fmt.Sprintf("(a sticker: %s)", s.Name))
	}
	if m.Poll != nil {
		var answers []string
		for _, a := range m.Poll.Answers {
			answers = append(answers, a.Media.Text)
		}
		parts = append(parts, fmt.Sprintf("(a poll: %s; options: %s)", m.Poll.Question.Text, strings.Join(answers, "; ")))
	}
	return join(parts...)
}

// join puts texts below each other.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}
