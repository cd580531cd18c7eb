package terminal_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels/terminal"
)

// attributes are the only sequences that rendered Markdown may hold.
var attributes = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

func TestMarkdownIsHarmless(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"escape":                    "a\x1b]0;owned\x07b \x1b[2J",
		"decimal reference":         "x &#27;[2J &#27;]0;owned&#7; y",
		"hex reference":             "x &#x1b;[2J &#X1B;]52;c;eA==&#x07; y",
		"8-bit reference":           "x &#155;2J &#x9b;31m y",
		"reference in a link":       "[t](http://x/&#27;]0;a&#7;) ![i](http://x/&#27;[2J)",
		"reference in a title":      `[t](http://x "&#27;[2J")`,
		"reference in table":        "|a|b|\n|-|-|\n|&#27;[2J|c|",
		"reference in fence":        "```&#27;[2J\n&#27;[2J\n```",
		"hyperlink":                 "[text](https://example.com/a_b)",
		"zero padded reference":     "&#0000027;[2J",
		"reference split by escape": "&#2\x1b[m7;[2J",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, color := range []bool{false, true} {
				out := strings.Join(terminal.Markdown(text, 60, color), "\n")
				if !color && strings.Contains(out, "\x1b") {
					t.Errorf("escape without colour: %q", out)
				}
				checkHarmless(t, attributes.ReplaceAllString(out, ""))
			}
		})
	}
}

func TestMarkdownKeepsCodeAsItIs(t *testing.T) {
	t.Parallel()
	code := "if a < b && c { s := \"&#27;[0m\" } // &amp; <b>"
	got := strings.Join(terminal.Markdown("Run:\n\n```go\n"+code+"\n```\n", 100, true), "\n")
	if !strings.Contains(ansi.Strip(got), code) {
		t.Errorf("code changed:\n%s", ansi.Strip(got))
	}
}

func TestMarkdownLayout(t *testing.T) {
	t.Parallel()
	text := "# Plan\n\nTwo *words* and **bold**.\nNext line with `code`.\n\n1. one\n2. two\n   - deep\n\n" +
		"> quote\n\n- [x] done\n\n~~old~~"
	want := []string{
		"  Plan",
		"",
		"  Two *words* and **bold**.",
		"  Next line with `code`.",
		"",
		"  1. one",
		"  2. two",
		"    • deep",
		"",
		"",
		"  │ quote",
		"",
		"  [✓] done",
		"",
		"  ~~old~~",
	}
	if diff := cmp.Diff(want, terminal.Markdown(text, 80, false)); diff != "" {
		t.Error(diff)
	}
}

func TestMarkdownFitsTheScreen(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("日本語テキスト ", 20) + "\n\n```\n" + strings.Repeat("x", 300) + "\n```\n\n" +
		"|" + strings.Repeat("column|", 12) + "\n|" + strings.Repeat("-|", 12) + "\n|" + strings.Repeat("v|", 12)
	for _, width := range []int{1, 2, 7, 20, 40, 80, 200} {
		for _, line := range terminal.Markdown(text, width, true) {
			if w := ansi.StringWidth(line); w > max(width-1, 2) {
				t.Errorf("width %d: line of %d columns: %q", width, w, line)
			}
			if strings.Contains(line, "\x1b") && !strings.HasSuffix(line, "\x1b[0m") {
				t.Errorf("width %d: attributes leak from %q", width, line)
			}
		}
	}
}

func TestTailReopensCode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text, want string
		limit      int
	}{
		"short text is whole":    {"abc", "abc", 10},
		"cut at a line":          {"first line\nsecond\nthird", "third", 10},
		"inside a code block":    {"```go\nfirst()\nsecond()\n```\n", "```go\n```\n", 8},
		"behind a code block":    {"```\nx\n```\nlong text here\nend", "end", 10},
		"no line end to cut at":  {strings.Repeat("x", 20), "xxxxx", 5},
		"an inner fence is text": {"````\n```\ncode\nmore", "````\nmore", 6},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, terminal.Tail(tt.text, tt.limit)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n|b|\n|-|\n|&#27;|\n```\n\x1b[2J", 40)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if len(text) > 2000 {
			t.Skip()
		}
		out := strings.Join(terminal.Markdown(text, width%200, true), "\n")
		checkHarmless(t, attributes.ReplaceAllString(out, ""))
	})
}
