package session

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/agent/llm"
)

// Bytes of one piece in a transcript.
const (
	spokenBytes = 6000
	resultBytes = 2000
	argsBytes   = 600
)

// Transcript tells entries as plain text for whoever summarises them, in at most about limit bytes. Long pieces are
// shortened in the middle; if it is still too much the oldest are left out, an earlier summary last.
func Transcript(entries []Entry, limit int) string {
	var pieces []string
	for i := range entries {
		e := &entries[i]
		if e.Kind == KindStrip {
			continue
		}
		longest := spokenBytes
		if e.Kind == KindSummary {
			longest = limit / 2
		}
		pieces = append(pieces, spoken(&e.Message, min(longest, max(limit/4, 1))))
	}
	head := ""
	if len(entries) > 0 && entries[0].Kind == KindSummary {
		head, pieces = pieces[0], pieces[1:]
	}
	left := limit - len(head)
	from := len(pieces)
	for from > 0 && left >= len(pieces[from-1]) {
		from--
		left -= len(pieces[from])
	}
	if from > 0 {
		head += fmt.Sprintf("\n(%d older pieces are left out here.)\n", from)
	}
	return head + strings.Join(pieces[from:], "")
}

func spoken(m *llm.Message, longest int) string {
	var b strings.Builder
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Call != nil:
			fmt.Fprintf(&b, "\nTOOL CALL %s %s\n", p.Call.Name, Clip(p.Call.Args, min(argsBytes, longest)))
		case p.Result != nil:
			fmt.Fprintf(&b, "\nRESULT OF %s: %s\n", p.Result.Name, Clip(p.Result.Text, min(resultBytes, longest)))
		case p.Image != nil:
			fmt.Fprintf(&b, "\nIMAGE %q\n", p.Image.Name)
		case p.Text != "" && m.Role == llm.Assistant:
			fmt.Fprintf(&b, "\nASSISTANT: %s\n", Clip(p.Text, longest))
		case p.Text != "":
			fmt.Fprintf(&b, "\nUSER: %s\n", Clip(p.Text, longest))
		}
	}
	return b.String()
}

// Clip shortens a text to about limit bytes by leaving out its middle, never half a character.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit*2/3, len(s)-limit/3
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s … (%d bytes left out) … %s", s[:head], tail-head, s[tail:])
}

// Clean drops what a database or a provider refuses in a text: NUL and broken UTF-8.
func Clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
