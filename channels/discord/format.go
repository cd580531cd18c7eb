package discord

import (
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/render"
)

// format renders Markdown for Discord in texts of at most limit characters. They are counted in UTF-16 units, of which
// there are never fewer than characters. Blank Markdown has no texts.
func format(markdown string, limit int) []string {
	blocks := render.SpellOut(render.Parse(markdown), linkable)
	return render.Split(blocks, limit, func(blocks []render.Block) (string, int) {
		var w writer
		w.blocks(blocks)
		return w.b.String(), utf16Len(w.b.String())
	})
}

// linkable tells whether Discord makes a link of [text](destination). A table is a block of code, which holds no links.
func linkable(in render.Kind, destination string) bool {
	return in != render.Table && render.SchemeIn(destination, "http", "https")
}

var (
	// markup is what has a meaning anywhere in a text. A backslash takes it away.
	markup = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "~~", `\~\~`, "||", `\|\|`, "](", `]\(`)
	// lineStart is what has a meaning at the start of a line only.
	lineStart = regexp.MustCompile(`^(\s*)(#{1,3}\s|-#\s|>|[-+]\s)`)
	numbered  = regexp.MustCompile(`^(\s*\d+)([.)]\s)`)
	inLink    = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "\n", "")
)

// escape makes text mean nothing but itself; starts tells whether it stands at the start of a line.
func escape(s string, starts bool) string {
	lines := strings.Split(markup.Replace(s), "\n")
	for i, line := range lines {
		if i > 0 || starts {
			line = lineStart.ReplaceAllString(line, `$1\$2`)
			lines[i] = numbered.ReplaceAllString(line, `$1\$2`)
		}
	}
	return strings.Join(lines, "\n")
}

// oneLine is text as a part of a line of Markdown that means nothing but itself.
func oneLine(s string) string { return escape(channels.OneLine(s), true) }

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
