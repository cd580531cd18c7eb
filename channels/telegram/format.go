package telegram

import (
	"strings"
	"unicode/utf16"

	"github.com/leadhand/leadhand/channels/render"
)

// chunk is one message's worth of an answer.
type chunk struct {
	html  string // for parse mode HTML
	plain string // what a reader sees of it; sent without parse mode when Telegram refuses the markup
}

// format renders Markdown for Telegram in chunks of at most limit UTF-16 units after entity parsing: maxTextLen for
// texts, maxCaption for captions. Blank Markdown has no chunks.
func format(markdown string, limit int) []chunk {
	blocks := render.SpellOut(render.Parse(markdown), linkable)
	return render.Split(blocks, limit, func(blocks []render.Block) (chunk, int) {
		var w htmlWriter
		w.blocks(blocks)
		c := chunk{html: w.html.String(), plain: w.plain.String()}
		return c, max(utf16Len(c.plain), (len(c.html)+markupShare-1)/markupShare)
	})
}

// markupShare is how many bytes of markup count as one unit: Telegram takes 32,768 bytes for its 4096 units of text.
const markupShare = 8

// linkable tells whether Telegram makes a link of <a href>. It drops other schemes, mailto included, without a word,
// and tables are preformatted text, which holds no links.
func linkable(in render.Kind, destination string) bool {
	return in != render.Table && render.SchemeIn(destination, "http", "https", "tg")
}

// escape makes text safe inside Telegram's HTML.
func escape(s string) string { return textEscaper.Replace(s) }

var (
	textEscaper      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	attributeEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
