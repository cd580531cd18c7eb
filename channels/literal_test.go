package channels_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/render"
)

// TestLiteral: whatever people call themselves is read as they wrote it, and is never markup.
func TestLiteral(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Ann", "read_file, list_files (set by @c, 3 Nov)", "__init__", "_x_", "*bold*", "[a](https://evil.example)", "`code`",
		"# head", "- item", "+ item", "1. one", "2) two", "<b>x</b>", "<!channel>", "a & b &amp; c", "~~no~~", "a | b", "\\*", "==", "> quote",
		"https://a.example/x_y", "",
	} {
		blocks := render.Parse(channels.Literal(name))
		var text strings.Builder
		for _, b := range blocks {
			if b.Kind != render.Paragraph || b.Quote > 0 || b.Depth > 0 {
				t.Errorf("%q is %+v", name, b)
			}
			text.WriteString(b.Text.String())
			for _, s := range b.Text {
				if s.Style&(render.Bold|render.Italic|render.Strike|render.Mono) != 0 || s.Link != "" && !strings.Contains(name, s.Link) {
					t.Errorf("%q has the span %+v", name, s)
				}
			}
		}
		if text.String() != name {
			t.Errorf("%q reads %q", name, text.String())
		}
	}
	if got := channels.Literal("a\nb\r\nc"); got != "a b c" {
		t.Errorf("several lines: %q", got)
	}
}

// TestInCode: what people chose can't end the code span that it stands in, and does not fill the screen.
func TestInCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"U1":      "U1",
		"a`b":     "a'b",
		"a\nb\rc": "a b c",
		"ééééé":   "ééééé",
		"éééééé":  "ééééé…",
		"":        "",
	} {
		if got := channels.InCode(text, 5); got != want {
			t.Errorf("%q reads %q, not %q", text, got, want)
		}
	}
}
