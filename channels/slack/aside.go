package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// aside is a part of a message that is shown to one person alone. Slack takes no Markdown there, only its own markup.
type aside struct {
	text    string
	buttons []slackgo.Block
}

const (
	maxAside  = 2700 // characters, so that notes still fit into a section
	maxAsides = 5    // parts of one message
)

// What stands below an answer that not all see who should, and below one that is not whole.
const (
	inviteNote = "_Only you see this: invite me with `/invite` to answer here for all._"
	aloneNote  = "_Only you see this: I may not write here for all._"
	restNote   = "_The rest did not fit here._"
)

// blocks are the aside with its buttons; nil without.
func (a aside) blocks() []slackgo.Block {
	if len(a.buttons) == 0 {
		return nil
	}
	text := slackgo.NewTextBlockObject(slackgo.MarkdownType, a.text, false, false)
	return append([]slackgo.Block{slackgo.NewSectionBlock(text, nil, nil)}, a.buttons...)
}

// asides divides what is said into at most n parts, with a note below the last.
func asides(m *channels.Outbound, said string, n int, note string) ([]aside, error) {
	buttons, err := keyboard(m.Buttons)
	if err != nil {
		return nil, err
	}
	for _, a := range m.Attachments {
		said += fmt.Sprintf("\n\n*The file %s can't be shown here.*", literal(cmp.Or(a.Name, "file")))
	}
	texts := mrkdwnParts(said, maxAside)
	if len(texts) == 0 {
		return nil, errEmpty
	}
	last := min(len(texts), n) - 1
	if len(texts) > n {
		texts[last] += "\n\n" + restNote
	}
	if note != "" {
		texts[last] += "\n\n" + note
	}
	var list []aside
	for _, text := range texts[:last+1] {
		list = append(list, aside{text: text})
	}
	list[last].buttons = buttons
	return list, nil
}

// sendAside shows a message to one person alone: by the response URL of what that person did, or else in the chat.
func (c *Channel) sendAside(ctx context.Context, to spot, m *channels.Outbound) error {
	list, err := asides(m, said(m), maxAsides, "")
	if err != nil {
		return &channels.Error{Op: "send", Terminal: true, NotTaken: true, Err: err}
	}
	for i := m.Attempt.Parts; i < len(list); i++ {
		err := c.tell(ctx, to, m, list[i])
		if f, failed := errors.AsType[*failure](err); failed && f.is("user_not_in_channel") {
			c.env.Log.Warn("words for one person are not shown: the person is not in the channel", "chat", to.chat)
			return nil
		} else if failed {
			return f.channelError(f.method)
		}
		if i+1 < len(list) && m.Attempt.Delivered != nil {
			if err := m.Attempt.Delivered(ctx, i+1); err != nil {
				return &channels.Error{Op: "send", NotTaken: true, Err: err}
			}
		}
	}
	if m.Edit != "" { // what all saw in its place goes
		if err := c.remove(ctx, to, m.Edit); err != nil && ctx.Err() == nil {
			c.env.Log.Warn("take away what stands in the place of words for one person", "err", err)
		}
	}
	return nil
}

// tell shows one part to one person. A response URL shows it to the person whose it is, whoever is named.
func (c *Channel) tell(ctx context.Context, to spot, m *channels.Outbound, a aside) error {
	if v, ok := c.readVia(m.Via); ok && v.user == string(m.To) {
		err := c.respond(ctx, to, v, a)
		if f, failed := errors.AsType[*failure](err); !failed || !f.spent() {
			return err
		}
	}
	err := c.ephemeral(ctx, to, string(m.To), a)
	if f, failed := errors.AsType[*failure](err); failed && f.badForm() && a.buttons != nil {
		c.env.Log.Warn("Slack refused the buttons of a message for one person", "err", f)
		a.buttons = nil
		return c.ephemeral(ctx, to, string(m.To), a)
	}
	return err
}

// ephemeral posts what only one person sees, into a chat where both the person and the bot are.
func (c *Channel) ephemeral(ctx context.Context, to spot, user string, a aside) error {
	options := []slackgo.MsgOption{slackgo.MsgOptionText(a.text, false)}
	if blocks := a.blocks(); blocks != nil {
		options = append(options, slackgo.MsgOptionBlocks(blocks...))
	}
	if to.thread != "" {
		options = append(options, inThread(to.thread))
	}
	return c.api.call(ctx, "chat.postEphemeral", to.chat, func(ctx context.Context) error {
		_, err := c.api.PostEphemeralContext(ctx, to.chat, user, options...)
		return err
	})
}

// answerAside shows what could not be posted to the person alone who asked. What was refused before stays refused
// when that does not work either. Parts that an earlier attempt showed are left out as long as that is remembered.
func (c *Channel) answerAside(
	ctx context.Context, to spot, m *channels.Outbound, said string, refused *channels.Error,
) error {
	v, ok := c.readVia(m.Via)
	if !ok {
		return refused
	}
	shown := c.vias.shown(v, m.Key)
	list, err := asides(m, said, min(shown+c.vias.left(v), maxAsides), noteFor(to, refused))
	if err != nil {
		return refused
	}
	for i := shown; i < len(list); i++ {
		err := c.respond(ctx, to, v, list[i])
		if f, failed := errors.AsType[*failure](err); failed {
			if f.spent() {
				return refused
			}
			return f.channelError(f.method)
		}
		c.vias.note(v, m.Key)
	}
	c.env.Log.Info("an answer is shown to one person only: the bot may not post there", "err", refused)
	return nil
}

// noteFor says why an answer is for one person only.
func noteFor(to spot, refused *channels.Error) string {
	f, ok := errors.AsType[*failure](refused)
	if ok && !direct(to.chat) && f.is("not_in_channel", "channel_not_found", "no_permission", "access_denied") {
		return inviteNote
	}
	return aloneNote
}

// said is a message as Markdown, without files and buttons.
func said(m *channels.Outbound) string {
	if m.Card != nil {
		return m.Card.Markdown()
	}
	return m.Text
}

// unsaid is what parts hold that were not delivered.
func unsaid(list []part) string {
	var texts []string
	for _, p := range list {
		if p.markdown != "" {
			texts = append(texts, p.markdown)
		}
	}
	return strings.Join(texts, "\n\n")
}

// whisper tells a person that something they did has no effect.
func (c *Channel) whisper(ctx context.Context, p *interaction, text string) {
	to, a := p.spot(), aside{text: escape(text)}
	err := c.ephemeral(ctx, to, p.User.ID, a)
	if f, failed := errors.AsType[*failure](err); failed && f.chatGone() {
		if v, ok := c.readVia(c.viaOf(p.User.ID, p.Respond)); ok {
			err = c.respond(ctx, to, v, a)
		}
	}
	if err != nil && ctx.Err() == nil {
		c.env.Log.Warn("tell a person that something did not work", "err", err)
	}
}
