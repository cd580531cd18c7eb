package slack

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// written are the kinds of messages that people write.
var written = []string{"", "file_share", "thread_broadcast", "me_message"}

// incoming makes a received message of an event; nil when there is nothing in it for anybody. A mention comes as two
// events of one message, so all is told by the message itself.
func (c *Channel) incoming(ctx context.Context, cb *callback, m *message) (*channels.Inbound, error) {
	if ts, gone := m.takenBack(); gone {
		return c.takenBack(ctx, cb, m, ts)
	}
	if m.Subtype != "message_changed" {
		return c.wrote(ctx, cb.Team, m)
	}
	now, was := m.Message, m.Previous
	if now == nil || was != nil && now.Text == was.Text && sameFiles(now.Files, was.Files) ||
		was == nil && now.Edited == nil { // a preview of a link, or something else that no person changed
		return nil, nil
	}
	now.Channel, now.ChannelType = m.Channel, m.ChannelType
	in, err := c.wrote(ctx, cb.Team, now)
	if in == nil || err != nil {
		return nil, err
	}
	if err := c.opened(ctx, in, now.TS); err != nil {
		return nil, err
	}
	changed := cmp.Or(m.EventTS, cb.EventID)
	if now.Edited != nil {
		changed = cmp.Or(now.Edited.TS, changed)
	}
	in.Revises, in.EventKey = in.EventKey, "e"+in.EventKey[1:]+":"+changed
	return in, nil
}

// opened puts what happened to a message into the thread that the message opened, if the bot takes part there.
func (c *Channel) opened(ctx context.Context, in *channels.Inbound, ts string) error {
	if in.Conversation.Topic != "" || in.Direct {
		return nil
	}
	in.Conversation.Topic = channels.TopicID(ts)
	err := c.join(ctx, in)
	if !in.Mentioned {
		in.Conversation.Topic = ""
	}
	return err
}

func sameFiles(a, b []file) bool {
	return slices.EqualFunc(a, b, func(x, y file) bool { return x.ID == y.ID && x.Mode == y.Mode })
}

// wrote is a message that a person wrote, or a bot that is listened to.
func (c *Channel) wrote(ctx context.Context, team string, m *message) (*channels.Inbound, error) {
	me := c.me.Load()
	by, ok := c.writer(m)
	switch {
	case !ok:
		return nil, nil
	case m.Channel == "" || !isTS(m.TS):
		return nil, errIncomplete
	}
	stored := ctx // looking up whether the bot takes part must not fail because names come slowly
	ctx, cancel := context.WithTimeout(ctx, lookupsTime)
	defer cancel()
	w := read(m.Text, me.user, c.nameIn(ctx))
	in := &channels.Inbound{
		ID: channels.MessageID(m.TS), EventKey: c.eventKey(team, m.Channel, m.TS),
		Sender: c.sender(ctx, m, by), Direct: direct(m.Channel) || m.ChannelType == "im", Mentioned: w.mentioned,
		Text: w.text, Attachments: attachments(m.Files), SentAt: sentAt(m.TS),
	}
	thread := m.ThreadTS
	if thread == m.TS { // what others answered does not move a message into a thread
		thread = ""
	}
	if thread == "" && !in.Direct {
		in.Thread = channels.TopicID(m.TS)
		if w.mentioned {
			thread = m.TS
		}
	}
	in.Conversation = c.conversation(team, m.Channel, thread)
	if in.Text == "" && len(in.Attachments) == 0 && !w.mentioned {
		return nil, nil
	}
	if !by.bot { // nothing grows for a bot
		c.asked(m.Channel, in.ID, asker{m.User, cmp.Or(m.Team, team, me.team)})
	}
	in.ReplyTo = c.quoted(ctx, m)
	if thread == "" || thread == m.TS {
		return in, nil
	}
	return in, c.follow(stored, ctx, in, m)
}

// eventKey is the key of a message. A mention comes as two events with ids of their own.
func (c *Channel) eventKey(team, channel, ts string) string {
	return fmt.Sprintf("m:%s:%s:%s", cmp.Or(team, c.me.Load().team), channel, ts)
}

// follow tells of a message in a thread whether it speaks to the bot. Where the bot is new, the message comes with
// what the thread is about.
func (c *Channel) follow(ctx, lookups context.Context, in *channels.Inbound, m *message) error {
	mentioned := in.Mentioned
	in.Mentioned = false
	if err := c.join(ctx, in); err != nil {
		return err
	}
	if (mentioned || in.Direct) && !in.Mentioned && in.ReplyTo == nil {
		in.ReplyTo = c.root(lookups, m.Channel, m.ThreadTS)
	}
	in.Followed = in.Mentioned && !in.Direct && !mentioned
	in.Mentioned = in.Followed || mentioned
	return nil
}

// join marks a message as followed, and so as speaking to the bot, when that takes part in its conversation already.
func (c *Channel) join(ctx context.Context, in *channels.Inbound) error {
	if c.env.Joined == nil || in.Mentioned {
		return nil
	}
	joined, err := c.env.Joined(ctx, in.Conversation)
	if err != nil {
		return fmt.Errorf("look up whether the bot takes part: %w", err)
	}
	in.Mentioned, in.Followed = joined, joined
	return nil
}

// quoted is the message that another one shares.
func (c *Channel) quoted(ctx context.Context, m *message) *channels.Quoted {
	if len(m.Shared) == 0 {
		return nil
	}
	s, me := m.Shared[0], c.me.Load()
	return &channels.Quoted{
		ID:     channels.MessageID(s.TS),
		Sender: channels.Sender{ID: channels.UserID(s.AuthorID), Name: cmp.Or(s.AuthorName, s.AuthorID)},
		Mine:   s.AuthorID == me.user || s.AuthorID == me.bot,
		Text:   c.seen(ctx, s.Text), Attachments: attachments(s.Files),
	}
}

// seen is a text as people see it, with mentions of the bot.
func (c *Channel) seen(ctx context.Context, text string) string {
	return read(text, "", c.nameIn(ctx)).text
}

// root is the first message of a thread; nil when Slack does not give it in time.
func (c *Channel) root(ctx context.Context, channel, thread string) *channels.Quoted {
	var found []slackgo.Message
	err := c.api.call(ctx, "conversations.replies", channel, func(ctx context.Context) (err error) {
		found, _, _, err = c.api.GetConversationRepliesContext(ctx, &slackgo.GetConversationRepliesParameters{
			ChannelID: channel, Timestamp: thread, Limit: 1,
		})
		return err
	})
	if err != nil || len(found) == 0 || found[0].Timestamp != thread {
		c.env.Log.Debug("look up what a thread is about", "err", err)
		return nil
	}
	m, me := found[0], c.me.Load()
	who := cmp.Or(m.User, m.BotID)
	q := &channels.Quoted{
		ID: channels.MessageID(m.Timestamp), Sender: channels.Sender{ID: channels.UserID(who), Name: cmp.Or(m.Username, who)},
		Mine: who == me.user || who == me.bot, Text: c.seen(ctx, m.Text),
	}
	if m.User != "" {
		q.Sender = c.person(ctx, m.User)
	}
	for _, f := range m.Files {
		q.Attachments = append(q.Attachments, attachments([]file{{
			ID: f.ID, Name: f.Name, Title: f.Title, MimeType: f.Mimetype, Size: int64(f.Size), Mode: f.Mode,
		}})...)
	}
	return q
}

// attachments are the files of a message, without their content: that is fetched when it is needed.
func attachments(files []file) []channels.Attachment {
	var out []channels.Attachment
	for _, f := range files {
		if f.ID == "" || f.Mode == "tombstone" {
			continue
		}
		out = append(out, channels.Attachment{
			Name: cmp.Or(f.Name, f.Title, f.ID), MediaType: cmp.Or(f.MimeType, "application/octet-stream"), Ref: f.ID,
			Size: f.Size,
		})
	}
	return out
}
