package discord

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	// inCode is where marks are plain text: blocks of code and code in a line.
	inCode = regexp.MustCompile("(?s)```.*?```|``.+?``|`[^`]+`")
	// marks are mentions of people, emoji of a server and mentions of channels. Mentions of roles and of everyone do not
	// speak to the bot.
	marks = regexp.MustCompile(`<@!?(\d+)>|<a?(:\w+:)\d+>|<#(\d+)>`)
)

// words is a message's text as people read it.
type words struct {
	text      string // without mentions of the bot
	mentioned bool   // it mentions the bot
}

// read takes a text apart. room tells what a channel is called.
func read(text, me string, mentions []mention, room func(id string) string) words {
	names := map[string]string{}
	for _, m := range mentions {
		names[m.ID] = m.shown(m.Member)
	}
	w := words{}
	var kept strings.Builder
	plain := func(s string) {
		done := 0
		for _, at := range marks.FindAllStringSubmatchIndex(s, -1) {
			kept.WriteString(s[done:at[0]])
			done = at[1]
			switch {
			case at[4] >= 0:
				kept.WriteString(s[at[4]:at[5]])
			case at[6] >= 0:
				kept.WriteString(room(s[at[6]:at[7]]))
			case s[at[2]:at[3]] == me:
				w.mentioned = true
			case names[s[at[2]:at[3]]] != "":
				kept.WriteString("@" + names[s[at[2]:at[3]]])
			default:
				kept.WriteString(s[at[0]:at[1]])
			}
		}
		kept.WriteString(s[done:])
	}
	done := 0
	for _, at := range inCode.FindAllStringIndex(text, -1) {
		plain(text[done:at[0]])
		kept.WriteString(text[at[0]:at[1]])
		done = at[1]
	}
	plain(text[done:])
	w.text = tidy(kept.String(), w.mentioned)
	return w
}

// tidy closes the gaps that removed mentions leave at both ends.
func tidy(s string, mentioned bool) string {
	s = strings.TrimSpace(s)
	if r, n := utf8.DecodeRuneInString(s); mentioned && (r == ',' || r == ':') {
		s = strings.TrimSpace(s[n:])
	}
	return s
}
