package slack

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// words is a message's text as people see it, without mentions of the bot.
type words struct {
	text      string
	mentioned bool
}

// reader turns Slack's text into what people see. It goes over the text once, so that what a person typed is never
// taken for Slack's own signs.
type reader struct {
	me   string // the bot's id
	name func(id string) string

	out       strings.Builder
	mentioned bool
}

// read decodes a text. name tells what a person or a channel is called.
func read(text, me string, name func(id string) string) words {
	r := &reader{me: me, name: name}
	for text != "" {
		if n := codeLength(text); n > 0 {
			r.decode(text[:n], true)
			text = text[n:]
			continue
		}
		n := strings.IndexByte(text[1:], '`') + 1
		if n == 0 {
			n = len(text)
		}
		r.decode(text[:n], false)
		text = text[n:]
	}
	return words{text: tidy(r.out.String()), mentioned: r.mentioned}
}

// codeLength is the length of the code that a text starts with, 0 when it does not.
func codeLength(text string) int {
	const fence = "```"
	if rest, ok := strings.CutPrefix(text, fence); ok {
		if end := strings.Index(rest, fence); end >= 0 {
			return end + 2*len(fence)
		}
	}
	if text[0] != '`' {
		return 0
	}
	line, _, _ := strings.Cut(text[1:], "\n")
	if end := strings.IndexByte(line, '`'); end >= 0 {
		return end + 2
	}
	return 0
}

// decode resolves the signs in a stretch of text. Mentions in code are only shown.
func (r *reader) decode(text string, code bool) {
	for text != "" {
		n := strings.IndexAny(text, "<&")
		if n < 0 {
			n = len(text)
		}
		r.out.WriteString(text[:n])
		text = text[n:]
		if text == "" {
			return
		}
		length := 1
		if text[0] == '&' {
			length = r.entity(text)
		} else if end := strings.IndexAny(text[1:], "<>\n") + 1; end > 1 && text[end] == '>' {
			length = end + 1
			r.sign(text[1:end], code)
		} else {
			r.out.WriteByte('<')
		}
		text = text[length:]
	}
}

// entity resolves one of the three that Slack has, and returns how long it is.
func (r *reader) entity(text string) int {
	for name, char := range map[string]byte{"&lt;": '<', "&gt;": '>', "&amp;": '&'} {
		if strings.HasPrefix(text, name) {
			r.out.WriteByte(char)
			return len(name)
		}
	}
	r.out.WriteByte('&')
	return 1
}

// sign writes what stands for <…>: a person, a channel, a group, a link.
func (r *reader) sign(sign string, code bool) {
	target, label, _ := strings.Cut(sign, "|")
	if target == "" {
		r.plain("<" + sign + ">")
		return
	}
	switch target[0] {
	case '@':
		if id := target[1:]; id == r.me && !code {
			r.mentioned = true
			r.closeGap()
		} else {
			r.plain("@" + strings.TrimPrefix(cmp.Or(label, r.called(id)), "@"))
		}
	case '#':
		r.plain("#" + strings.TrimPrefix(cmp.Or(label, r.called(target[1:])), "#"))
	case '!':
		name, _, _ := strings.Cut(target[1:], "^")
		switch name {
		case "date":
			r.plain(cmp.Or(label, target[1:]))
		default:
			r.plain("@" + strings.TrimPrefix(cmp.Or(label, name), "@"))
		}
	default:
		r.link(target, label)
	}
}

func (r *reader) called(id string) string {
	if r.name == nil {
		return id
	}
	return r.name(id)
}

// link writes an address, and before it its label if that says something else.
func (r *reader) link(target, label string) {
	address := strings.TrimPrefix(target, "mailto:")
	bare := strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://")
	switch label {
	case "", address:
		r.plain(address)
	case bare, strings.TrimSuffix(bare, "/"):
		r.plain(label)
	default:
		r.plain(label + " (" + address + ")")
	}
}

// plain writes text in which only entities mean something.
func (r *reader) plain(s string) {
	for s != "" {
		n := strings.IndexByte(s, '&')
		if n < 0 {
			r.out.WriteString(s)
			return
		}
		r.out.WriteString(s[:n])
		s = s[n+r.entity(s[n:]):]
	}
}

// closeGap takes away the space before a mention that is left out.
func (r *reader) closeGap() {
	s := strings.TrimSuffix(r.out.String(), " ")
	r.out.Reset()
	r.out.WriteString(s)
}

// tidy closes the gaps that removed mentions leave at both ends.
func tidy(s string) string {
	s = strings.TrimSpace(s)
	if c, n := utf8.DecodeRuneInString(s); c == ',' || c == ':' {
		s = strings.TrimSpace(s[n:])
	}
	return s
}
