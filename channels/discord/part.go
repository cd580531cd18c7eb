package discord

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// Limits of messages.
const (
	maxText      = 2000 // characters of a bot's message
	maxTexts     = 5    // a longer text goes out as a file
	maxFiles     = 10   // of one message
	maxFileSize  = 10 << 20
	maxFilesSize = 24 << 20 // of one message; the whole request may have 25 MiB
	maxNonce     = 24       // characters; Discord takes 25
)

var errEmpty = errors.New("there is nothing in the message to show")

// part is one request that shows a part of a message.
type part struct {
	content   string
	v2        []component // instead of the content: what lays the message out
	notes     string      // below a card, if that must be text
	buttons   []component
	reference *reference
	nonce     string // a message with one that was taken before is not shown again
	files     []file
	edit      channels.MessageID // the message that is changed
	remove    bool               // the message is deleted: nothing comes in its place
	via       *via               // the interaction that this answers; nil for an ordinary message
	private   bool               // only who used the interaction is to see it
}

func text(s string) part { return part{content: s, buttons: []component{}} }

// anew posts what could not be put in the place of another message.
func (p part) anew() part {
	p.edit = ""
	return p
}

// ordinary is a part that no interaction is answered with.
func (p part) ordinary() part {
	p.via, p.private = nil, false
	if p.edit == original {
		p.edit = ""
	}
	return p
}

func (p part) withoutReference() part {
	p.reference = nil
	return p
}

// withoutFiles says in place of files that they are missing. It has room: a text that does not fit is another part's.
func (p part) withoutFiles() part {
	var names []string
	for _, f := range p.files {
		names = append(names, inline(f.name))
	}
	note := "-# Discord does not take " + cut(strings.Join(names, ", "), 300) +
		" here (the bot needs Attach Files; or it is too large)."
	p.files = nil
	if s := p.content + "\n" + note; utf16Len(s) <= maxText {
		p.content = strings.TrimSpace(s)
	}
	return p
}

// nonce makes every attempt at the same part of a message the same for Discord.
func nonce(key string, part int) string {
	sum := sha256.Sum256([]byte(key + "/" + strconv.Itoa(part)))
	return hex.EncodeToString(sum[:])[:maxNonce]
}

// parts divides a message into requests, the same at every attempt.
func (c *Channel) parts(m *channels.Outbound) ([]part, error) {
	files, notes := sendable(m.Attachments)
	parts, whole := worded(m, notes)
	switch {
	case len(parts) > 0 && m.To == "":
		parts[0].edit = m.Edit
	case m.Edit != "" && len(parts) == 0: // nothing to put in its place
		parts = append(parts, part{edit: m.Edit, remove: true})
	}
	if len(parts) > 0 && m.Edit == "" && takesPlace(m) {
		parts[0].edit = original
	}
	parts = attach(parts, append(whole, files...))
	if len(parts) == 0 {
		return nil, errEmpty
	}
	buttons, err := rows(m.Buttons)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		parts[i].nonce = nonce(m.Key, i)
	}
	last := len(parts) - 1
	if len(parts[0].v2) > 0 { // files stand below a card, but its buttons are its own
		last = 0
	}
	if p := &parts[last]; !p.remove {
		p.buttons = buttons
	}
	return parts, nil
}

// worded is the text or the card of a message, and with a text that is too long the file that holds all of it.
func worded(m *channels.Outbound, notes string) (parts []part, whole []file) {
	words := m.Text
	if m.Card != nil {
		words = m.Card.Markdown()
		if shown, ok := cardOf(m.Card, notes); ok {
			p := text("")
			p.v2, p.notes = shown, notes
			return []part{p}, nil
		}
	}
	words = strings.TrimSpace(words + "\n\n" + notes)
	texts := format(words, maxText)
	if len(texts) > maxTexts {
		whole = []file{{"answer.md", "text/markdown", []byte(words)}}
		texts = append(texts[:1:1],
			fmt.Sprintf("-# The answer has %d characters; all of it is in the file.", len([]rune(words))))
	}
	for _, t := range texts {
		parts = append(parts, text(t))
	}
	return parts, whole
}
