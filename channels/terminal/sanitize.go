package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels"
)

// Control characters that open a sequence, in their 7-bit and their 8-bit form.
const (
	esc = 0x1b
	bel = 0x07
	csi = 0x9b
	st  = 0x9c
)

// guard marks places in Markdown that a parser must not read as a character reference. It is a noncharacter, which
// no text may hold, so taking it out again can't damage anything.
const guard = '\ufdd0'

// sanitize takes out of s everything that a terminal would obey instead of show: escape sequences as a whole, so that
// no debris of them stays, and control characters other than newline and tab. Bidirectional overrides go too: they can
// make a line read as something that it isn't. Broken UTF-8 becomes U+FFFD.
func sanitize(s string) string { return filter(s, false) }

// sanitizeLine is sanitize for names and labels, which must stay on one line.
func sanitizeLine(s string) string {
	return channels.OneLine(sanitize(s))
}

// keepColors is sanitize for text that a renderer of ours has coloured: attributes ("ESC [ ... m") stay.
func keepColors(s string) string { return filter(s, true) }

func filter(s string, colors bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == esc || r == csi || isStringOpener(r):
			n := sequenceLen(s[i:])
			if seq := s[i : i+n]; colors && isColor(seq) {
				b.WriteString(seq)
			}
			size = n
		case r == '\r':
			if !strings.HasPrefix(s[i+1:], "\n") {
				b.WriteByte('\n')
			}
		case r == 0x85 || r == '\u2028' || r == '\u2029': // other spellings of a line break
			b.WriteByte('\n')
		case !isDropped(r):
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func isDropped(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069':
		return true
	}
	return r == guard
}

// isStringOpener tells the 8-bit openers of DCS, SOS, OSC, PM and APC.
func isStringOpener(r rune) bool {
	return r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f
}

func isColor(seq string) bool {
	body, ok := strings.CutPrefix(seq, "\x1b[")
	if !ok {
		return false
	}
	body, ok = strings.CutSuffix(body, "m")
	return ok && strings.Trim(body, "0123456789;:") == ""
}

// sequenceLen is the length in bytes of the control sequence that s begins with.
func sequenceLen(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == csi:
		return n + parametersLen(s[n:])
	case r != esc:
		return n + stringLen(s[n:])
	case n == len(s):
		return n
	}
	switch c := s[n]; {
	case c == '[':
		return n + 1 + parametersLen(s[n+1:])
	case strings.IndexByte("]PX^_", c) >= 0:
		return n + 1 + stringLen(s[n+1:])
	case c >= 0x20 && c <= 0x2f:
		i := n + span(s[n:], 0x20, 0x2f)
		return i + min(1, span(s[i:], 0x30, 0x7e))
	case c >= 0x30 && c <= 0x7e:
		return n + 1
	}
	return n
}

// parametersLen measures what follows a CSI: parameters, intermediates and the final byte, if it is there.
func parametersLen(s string) int {
	i := span(s, 0x30, 0x3f)
	i += span(s[i:], 0x20, 0x2f)
	return i + min(1, span(s[i:], 0x40, 0x7e))
}

// stringLen measures the body of an OSC, DCS or the like with its terminator. One that isn't ended on its own line is
// no string but a trick to make the rest of a message vanish: only its opener goes.
func stringLen(s string) int {
	for i, r := range s {
		switch {
		case r == '\n':
			return 0
		case r == bel:
			return i + 1
		case r == st:
			return i + utf8.RuneLen(st)
		case r == esc && strings.HasPrefix(s[i+1:], `\`):
			return i + 2
		}
	}
	return 0
}

// span counts the leading bytes of s between low and high.
func span(s string, low, high byte) int {
	n := 0
	for n < len(s) && s[n] >= low && s[n] <= high {
		n++
	}
	return n
}
