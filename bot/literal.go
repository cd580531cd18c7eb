package bot

import (
	"strings"
	"unicode"
)

// Literal makes a text that people chose one line of Markdown in which nothing is markup: a name can't be a link, a
// mention of a headline, or a code block. What reads as it stands is left as it stands: read_file.
func Literal(s string) string {
	rs := []rune(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	var b strings.Builder
	for i, r := range rs {
		if markup(rs, i) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// markup tells whether the sign at i may begin or end something in Markdown.
func markup(rs []rune, i int) bool {
	switch r := rs[i]; {
	case strings.ContainsRune("\\`*[]<>~|&", r):
		return true
	case r == '_': // inside a word it is a letter
		return i == 0 || i == len(rs)-1 || !wordy(rs[i-1]) || !wordy(rs[i+1])
	case strings.ContainsRune("#+-=", r):
		return i == 0
	case r == '.' || r == ')': // "1." begins a list
		return i > 0 && strings.Trim(string(rs[:i]), "0123456789") == ""
	}
	return false
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
