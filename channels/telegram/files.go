package telegram

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/gabriel-vasile/mimetype"
	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/leadhand/leadhand/channels"
)

var errEmpty = errors.New("there is nothing in the message to show")

// note is a text of the program itself.
func note(text string, args ...any) chunk {
	text = fmt.Sprintf(text, args...)
	return chunk{html: "<i>" + escape(text) + "</i>", plain: text}
}

// fileParts sends each file as what it is, judged by its content; neighbouring pictures make an album.
func fileParts(as []channels.Attachment) []part {
	var parts []part
	var album []channels.Attachment
	flush := func() {
		if len(album) > 0 {
			parts = append(parts, pictures(album))
		}
		album = nil
	}
	for _, a := range as {
		a.Name = fileName(a.Name)
		kind := sendKind(&a)
		switch {
		case len(a.Data) > maxFileSize:
			flush()
			parts = append(parts, instead(note("The file %s has %d MB; Telegram takes up to %d.",
				a.Name, len(a.Data)>>20, maxFileSize>>20)))
		case len(a.Data) == 0:
			flush()
			parts = append(parts, instead(note("The file %s is empty.", a.Name)))
		case kind == "photo":
			if album = append(album, a); len(album) == maxAlbum {
				flush()
			}
		default:
			flush()
			parts = append(parts, single(kind, a))
		}
	}
	flush()
	return parts
}

// instead is a text in the place of a file.
func instead(c chunk) part { return part{method: "sendMessage", field: "text", chunk: c} }

// fileName makes a name fit for an upload.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	return cmp.Or(strings.TrimSpace(name), "file")
}

func sendKind(a *channels.Attachment) string {
	m := mimetype.Detect(a.Data)
	switch {
	case len(a.Data) <= maxPhoto && (m.Is("image/jpeg") || m.Is("image/png")):
		return "photo"
	case m.Is("image/gif"):
		return "animation"
	case bytes.Contains(a.Data[:min(len(a.Data), 64)], []byte("OpusHead")):
		return "voice"
	case m.Is("audio/mpeg"), m.Is("audio/mp4"), m.Is("audio/x-m4a"):
		return "audio"
	case m.Is("video/mp4"):
		return "video"
	}
	return "document"
}

func single(kind string, a channels.Attachment) part {
	doc := document(a.Name, a.Data)
	if kind == "document" {
		return doc
	}
	return part{
		method: "send" + strings.ToUpper(kind[:1]) + kind[1:], asDocuments: &doc,
		files: []tgbotapi.RequestFile{{Name: kind, Data: tgbotapi.FileBytes{Name: a.Name, Bytes: a.Data}}},
	}
}

func document(name string, data []byte) part {
	return part{
		method: "sendDocument",
		files:  []tgbotapi.RequestFile{{Name: "document", Data: tgbotapi.FileBytes{Name: name, Bytes: data}}},
	}
}

// pictures is an album, or a single photo.
func pictures(as []channels.Attachment) part {
	if len(as) == 1 {
		return single("photo", as[0])
	}
	p, docs := album("photo", as), album("document", as)
	p.asDocuments = &docs
	return p
}

func album(kind string, as []channels.Attachment) part {
	type item struct {
		Type  string `json:"type"`
		Media string `json:"media"`
	}
	p := part{method: "sendMediaGroup"}
	var items []item
	for i, a := range as {
		field := fmt.Sprintf("file%d", i)
		items = append(items, item{kind, "attach://" + field})
		p.files = append(p.files, tgbotapi.RequestFile{Name: field, Data: tgbotapi.FileBytes{Name: a.Name, Bytes: a.Data}})
	}
	media, err := json.Marshal(items)
	if err != nil { // two strings always can be
		media = nil
	}
	p.extra = params{"media": string(media)}
	return p
}

// captioned tells whether the part can carry a text.
func (p part) captioned() bool { return len(p.files) == 1 }

// maxDownload is what Telegram's own server gives to bots, in bytes; servers of one's own give more.
const maxDownload = 20 << 20

// Fetch implements channels.Fetcher.
func (c *Channel) Fetch(ctx context.Context, a *channels.Attachment) ([]byte, error) {
	public := c.api.base == PublicAPI
	if public && a.Size > maxDownload {
		return nil, tooLarge()
	}
	var f struct {
		Path string `json:"file_path"`
	}
	if err := c.brief(ctx, "getFile", params{"file_id": a.Ref}, &f); err != nil {
		if f, ok := errors.AsType[*failure](err); ok {
			if f.says("file is too big") {
				return nil, tooLarge()
			}
			return nil, f.channelError("get file")
		}
		return nil, err
	}
	if !public && filepath.IsAbs(f.Path) { // a server on this machine that keeps files for its bots
		data, err := os.ReadFile(f.Path)
		if err != nil {
			why := errors.New("the file of the Bot API server can't be read")
			return nil, &channels.Error{Op: "read file", Terminal: true, Err: why}
		}
		return data, nil
	}
	return c.api.download(ctx, f.Path)
}

func tooLarge() error {
	return &channels.Error{
		Op: "get file", Terminal: true, Err: errors.New("files of more than 20 MB are not given to bots"),
	}
}

// maxOwnDownload bounds what is taken from a server of one's own, in bytes.
const maxOwnDownload = 64 << 20

func (c *client) download(ctx context.Context, path string) ([]byte, error) {
	fail := func(code int, text string) error {
		return (&failure{code: code, text: c.hide(text)}).channelError("get file")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/file/bot"+c.token+"/"+path, nil)
	if err != nil {
		return nil, fail(0, "the server named a path that is none")
	}
	x := &exchange{ctx: ctx, http: c.http}
	resp, err := x.Do(req)
	if err != nil {
		return nil, fail(0, err.Error())
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fail(resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxOwnDownload+1))
	switch {
	case err != nil:
		return nil, fail(0, err.Error())
	case len(data) > maxOwnDownload:
		return nil, tooLarge()
	}
	return data, nil
}
