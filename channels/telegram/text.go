package telegram

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Positions in Telegram's texts count UTF-16 units.

// between gives the bytes of text that a range of UTF-16 units covers. ok is false when the range does not lie in the
// text or cuts a character.
func between(text string, offset, length int) (from, to int, ok bool) {
	if offset < 0 || length <= 0 {
		return 0, 0, false
	}
	from, ok = at(text, offset)
	if !ok {
		return 0, 0, false
	}
	n, ok := at(text[from:], length)
	return from, from + n, ok
}

// at is the byte offset of a position in UTF-16 units.
func at(text string, units int) (int, bool) {
	n := 0
	for i, r := range text {
		if n >= units {
			return i, n == units
		}
		n += max(1, utf16.RuneLen(r))
	}
	return len(text), n == units
}

// words is a message's text with what its entities tell: what speaks to the bot, and the command in front.
type words struct {
	text      string // without mentions of the bot
	mentioned bool
	command   string // "stop" of "/stop@bot all"; empty when there is none
	args      string
	other     bool // the command is for another bot
}

// read takes a text apart. Mentions inside code are no entities, and so no mentions.
func read(text string, es entities, me *user) words {
	w := words{}
	var kept strings.Builder
	done, led := 0, false // led: what was taken out stood in front
	for _, e := range es {
		from, to, ok := between(text, e.Offset, e.Length)
		if !ok || from < done {
			continue
		}
		part := text[from:to]
		switch {
		case e.Type == "bot_command" && e.Offset == 0:
			name, bot, named := strings.Cut(strings.TrimPrefix(part, "/"), "@")
			if named && !strings.EqualFold(bot, me.Username) {
				w.other = true
				continue
			}
			w.command, w.mentioned = strings.ToLower(name), w.mentioned || named
		case e.Type == "mention" && strings.EqualFold(part, "@"+me.Username),
			e.Type == "text_mention" && e.User != nil && e.User.ID == me.ID:
			w.mentioned = true
		case e.Type == "text_link" && e.URL != "" && e.URL != part:
			kept.WriteString(text[done:to] + " (" + e.URL + ")")
			done = to
			continue
		default:
			continue
		}
		kept.WriteString(text[done:from])
		led = led || strings.TrimSpace(kept.String()) == ""
		done = to
	}
	kept.WriteString(text[done:])
	if w.text = strings.TrimSpace(kept.String()); led {
		w.text = tidy(w.text)
	}
	if w.command != "" {
		w.args = w.text
	}
	return w
}

// tidy takes away what stood between the mention in front and the text.
func tidy(s string) string {
	if r, n := utf8.DecodeRuneInString(s); r == ',' || r == ':' {
		s = strings.TrimSpace(s[n:])
	}
	return s
}
