package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/render"
)

// hostile makes texts of a size that cost a naive use of the parser seconds to hours.
func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	grow := func(line func(i int) string) string {
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	blocks := func(s string) string { return fill(strings.Repeat(s, 4800/len(s)) + "\n\n") }
	return map[string]string{
		"emphasis":              fill("*a_"),
		"emphasis in blocks":    blocks("*a_"),
		"emphasis in small":     fill("*a_\n\n"),
		"emphasis in headings":  fill("# " + strings.Repeat("*a_", 1000) + "\n"),
		"emphasis in cells":     "a|b\n-|-\n" + fill(strings.Repeat("*a_", 500)+"|c\n"),
		"strikethrough":         blocks("~ ~~a"),
		"brackets":              blocks("["),
		"brackets, one block":   fill("["),
		"images":                fill("!["),
		"links":                 blocks("[](") + blocks("[x](y ") + blocks("]("),
		"ticks":                 fill("`"),
		"ticks of each length":  grow(func(i int) string { return strings.Repeat("`", i) + " " }),
		"angles":                blocks("<") + blocks("<a "),
		"comments":              blocks("<!--"),
		"ampersands":            fill("&"),
		"backslashes":           fill("\\"),
		"quotes on one line":    fill("> "),
		"quotes on each line":   fill(strings.Repeat("> ", 100) + "a\n"),
		"bullets on one line":   fill("- a "),
		"numbers on one line":   fill("1. "),
		"bullets and quotes":    fill("- > "),
		"deeper and deeper":     grow(func(i int) string { return strings.Repeat(" ", 2*i) + "- a\n" }),
		"table of many columns": strings.Repeat("|a", size/8) + "\n" + strings.Repeat("|-", size/8) + "\n" + strings.Repeat("x\n", size/4),
		"tables":                fill("a|b\n-|-\n"),
		"escaped pipes":         "a|b\n-|-\n" + fill("`a\\|b` | c\n"),
		"definitions":           fill("[a]: /u\n"),
		"distinct definitions":  grow(func(i int) string { return fmt.Sprintf("[a%d]: /u\n", i) }),
		"addresses":             fill("(http://a.b/(") + fill("a.") + fill("a@b.c "),
		"one word":              fill("a"),
		"lines":                 fill("a\n"),
		"paragraphs":            fill("a\n\n"),
		"items":                 fill("- a\n"),
		"headings":              fill("# a\n"),
		"underlined":            fill("a\n=\n"),
		"code of blank lines":   "```\na" + fill("\n") + "b",
		"combining marks":       "a" + fill("\u0301"),
		"joined emoji":          fill("👩\u200d"),
	}
}

// TestHostileTextTakesNoTime is not parallel: it measures. Ordinary text tells how much slower everything is on a busy
// machine or with the race detector; then there is less of the hostile text, too.
func TestHostileTextTakesNoTime(t *testing.T) {
	const limit = 4096
	size := 200_000
	ordinary := strings.Repeat("Some **bold** text with `code` and a [link](https://x.y).\n\n- an item\n\n", size/70)
	start := time.Now()
	render.Split(render.Parse(ordinary), limit, visible)
	usual := time.Since(start)
	longest := max(time.Second, 33*usual)
	if usual > 150*time.Millisecond {
		size /= 5
	}
	for name, markdown := range hostile(size) {
		start := time.Now()
		pages := render.Split(render.Parse(markdown), limit, visible)
		took := time.Since(start)
		t.Logf("%s: %v for %d pages", name, took, len(pages))
		if took > longest {
			t.Errorf("%s: %d bytes took %v, want at most %v", name, len(markdown), took, longest)
		}
		for _, page := range pages {
			if n := utf8.RuneCountInString(page); n > limit {
				t.Errorf("%s: a page has %d runes", name, n)
			}
		}
	}
}

func TestTooMuchMarkupStaysText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("*a* \\_ &amp; ", 2000) + "\n**end**"
	blocks := render.Parse(text + "\n\n**b**")
	if got := blocks[0].Text.String(); got != text {
		t.Errorf("text changed: %.50q", got)
	}
	if got := blocks[1].Text[0]; got.Style != render.Bold {
		t.Errorf("the next block is %+v", got)
	}
}
