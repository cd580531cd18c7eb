package prompt

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/leadhand/leadhand/channels"
)

// Header is the line that stands before a person's message. Whatever the name holds, it stays one line with these
// fields: a person can't speak as another one by choosing a name.
func Header(sender channels.Sender, role string, at time.Time) string {
	fields := []string{"from " + named(sender.Name), "id " + named(string(sender.ID))}
	if role != "" {
		fields = append(fields, named(role))
	}
	fields = append(fields, at.Format("Mon 2006-01-02 15:04 -07:00"))
	return "[" + strings.Join(fields, " · ") + "]"
}

func named(s string) string {
	if s = oneLine(s); s != "" {
		return s
	}
	return "unknown"
}

// oneLine makes a name harmless: no line breaks, invisible or direction-changing characters, no brackets or separators
// of the header, at most 64 characters.
func oneLine(s string) string {
	const longest = 64
	var b strings.Builder
	n := 0
	for _, c := range norm.NFC.String(strings.ToValidUTF8(s, "")) {
		switch {
		case unicode.IsSpace(c):
			c = ' '
		case !unicode.IsPrint(c):
			continue
		case isOpening(c):
			c = '('
		case unicode.Is(unicode.Pe, c), unicode.Is(unicode.Pf, c):
			c = ')'
		case isDot(c):
			c = '-'
		}
		b.WriteRune(c)
		if n++; n == longest {
			break
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func isOpening(c rune) bool { return unicode.Is(unicode.Ps, c) || unicode.Is(unicode.Pi, c) }

// isDot tells whether c looks like the separator of header fields.
func isDot(c rune) bool { return strings.ContainsRune("·•‧∙⋅・･●᛫⸱ꞏ･", c) }

// body is a person's text as it stands below the header: no characters that hide or reorder text, and no line that
// could be taken for one of the program's.
func body(text string) string {
	text = lineBreaks.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Map(func(c rune) rune {
		if hides(c) {
			return -1
		}
		return c
	}, text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if imitates(line) {
			lines[i] = `\` + line
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
}

// lineBreaks makes everything that a model may see as the end of a line one.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// hides tells whether c is a control character other than tab and newline, a direction control, or one of the tag
// characters in which invisible text can be written. Joiners, which scripts and emoji need, stay.
func hides(c rune) bool {
	return c != '\t' && c != '\n' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) ||
		0xE0000 <= c && c <= 0xE007F
}

// imitates tells whether a line could be read as a header or a note of the program. It looks at the line's skeleton:
// compatibility forms, marks, invisible characters and common look-alikes of other alphabets are resolved.
func imitates(line string) bool {
	rest := strings.TrimLeftFunc(line, func(c rune) bool {
		return unicode.IsSpace(c) || !unicode.IsPrint(c) || isQuoting(c)
	})
	first, size := utf8.DecodeRuneInString(rest)
	if size == 0 || !isOpening(first) {
		return false
	}
	word := skeleton(rest[size:])
	return strings.HasPrefix(word, "from") || strings.HasPrefix(word, "program")
}

// isQuoting tells whether c is Markdown that may stand before a line's text.
func isQuoting(c rune) bool { return strings.ContainsRune(`>*_#-`+"`", c) }

func skeleton(s string) string {
	const enough = 12 // letters; more than the longest word that is looked for
	var b strings.Builder
	for _, c := range norm.NFKD.String(s[:min(len(s), 400)]) {
		c = unicode.ToLower(c)
		if plain, ok := lookalikes[c]; ok {
			c = plain
		}
		if unicode.IsLetter(c) {
			b.WriteRune(c)
		} else if b.Len() > 0 && c == ':' {
			break
		}
		if b.Len() >= enough {
			break
		}
	}
	return b.String()
}

// lookalikes of the letters in "from" and "program".
var lookalikes = map[rune]rune{
	'а': 'a', 'α': 'a', 'ɑ': 'a', 'ғ': 'f', 'ƒ': 'f', 'ϝ': 'f', 'ɡ': 'g', 'ց': 'g', 'м': 'm', 'ʍ': 'm',
	'о': 'o', 'ο': 'o', 'օ': 'o', 'ø': 'o', '0': 'o', 'р': 'p', 'ρ': 'p', 'г': 'r', 'ʀ': 'r',
}
