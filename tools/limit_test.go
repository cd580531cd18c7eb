package tools_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leadhand/leadhand/tools"
)

func TestTruncate(t *testing.T) {
	t.Parallel()
	cut := func(limit int, text string) string {
		r := tools.Text(text)
		tools.Truncate(limit)(t.Context(), &tools.Call{}, r)
		return r.ForModel
	}
	for name, tc := range map[string]struct {
		limit int
		text  string
		want  string // what is kept
		note  string
	}{
		"a text that fits":        {5, "ééééé", "ééééé", ""},
		"a cut between lines":     {10, "aaaaaaa\nbbbbbb\n", "aaaaaaa", "8 of 15 characters"},
		"no line end near":        {10, "a\n" + strings.Repeat("b", 20), "a\nbbbbbbbb", "12 of 22 characters"},
		"a cut between runes":     {3, "日本語です", "日本語", "2 of 5 characters"},
		"the default":             {0, strings.Repeat("x", 8001), strings.Repeat("x", 8000), "1 of 8001 characters"},
		"the default that fits":   {0, strings.Repeat("x", 8000), strings.Repeat("x", 8000), ""},
		"one line break and long": {1, "\n\n\n", "", "3 of 3 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := cut(tc.limit, tc.text)
			kept, note, _ := strings.Cut(got, "\n[")
			if kept != tc.want || !strings.Contains(note, tc.note) || !utf8.ValidString(got) {
				t.Errorf("got %.100q, want %.100q and %q", got, tc.want, tc.note)
			}
		})
	}
}
