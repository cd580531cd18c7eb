package slack

import (
	"context"
	"errors"
	"fmt"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// maxChunks is into how many messages a text is divided; a longer one goes out as a file.
const maxChunks = 5

// part is one call that shows a part of a message, or takes one away.
type part struct {
	markdown string
	blocks   []slackgo.Block       // instead of the text: a card, or the text with buttons
	buttons  []slackgo.Block       // those of the blocks that are buttons
	files    []channels.Attachment // instead of a text
	edit     channels.MessageID    // the message that is changed, or taken away
	remove   bool
	key      string // to find out whether it was shown
}

var errEmpty = errors.New("there is nothing in the message to show")

// parts divides a message into calls, the same at every attempt.
func parts(m *channels.Outbound) ([]part, error) {
	files, notes, err := sendable(m.Attachments)
	if err != nil {
		return nil, err
	}
	buttons, err := keyboard(m.Buttons)
	if err != nil {
		return nil, err
	}
	list, long := texts(m)
	if long != nil {
		files = append([]channels.Attachment{*long}, files...)
	}
	for _, n := range notes {
		list = append(list, part{markdown: n})
	}
	if len(list) > 0 {
		list[0].edit = m.Edit
		list[len(list)-1] = list[len(list)-1].with(buttons)
	} else if m.Edit != "" { // nothing to put in its place
		list = []part{{edit: m.Edit, remove: true}}
	}
	if len(files) > 0 {
		list = append(list, part{files: files})
	}
	if len(list) == 0 {
		return nil, errEmpty
	}
	for i := range list {
		if m.Key != "" {
			list[i].key = fmt.Sprintf("%s/%d", m.Key, i)
		}
	}
	return list, nil
}

// texts are the parts that hold what is said, and the file that holds it when it is too long.
func texts(m *channels.Outbound) ([]part, *channels.Attachment) {
	text := said(m)
	if m.Card != nil {
		if blocks := cardBlocks(m.Card); len(blocks) > 0 && len(blocks)+len(m.Buttons) <= maxBlockCount {
			return []part{{markdown: text, blocks: blocks}}, nil
		}
	}
	chunks := format(text, maxMarkdown)
	if len(chunks) > maxChunks {
		whole := channels.Attachment{Name: "answer.md", MediaType: "text/markdown", Data: []byte(text)}
		note := fmt.Sprintf("*The answer has %d characters; all of it is in the file.*", len([]rune(text)))
		return []part{{markdown: chunks[0]}, {markdown: note}}, &whole
	}
	var list []part
	for _, chunk := range chunks {
		list = append(list, part{markdown: chunk})
	}
	return list, nil
}

// with puts buttons below a part.
func (p part) with(buttons []slackgo.Block) part {
	if len(buttons) == 0 {
		return p
	}
	if p.blocks == nil {
		p.blocks = []slackgo.Block{slackgo.NewMarkdownBlock("", neutral(p.markdown))}
	}
	p.blocks, p.buttons = append(p.blocks[:len(p.blocks):len(p.blocks)], buttons...), buttons
	return p
}

// content is what the part shows, as arguments of a method.
func (p part) content() []slackgo.MsgOption {
	if p.blocks == nil {
		return []slackgo.MsgOption{slackgo.MsgOptionMarkdownText(neutral(p.markdown))}
	}
	return []slackgo.MsgOption{
		slackgo.MsgOptionText(fallback(p.markdown), false), slackgo.MsgOptionBlocks(p.blocks...),
	}
}

// plainly is the part as short texts, for when Slack refuses its form.
func (p part) plainly() []string { return mrkdwnParts(p.markdown, maxPlain) }

// pressable is a short text with the part's buttons.
func (p part) pressable(text string) []slackgo.MsgOption {
	section := slackgo.NewSectionBlock(slackgo.NewTextBlockObject(slackgo.MarkdownType, text, false, false), nil, nil)
	return []slackgo.MsgOption{
		slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(append([]slackgo.Block{section}, p.buttons...)...),
	}
}

func inThread(ts string) slackgo.MsgOption { return slackgo.MsgOptionTS(ts) }

// keyEvent names what is kept with a message to find it again.
const keyEvent = "leadhand_part"

// post shows something new and returns its id.
func (c *Channel) post(
	ctx context.Context, to spot, key string, content ...slackgo.MsgOption,
) (channels.MessageID, error) {
	options := append(content[:len(content):len(content)],
		slackgo.MsgOptionDisableLinkUnfurl(), slackgo.MsgOptionDisableMediaUnfurl())
	if to.thread != "" {
		options = append(options, inThread(to.thread))
	}
	if key != "" {
		options = append(options, slackgo.MsgOptionMetadata(slackgo.SlackMetadata{
			EventType: keyEvent, EventPayload: map[string]any{"key": key},
		}))
	}
	var ts string
	err := c.api.call(ctx, "chat.postMessage", to.chat, func(ctx context.Context) (err error) {
		_, ts, err = c.api.PostMessageContext(ctx, to.chat, options...)
		return err
	})
	if err == nil {
		c.posted.keep(messageKey(to.chat, ts), true)
	}
	return channels.MessageID(ts), err
}

// edit changes a message.
func (c *Channel) edit(ctx context.Context, to spot, id channels.MessageID, content ...slackgo.MsgOption) error {
	return c.api.call(ctx, "chat.update", to.chat, func(ctx context.Context) error {
		_, _, _, err := c.api.UpdateMessageContext(ctx, to.chat, string(id), content...)
		return err
	})
}

// remove takes a message away.
func (c *Channel) remove(ctx context.Context, to spot, id channels.MessageID) error {
	return c.api.call(ctx, "chat.delete", to.chat, func(ctx context.Context) error {
		_, _, err := c.api.DeleteMessageContext(ctx, to.chat, string(id))
		return err
	})
}
