package discord

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

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

// mentionPolicy says whom a message notifies.
type mentionPolicy struct {
	Parse       []string `json:"parse"`
	RepliedUser bool     `json:"replied_user"`
}

// noMentions notifies nobody but the author of the message that is answered, whatever a model wrote.
var noMentions = &mentionPolicy{Parse: []string{}, RepliedUser: true}

// reference is the message that is answered; it may have been deleted meanwhile.
type reference struct {
	MessageID string `json:"message_id"`
	Fail      bool   `json:"fail_if_not_exists"`
}

// outgoing is a message as Discord takes it. What is empty is sent too: it takes away what an edited message had.
type outgoing struct {
	Content    string         `json:"content"`
	Embeds     []embed        `json:"embeds"`
	Components []component    `json:"components"`
	Mentions   *mentionPolicy `json:"allowed_mentions"`
	Reference  *reference     `json:"message_reference,omitempty"`
	Nonce      string         `json:"nonce,omitempty"`
	Files      []newFile      `json:"attachments,omitempty"`   // all that a changed message has from now on
	Enforce    bool           `json:"enforce_nonce,omitempty"` // a nonce that was taken before shows nothing
}

type newFile struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

// part is one request that shows a part of a message.
type part struct {
	outgoing
	files  []file
	edit   channels.MessageID // the message that is changed
	remove bool               // the message is deleted: nothing comes in its place
}

func text(s string) part {
	return part{outgoing: outgoing{Content: s, Embeds: []embed{}, Components: []component{}, Mentions: noMentions}}
}

// anew posts what could not be put in the place of another message.
func (p part) anew() part {
	p.edit = ""
	return p
}

func (p part) withoutReference() part {
	p.Reference = nil
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
	if s := p.Content + "\n" + note; utf16Len(s) <= maxText {
		p.Content = strings.TrimSpace(s)
	}
	return p
}

// nonce makes every attempt at the same part of a message the same for Discord.
func nonce(key string, part int) string {
	sum := sha256.Sum256([]byte(key + "/" + strconv.Itoa(part)))
	return hex.EncodeToString(sum[:])[:maxNonce]
}

// deliver makes the request.
func (c *Channel) deliver(ctx context.Context, channel string, p part) (channels.MessageID, error) {
	var sent struct {
		ID channels.MessageID `json:"id"`
	}
	var err error
	switch {
	case p.edit == "":
		err = c.api.call(ctx, request{
			op: "post message", verb: http.MethodPost, url: discordgo.EndpointChannelMessages(channel), chat: channel,
			body: p.outgoing, files: p.files,
		}, &sent)
	case !isID(string(p.edit)):
		err = &failure{op: "edit message", status: http.StatusNotFound, code: unknownMessage, text: "it is none of Discord"}
	case p.remove:
		err = c.api.call(ctx, request{
			op: "delete message", verb: http.MethodDelete, chat: channel,
			url: discordgo.EndpointChannelMessage(channel, string(p.edit)),
		}, nil)
	default:
		change := p.outgoing
		change.Nonce, change.Enforce, change.Reference = "", false, nil
		for i, f := range p.files {
			change.Files = append(change.Files, newFile{i, f.name})
		}
		err = c.api.call(ctx, request{
			op: "edit message", verb: http.MethodPatch, chat: channel, body: change, files: p.files,
			url: discordgo.EndpointChannelMessage(channel, string(p.edit)),
		}, &sent)
	}
	if err == nil && p.edit == "" {
		c.signs.over(channel)
	}
	return sent.ID, err
}

// parts divides a message into requests, the same at every attempt.
func (c *Channel) parts(m *channels.Outbound) ([]part, error) {
	files, notes := sendable(m.Attachments)
	parts, whole := worded(m, notes)
	switch {
	case len(parts) > 0:
		parts[0].edit = m.Edit
	case m.Edit != "": // nothing to put in its place
		parts = append(parts, part{edit: m.Edit, remove: true})
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
		p := &parts[i]
		p.Nonce, p.Enforce = nonce(m.Key, i), true
		if i == 0 && isID(string(m.ReplyTo)) {
			p.Reference = &reference{MessageID: string(m.ReplyTo)}
		}
		if i == len(parts)-1 && !p.remove {
			p.Components = buttons
		}
	}
	return parts, nil
}

// worded is the text or the card of a message, and with a text that is too long the file that holds all of it.
func worded(m *channels.Outbound, notes string) (parts []part, whole []file) {
	words := m.Text
	if m.Card != nil {
		words = m.Card.Markdown()
		if e, ok := embedOf(m.Card); ok {
			p := text(strings.Join(format(notes, maxText), ""))
			p.Embeds = []embed{e}
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

// unembedded is a card as text, for where Discord refuses an embed. It stays one message.
func unembedded(p part, card *channels.Card) part {
	words := card.Markdown()
	texts := format(join(words, p.Content), maxText)
	if len(texts) > 1 {
		p.files = append([]file{{"card.md", "text/markdown", []byte(words)}}, p.files...)
	}
	p.Embeds, p.Content = []embed{}, texts[0]
	return p
}
