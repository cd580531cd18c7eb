package terminal_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

func TestSanitize(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain text, newlines and tabs stay": {"a\tb\nc 日本 😀 👩‍👩‍👧", "a\tb\nc 日本 😀 👩‍👩‍👧"},
		"colours go whole":                   {"\x1b[1;31mred\x1b[0m", "red"},
		"cursor moves go":                    {"a\x1b[2Jb\x1b[10;10Hc", "abc"},
		"a title with BEL goes":              {"a\x1b]0;owned\x07b", "ab"},
		"a title with ST goes":               {"a\x1b]0;owned\x1b\\b", "ab"},
		"a clipboard write goes":             {"\x1b]52;c;ZXZpbA==\x07x", "x"},
		"a hyperlink keeps its text":         {"\x1b]8;;http://evil\x07click\x1b]8;;\x07", "click"},
		"an unended string hides nothing":    {"a\x1b]0;b\nc", "a0;b\nc"},
		"a device string goes":               {"a\x1bPq#0~\x1b\\b", "ab"},
		"8-bit CSI goes":                     {"a\u009b31mb", "ab"},
		"8-bit OSC goes":                     {"a\u009d0;x\u009cb", "ab"},
		"raw 8-bit bytes are broken UTF-8":   {"a\x9b31mb", "a\ufffd31mb"},
		"a lone escape goes":                 {"a\x1b", "a"},
		"escapes don't join up":              {"\x1b\x1b[0m[31mx", "[31mx"},
		"an escape within an escape":         {"\x1b[3\x1b[31m1mx", "1mx"},
		"charset and reset go":               {"\x1b(0a\x1bcb", "ab"},
		"bell, backspace, delete, NUL go":    {"a\x07\x08\x7f\x00b", "ab"},
		"carriage returns end lines":         {"safe\rfake\r\nx", "safe\nfake\nx"},
		"other line breaks are newlines":     {"a\u0085b\u2028c", "a\nb\nc"},
		"text direction tricks go":           {"a\u202etxt.exe\u2066b", "atxt.exeb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, terminal.Sanitize(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSanitizeLineStaysOnOneLine(t *testing.T) {
	t.Parallel()
	if got := terminal.SanitizeLine("exec\n\x1b[31m › done\t ok"); got != "exec › done ok" {
		t.Errorf("got %q", got)
	}
}

func TestDescribeNamesSizeAndPlace(t *testing.T) {
	t.Parallel()
	got := terminal.Describe(channels.Attachment{Name: "a\x1b[2J\n.png", Data: make([]byte, 12_345)})
	if want := "File: a .png (12.3 kB), kept in your workspace"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("\x1b]0;x\x07\x1b[31m\u009b1m\x9b")
	f.Add("&#27;[31m `&#x1b;`\x1b")
	f.Fuzz(func(t *testing.T, in string) {
		out := terminal.Sanitize(in)
		if !utf8.ValidString(out) {
			t.Errorf("broken UTF-8 from %q: %q", in, out)
		}
		checkHarmless(t, out)
		if again := terminal.Sanitize(out); again != out {
			t.Errorf("not stable: %q, then %q", out, again)
		}
	})
}

// checkHarmless fails if a terminal would obey anything in s.
func checkHarmless(t *testing.T, s string) {
	t.Helper()
	if i := strings.IndexFunc(s, func(r rune) bool {
		return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
	}); i >= 0 {
		t.Errorf("control character at %d of %q", i, s)
	}
}
