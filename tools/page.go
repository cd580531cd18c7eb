package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// pageRoom is how many characters of a text one page shows: with its header it stays below what results are cut to, so
// that the header is true.
const pageRoom = DefaultLimit - 500

// Page is a result that shows the lines of a text from line offset (counted from 1) on, at most limit of them if that
// is positive, as far as they fit. It says which lines they are, and with what offset to go on. An offset past the end
// is an error.
func Page(name, text string, offset, limit int) (*Result, error) {
	if text == "" {
		return Text(name + " is empty"), nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	first := max(offset, 1)
	if first > len(lines) {
		return nil, fmt.Errorf("%s has %s; line %d is past its end", name, lineCount(len(lines)), first)
	}
	wanted := lines[first-1:]
	if limit > 0 {
		wanted = wanted[:min(limit, len(wanted))]
	}
	shown := fitting(wanted)
	if len(shown) == 0 {
		start := string([]rune(wanted[0])[:pageRoom])
		return Text(fmt.Sprintf("%s: line %d of %d has %d characters; its first %d are\n%s%s", name, first,
			len(lines), utf8.RuneCountInString(wanted[0]), pageRoom, start, more(first+1, len(lines)))), nil
	}
	if len(shown) == len(lines) {
		return Text(fmt.Sprintf("%s: %s\n%s", name, lineCount(len(lines)), strings.Join(shown, "\n"))), nil
	}
	last := first + len(shown) - 1
	return Text(fmt.Sprintf("%s: lines %d-%d of %d\n%s%s", name, first, last, len(lines),
		strings.Join(shown, "\n"), more(last+1, len(lines)))), nil
}

// fitting are the first whole lines that fit a page.
func fitting(lines []string) []string {
	room := pageRoom
	for i, line := range lines {
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			return lines[:i]
		}
	}
	return lines
}

func more(next, total int) string {
	if next > total {
		return ""
	}
	return fmt.Sprintf("\n[go on with offset %d]", next)
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
