package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/channels"
)

// Bounds in characters of what is told of messages that are not for the agent.
const (
	maxHeard     = 1000 // of each
	maxHeardAll  = 12_000
	maxQuoted    = 2000
	maxFilesTold = 5
)

// heard tells what people said to each other before; empty when they said nothing. What is too much is left out at the
// beginning.
func heard(m *Message) string {
	var told []string
	omitted, room := m.Heard.Omitted, maxHeardAll
	for i := len(m.Heard.Messages) - 1; i >= 0; i-- {
		h := &m.Heard.Messages[i]
		text := Header(h.Sender, "", h.SentAt.In(m.Zone))
		if said := shorten(body(h.Text), maxHeard); said != "" {
			text += "\n" + said
		}
		if files := fileNames(h.Attachments); files != "" {
			text += "\n" + session.Note("With files that you were not given: "+files)
		}
		if room -= utf8.RuneCountInString(text); room < 0 {
			omitted += i + 1
			break
		}
		told = append([]string{text}, told...)
	}
	if len(told) == 0 {
		return ""
	}
	head := "People said this to each other here, not to you."
	if omitted > 0 {
		head += fmt.Sprintf(" %d earlier messages are left out.", omitted)
	}
	return session.Note(head) + "\n" + strings.Join(told, "\n") + "\n" + session.Note("The message for you:") + "\n"
}

// quoted tells which message is answered.
func quoted(q *channels.Quoted) string {
	who := fmt.Sprintf("%s · id %s", named(q.Sender.Name), named(string(q.Sender.ID)))
	if q.Mine {
		who = "yours"
	}
	text := session.Note("In answer to this message (" + who + "):")
	for _, line := range strings.Split(shorten(body(q.Text), maxQuoted), "\n") {
		text += "\n> " + line
	}
	return text
}

func fileNames(as []channels.Attachment) string {
	var names []string
	for i := range as[:min(len(as), maxFilesTold)] {
		names = append(names, named(as[i].Name))
	}
	if len(as) > maxFilesTold {
		names = append(names, fmt.Sprintf("and %d more", len(as)-maxFilesTold))
	}
	return strings.Join(names, ", ")
}

func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + " …"
}
