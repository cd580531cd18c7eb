package slack

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// makeTask is the id of the shortcut on messages.
const makeTask = "lead_make_task"

// interactionJob is about a press, a form or a shortcut.
func (c *Channel) interactionJob(r *running, d delivery) (job, error) {
	p, err := decode[interaction](d.payload)
	switch {
	case err != nil:
		return job{}, err
	case p.User.ID == "":
		return job{}, errIncomplete
	}
	switch p.Type {
	case "block_actions":
		return c.pressJob(r, p, d.patience)
	case "view_submission":
		return c.submissionJob(r, p, d.patience)
	case "message_action", "shortcut":
		return c.shortcutJob(r, p, d.patience)
	case "view_closed":
		return job{}, nil
	}
	return job{}, fmt.Errorf("an interaction of type %q", c.api.hide(p.Type))
}

// spot is where an interaction took place. A message in a channel stands in a thread only if it says so.
func (p *interaction) spot() spot {
	to := spot{chat: cmp.Or(p.Channel.ID, p.Container.Channel), thread: p.Container.ThreadTS}
	if to.thread == "" && p.Message != nil {
		to.thread = p.Message.ThreadTS
	}
	if to.thread == string(p.messageID()) { // others answered it
		to.thread = ""
	}
	return to
}

// teamOf is the team of the channel of an interaction. Where Slack does not name it, it is the one that the channel
// was heard of with, or else that of the message or the person.
func (c *Channel) teamOf(p *interaction) string {
	if p.Team != nil && p.Team.ID != "" {
		return p.Team.ID
	}
	if team, ok := c.teams.of(p.spot().chat); ok {
		return team
	}
	if p.Message != nil && isTeam(p.Message.Team) {
		return p.Message.Team
	}
	if isTeam(p.User.Team) {
		return p.User.Team
	}
	return ""
}

func (p *interaction) messageID() channels.MessageID {
	if p.Message != nil && p.Message.TS != "" {
		return channels.MessageID(p.Message.TS)
	}
	return channels.MessageID(p.Container.MessageTS)
}

// pressed is the common part of what an interaction hands over.
func (c *Channel) pressed(p *interaction) *channels.Inbound {
	to := p.spot()
	in := &channels.Inbound{
		ID: p.messageID(), EventKey: "i:" + p.Trigger, Conversation: c.conversation(c.teamOf(p), to.chat, to.thread),
		Sender: c.presser(p.User.ID, p.User.Name), Direct: direct(to.chat), Mentioned: true, SentAt: time.Now().UTC(),
		Via: c.viaOf(p.User.ID, p.Respond),
	}
	c.asked(to.chat, in.ID, asker{p.User.ID, cmp.Or(p.User.Team, c.teamOf(p))})
	return in
}

// pressJob is about a pressed button. One that asks a question opens a form; the press of it is the form.
func (c *Channel) pressJob(r *running, p *interaction, patience time.Duration) (job, error) {
	if len(p.Actions) == 0 {
		return job{}, errIncomplete
	}
	a, to := p.Actions[0], p.spot()
	value := a.Value
	if a.Selected != nil {
		value = a.Selected.Value
	}
	pressed, ask, ok := unpack(value)
	switch {
	case to.chat == "" || p.Trigger == "":
		return job{}, errIncomplete
	case !ok:
		return behind(func(ctx context.Context) {
			c.whisper(ctx, p, "This button does not work any more.")
		}), nil
	case ask != "":
		return behind(func(ctx context.Context) { c.ask(ctx, p, pressed.Token, ask) }), nil
	}
	return job{to.chat, func(ctx context.Context) (reply, error) {
		in := c.pressed(p)
		in.Action = pressed
		return c.storeOrWhisper(ctx, r, p, in, patience)
	}}, nil
}

// storeOrWhisper stores what Slack does not deliver again, or tells the person.
func (c *Channel) storeOrWhisper(
	ctx context.Context, r *running, p *interaction, in *channels.Inbound, patience time.Duration,
) (reply, error) {
	if c.store(ctx, r, in, patience) == nil {
		return reply{}, nil
	}
	return reply{after: func(ctx context.Context) { c.whisper(ctx, p, sorry) }}, nil
}

// shortcutJob is about a shortcut: "Make a task" of a message.
func (c *Channel) shortcutJob(r *running, p *interaction, patience time.Duration) (job, error) {
	m := p.Message
	switch {
	case p.CallbackID != makeTask:
		return job{}, fmt.Errorf("a shortcut %q", c.api.hide(p.CallbackID))
	case m == nil || !isTS(m.TS) || p.spot().chat == "" || p.Trigger == "":
		return job{}, errIncomplete
	}
	return job{p.Channel.ID, func(ctx context.Context) (reply, error) {
		in := c.pressed(p)
		if in.Conversation.Topic == "" && !in.Direct {
			in.Conversation.Topic = channels.TopicID(m.TS)
		}
		in.Text = c.taskOf(ctx, m, p.User.ID)
		in.Attachments = attachments(m.Files)
		return c.storeOrWhisper(ctx, r, p, in, patience)
	}}, nil
}

// taskOf asks for a task with the words of a message.
func (c *Channel) taskOf(ctx context.Context, m *message, asker string) string {
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	by := ""
	if m.User != "" && m.User != asker {
		by = " of " + c.called(ctx, m.User)
	}
	return strings.TrimSpace(fmt.Sprintf("Make a task of this message%s:\n\n%s", by, c.seen(ctx, m.Text)))
}

// commandJob is about the slash command.
func (c *Channel) commandJob(r *running, d delivery) (job, error) {
	cmd, err := decode[command](d.payload)
	if err != nil {
		return job{}, err
	}
	if cmd.Channel == "" || cmd.User == "" || cmd.Trigger == "" {
		return job{}, errIncomplete
	}
	return job{cmd.Channel, func(ctx context.Context) (reply, error) {
		in := c.commanded(ctx, cmd)
		if in == nil {
			return reply{payload: ephemeral(c.usage(cmd.Command))}, nil
		}
		if c.store(ctx, r, in, d.patience) != nil {
			return reply{payload: ephemeral(sorry)}, nil
		}
		return reply{}, nil
	}}, nil
}

// commanded is what a slash command hands over; nil for nothing. The program reads the text as after a mention. Slack
// shows it in no message and in no thread.
func (c *Channel) commanded(ctx context.Context, cmd *command) *channels.Inbound {
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	w := read(cmd.Text, c.me.Load().user, c.nameIn(ctx))
	in := &channels.Inbound{
		EventKey: "c:" + cmd.Trigger, Conversation: c.conversation(cmd.Team, cmd.Channel, ""),
		Sender: c.presser(cmd.User, cmd.Name), Direct: direct(cmd.Channel), Mentioned: true, SentAt: time.Now().UTC(),
		Via: c.viaOf(cmd.User, cmd.Respond),
	}
	if in.Text = w.text; in.Text == "" {
		return nil
	}
	return in
}

// usage tells how the slash command is used.
func (c *Channel) usage(slash string) string {
	text := "Write what you want behind " + slash + ", or one of:"
	for _, info := range c.env.Commands {
		text += "\n• " + slash + " " + info.Name + " – " + info.Help
	}
	return text
}

// ephemeral is an answer for one person, given with an acknowledgement.
func ephemeral(text string) map[string]string {
	return map[string]string{"response_type": "ephemeral", "text": escape(text)}
}
