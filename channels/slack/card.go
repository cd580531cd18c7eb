package slack

import (
	"cmp"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// Limits of the blocks of a card, in characters.
const (
	maxHeader     = 150
	maxFieldText  = 2000
	maxFieldCount = 10 // in one section
	maxFallback   = 3000
	maxBlockCount = 50
)

// icons stand before titles; words in the card say the same.
var icons = map[channels.Tone]string{
	channels.Good: "✅ ", channels.Busy: "⏳ ", channels.Warning: "⚠️ ", channels.Bad: "❌ ",
}

// cardBlocks shows a card; nil when it is too long for one message.
func cardBlocks(card *channels.Card) []slackgo.Block {
	var blocks []slackgo.Block
	if title := strings.TrimSpace(card.Title); title != "" {
		blocks = append(blocks, slackgo.NewHeaderBlock(plainText(icons[card.Tone]+title, maxHeader)))
	}
	switch body := format(card.Body, maxMarkdown-maxFallback); len(body) {
	case 0:
	case 1:
		blocks = append(blocks, slackgo.NewMarkdownBlock("", body[0]))
	default:
		return nil
	}
	var fields []*slackgo.TextBlockObject
	for _, f := range card.Fields {
		text := "*" + escape(f.Name) + "*\n" + cmp.Or(mrkdwn(f.Value), "–")
		if len([]rune(text)) > maxFieldText {
			return nil
		}
		fields = append(fields, slackgo.NewTextBlockObject(slackgo.MarkdownType, text, false, false))
	}
	for len(fields) > 0 {
		n := min(len(fields), maxFieldCount)
		blocks = append(blocks, slackgo.NewSectionBlock(nil, fields[:n], nil))
		fields = fields[n:]
	}
	return blocks
}

// fallback is what notifications show of a message in blocks.
func fallback(markdown string) string {
	if texts := format(markdown, maxFallback); len(texts) > 0 {
		return escape(texts[0])
	}
	return "…"
}
