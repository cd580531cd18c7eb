package discord

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// meaning is what the use of a component or a command says.
type meaning struct {
	command  *channels.Command
	action   *channels.Action
	text     string   // instead of a command
	task     *message // of which a task is to be made
	question string   // to ask before the button is taken for pressed
	word     viaKind  // with which it is acknowledged
}

// meant tells what was meant; ok is false when it is nothing of this program.
func (i *interaction) meant() (m meaning, ok bool) {
	m.word = noWord
	switch i.Type {
	case usedCommand:
		if i.Data.Type == messageCommand {
			return i.asksForTask()
		}
		return i.typed()
	case usedComponent:
		id, question, asking := strings.Cut(i.Data.CustomID, asks)
		if asking {
			m.question = cmp.Or(strings.TrimSpace(question), "?")
		}
		if len(i.Data.Values) > 0 { // of a menu, each value has its number
			id = i.Data.Values[0]
		}
		m.action, ok = channels.Pressed(id)
	case usedModal:
		if m.action, ok = channels.Pressed(i.Data.CustomID); ok {
			m.action.Answer = answered(i.Data.Components)
		}
	}
	return m, ok
}

// typed is what a command line says: /lead stop all. Everybody sees the first word in answer to a request, as the
// answer is for all that takes its place. To one of the program's own commands only the person sees it: the program may
// answer those to that person alone or not at all, and a word that others saw would have to be taken back. An answer
// for all is a message of its own then.
func (i *interaction) typed() (m meaning, ok bool) {
	if i.Data.Name != commandName || len(i.Data.Options) == 0 {
		return m, false
	}
	sub := i.Data.Options[0]
	text := sub.text()
	if sub.Name == askCommand {
		return meaning{text: text, word: openWord}, text != ""
	}
	return meaning{command: &channels.Command{Name: sub.Name, Args: text}, word: quietWord}, sub.Name != ""
}

// text is what stands behind a subcommand.
func (o *option) text() string {
	for _, inner := range o.Options {
		if s, ok := inner.Value.(string); ok && inner.Name == textOption {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// asksForTask is what the entry in the menu of a message says.
func (i *interaction) asksForTask() (m meaning, ok bool) {
	of := i.Data.Resolved.Messages[i.Data.Target]
	if i.Data.Name != makeTask || of == nil || !isID(of.ID) {
		return m, false
	}
	return meaning{task: of, word: openWord}, true
}

// answered is what was written into a form.
func answered(parts []component) string {
	for _, p := range parts {
		if p.CustomID == answerInput {
			return strings.TrimSpace(p.Value)
		}
		if s := answered(p.Components); s != "" {
			return s
		}
	}
	return ""
}

// pressed makes a received message of what was used.
func (c *Channel) pressed(ctx context.Context, i *interaction, m meaning) (*channels.Inbound, error) {
	conv, at, err := c.conversation(ctx, i.ChannelID)
	if err != nil {
		return nil, err
	}
	in := &channels.Inbound{
		ID: channels.MessageID(i.ID), EventKey: "i:" + i.ID, Conversation: conv, Sender: sender(i.who(), i.Member),
		Direct: at.direct(), Mentioned: true, Text: m.text, Command: m.command, Action: m.action, SentAt: time.Now().UTC(),
	}
	if i.Message != nil {
		in.ID = channels.MessageID(i.Message.ID)
	}
	if m.task != nil {
		in.ID, in.Attachments = channels.MessageID(m.task.ID), m.task.files(i.ChannelID, m.task.ID)
		in.Text, err = c.taskOf(m.task, i.who().ID)
	}
	return in, err
}

// taskOf asks for a task with the words of a message.
func (c *Channel) taskOf(m *message, asker string) (string, error) {
	me := c.me.Load()
	if me == nil {
		return "", errUnknownSelf
	}
	by := ""
	if m.Author != nil && m.Author.ID != asker {
		by = " of " + m.Author.shown(m.Member)
	}
	words := join(c.read(m.Content, me.user, m.Mentions).text, m.describe())
	return strings.TrimSpace(fmt.Sprintf("Make a task of this message%s:\n\n%s", by, words)), nil
}
