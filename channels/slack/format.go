package slack

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/render"
)

const (
	maxMarkdown = 11500 // characters of Markdown in a message, somewhat below Slack's limit
	maxPlain    = 2900  // of a text that is sent because Slack refused the better form
)

// format makes Markdown of at most limit characters a message. Slack reads Markdown itself: what fits in one message
// goes out as it was written. Blank Markdown has no messages.
func format(markdown string, limit int) []string {
	blocks := render.Parse(markdown)
	if len(blocks) == 0 {
		return nil
	}
	if whole := neutral(strings.TrimRight(markdown, " \t\r\n")); utf8.RuneCountInString(whole) <= limit {
		return []string{strings.TrimLeft(whole, "\r\n")}
	}
	return render.Split(blocks, limit, func(blocks []render.Block) (string, int) {
		var w markdownWriter
		w.blocks(blocks)
		text := neutral(w.out.String())
		return text, utf8.RuneCountInString(text)
	})
}

// signs are what Slack makes a mention of: people, groups, everybody.
var signs = regexp.MustCompile(`(?i)<(!(?:channel|here|everyone|group|subteam)|@[a-z])`)

// neutral breaks signs with a space that nobody sees: a model must not call anybody.
func neutral(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return signs.ReplaceAllString(s, "<\u200b$1")
}

// escape makes text safe inside Slack's own markup.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
