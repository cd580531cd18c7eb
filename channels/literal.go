package channels

import (
	"strings"
	"unicode"
)

// Literal makes a text that people chose one line of Markdown in which nothing is markup: a name can't be a link, a
// mention of a headline, or a code block. What reads as it stands is left as it stands: read_file.
func Literal(s string) string { return literal(s, true) }

// OneLine is a text on one line: each stretch of blanks is one space, and none stand at its ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// InCode makes a text that people chose safe inside a code span of Markdown, on one line. What is longer than most
// characters is cut, and ends in "…".
func InCode(s string, most int) string {
	s = strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(s)
	if rs := []rune(s); len(rs) > most {
		s = string(rs[:most]) + "…"
	}
	return s
}

// literal is Literal of a text that may begin a line, or stands within one.
func literal(s string, begins bool) string {
	rs := []rune(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	var b strings.Builder
	for i, r := range rs {
		if within(rs, i) || begins && leads(rs, i) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// within tells whether the sign at i may be markup inside a line.
func within(rs []rune, i int) bool {
	next := ' '
	if i+1 < len(rs) {
		next = rs[i+1]
	}
	switch r := rs[i]; {
	case strings.ContainsRune("\\`*[]<~", r):
		return true
	case r == '&': // as in &amp;
		return next == '#' || unicode.IsLetter(next)
	case r == '_': // inside a word it is a letter
		return i == 0 || !wordy(rs[i-1]) || !wordy(next)
	}
	return false
}

// leads tells whether the sign at i may make a line that begins with rs something else: a headline, a list, a quote.
func leads(rs []rune, i int) bool {
	switch r := rs[i]; {
	case strings.ContainsRune("#+-=>|", r):
		return i == 0
	case r == '.' || r == ')': // "1." begins a list
		return i > 0 && strings.Trim(string(rs[:i]), "0123456789") == ""
	}
	return false
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
