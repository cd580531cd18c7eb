package scrub

import (
	"strings"
	"unicode/utf8"
)

// visible is a text without what nobody sees and what could hide a secret from a rule: characters without width, and
// the sequences with which terminals are coloured. at tells where a byte of it stood; at is nil when nothing was left
// out. Of a place where something was left out it is the end when end is true, and the beginning otherwise.
func visible(text string) (plain string, at func(i int, end bool) int) {
	if !hides(text) {
		return text, nil
	}
	var b strings.Builder
	var from []int // where each byte stood
	for i := 0; i < len(text); {
		if n := invisible(text, i); n > 0 {
			i += n
			continue
		}
		b.WriteByte(text[i])
		from = append(from, i)
		i++
	}
	plain = b.String()
	return plain, func(i int, end bool) int {
		switch {
		case end && i > 0:
			return from[i-1] + 1
		case i < len(from):
			return from[i]
		}
		return len(text)
	}
}

const escape = 0x1b

// hides tells whether a text may have something invisible.
func hides(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case escape:
			return true
		case 0xc2, 0xe2, 0xef: // what soft hyphens, characters without width and byte order marks begin with
			if invisible(text, i) > 0 {
				return true
			}
		}
	}
	return false
}

// invisible is how many bytes at i nobody sees.
func invisible(text string, i int) int {
	if text[i] == escape {
		return sequence(text[i:])
	}
	if text[i] < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	switch {
	case r == 0xad, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2064, r == 0xfeff:
		return n
	}
	return 0
}

// sequence is the length of a terminal's sequence: ESC [ … letter, or ESC and one character.
func sequence(s string) int {
	const longestSequence = 32
	if len(s) < 2 {
		return len(s)
	}
	if s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s) && i < longestSequence; i++ {
		if s[i] >= '@' && s[i] <= '~' {
			return i + 1
		}
	}
	return 2
}
