package telegram

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/leadhand/leadhand/channels"
)

// Limits of the Bot API: UTF-16 units after formatting, and files.
const (
	maxTextLen  = 4096
	maxCaption  = 1024
	maxChunks   = 5 // a longer text goes out as a file
	maxAlbum    = 10
	maxFileSize = 50 << 20 // bytes
	noticeRoom  = 100      // kept free in topics for a line that says why a text stands elsewhere
	maxPhoto    = 10 << 20
)

// noPreview keeps pages that a text names from being shown below it.
const noPreview = `{"is_disabled":true}`

// deleteMethod takes a preview away in whose place nothing comes.
const deleteMethod = "deleteMessage"

// part is one call that shows a part of a message.
type part struct {
	method string
	field  string // of the text: "text" or "caption"; empty without one
	chunk  chunk  // the text
	plain  bool   // the text goes out without markup
	extra  params // what else the method takes
	files  []tgbotapi.RequestFile
	edit   channels.MessageID // the message that is changed, or deleted

	asDocuments *part // the same files in the way that takes all files
}

// repeatable tells whether sending the part twice shows it once.
func (p part) repeatable() bool { return p.edit != "" }

func (p part) html() bool { return p.field != "" && !p.plain }

func (p part) plainly() part {
	p.plain = true
	return p
}

// anew posts what could not be put in the place of another message.
func (p part) anew() part {
	p.edit, p.method = "", "sendMessage"
	return p
}

// elsewhere is the part in a place where no earlier message can be changed or answered: a reply would be shown in the
// topic of what it answers, and numbers mean other messages in another chat.
func (p part) elsewhere() part {
	if p.edit != "" {
		p = p.anew()
	}
	p.extra = maps.Clone(p.extra)
	delete(p.extra, "reply_parameters")
	return p
}

// withoutFiles shows the text, and that the files could not be shown.
func (p part) withoutFiles() part {
	const room = 300
	var names []string
	for _, f := range p.files {
		if b, ok := f.Data.(tgbotapi.FileBytes); ok {
			names = append(names, b.Name)
		}
	}
	n := note("Telegram does not take the file %s.", cut(strings.Join(names, ", "), room))
	q := instead(n)
	if p.field != "" {
		q.chunk = chunk{html: p.chunk.html + "\n\n" + n.html, plain: p.chunk.plain + "\n\n" + n.plain}
	}
	q.extra = maps.Clone(p.extra)
	delete(q.extra, "media")
	return q
}

// preceded puts a line before the text, for which noticeRoom is left.
func (p part) preceded(line string) part {
	if p.field == "" {
		return p
	}
	p.chunk = chunk{html: "<i>" + escape(line) + "</i>\n\n" + p.chunk.html, plain: line + "\n\n" + p.chunk.plain}
	return p
}

// deliver makes the call.
func (c *Channel) deliver(ctx context.Context, p part, to spot) (channels.MessageID, error) {
	q := to.params()
	maps.Copy(q, p.extra)
	if p.field != "" {
		q[p.field] = p.chunk.plain
		if !p.plain {
			q[p.field], q["parse_mode"] = p.chunk.html, "HTML"
		}
	}
	if p.edit != "" {
		delete(q, "message_thread_id")
		delete(q, "reply_parameters")
		q["message_id"] = string(p.edit)
	}
	var result json.RawMessage
	var err error
	if len(p.files) > 0 {
		err = c.api.upload(ctx, p.method, q, p.files, &result)
	} else {
		err = c.api.call(ctx, p.method, q, &result)
	}
	if err != nil {
		return "", err
	}
	return sentID(result), nil
}

// sentID is the id of a sent message, or of the first of several; empty for a call that shows none.
func sentID(result []byte) channels.MessageID {
	var one struct {
		ID int `json:"message_id"`
	}
	if json.Unmarshal(result, &one) == nil && one.ID != 0 {
		return messageID(one.ID)
	}
	var several []struct {
		ID int `json:"message_id"`
	}
	if json.Unmarshal(result, &several) == nil && len(several) > 0 {
		return messageID(several[0].ID)
	}
	return ""
}

// parts divides a message into calls, the same at every attempt.
func (c *Channel) parts(m *channels.Outbound, to spot) ([]part, error) {
	files := fileParts(m.Attachments)
	room, captionRoom := maxTextLen, maxCaption
	if to.thread != 0 {
		room, captionRoom = room-noticeRoom, captionRoom-noticeRoom
	}
	text := m.Text
	if m.Card != nil {
		text = m.Card.Markdown()
	}
	chunks := format(text, room)
	if len(chunks) > maxChunks {
		chunks = append(chunks[:1:1], note("The answer has %d characters; all of it is in the file.", len([]rune(text))))
		files = append([]part{document("answer.md", []byte(text))}, files...)
	}
	var parts []part
	if short := format(text, captionRoom); len(files) == 1 && files[0].captioned() && len(short) == 1 && m.Edit == "" {
		files[0].field, files[0].chunk = "caption", short[0]
		chunks = nil
	}
	for i, ch := range chunks {
		p := part{method: "sendMessage", field: "text", chunk: ch, extra: params{"link_preview_options": noPreview}}
		if i == 0 && m.Edit != "" {
			p.method, p.edit = "editMessageText", m.Edit
		}
		parts = append(parts, p)
	}
	if len(chunks) == 0 && m.Edit != "" { // nothing to put in its place
		parts = append(parts, part{method: deleteMethod, edit: m.Edit})
	}
	parts = append(parts, files...)
	if len(parts) == 0 {
		return nil, errEmpty
	}
	return parts, dress(parts, m, to)
}

// dress gives the first new message its reference to what it answers, and the last text the buttons.
func dress(parts []part, m *channels.Outbound, to spot) error {
	markup, err := keyboard(m.Buttons)
	if err != nil {
		return err
	}
	buttons := -1
	for i, p := range parts {
		if p.field != "" {
			buttons = i
		}
	}
	for i := range parts {
		extra := params{}
		maps.Copy(extra, parts[i].extra)
		if i == 0 && m.ReplyTo != "" && !to.private() {
			extra["reply_parameters"] = reply(m.ReplyTo)
		}
		if i == buttons && markup != "" {
			extra["reply_markup"] = markup
		}
		parts[i].extra = extra
		if d := parts[i].asDocuments; d != nil {
			own := maps.Clone(extra)
			maps.Copy(own, d.extra) // how an album names its files
			d.extra, d.field, d.chunk = own, parts[i].field, parts[i].chunk
		}
	}
	return nil
}

// reply refers to a message, which may have been deleted meanwhile.
func reply(id channels.MessageID) string {
	if _, err := strconv.Atoi(string(id)); err != nil {
		id = "0"
	}
	return `{"message_id":` + strings.TrimSpace(string(id)) + `,"allow_sending_without_reply":true}`
}
