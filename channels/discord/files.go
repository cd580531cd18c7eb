package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"
	"github.com/gabriel-vasile/mimetype"

	"github.com/leadhand/leadhand/channels"
)

// sendable is the files that Discord takes, and a word about each of the others.
func sendable(as []channels.Attachment) (files []file, notes string) {
	var left []string
	for _, a := range as {
		name := fileName(a.Name)
		switch {
		case len(a.Data) == 0:
			left = append(left, fmt.Sprintf("The file %s is empty.", inline(name)))
		case len(a.Data) > maxFileSize:
			left = append(left, fmt.Sprintf("The file %s has %.1f MB; Discord takes %d MB, so it is left out.",
				inline(name), float64(len(a.Data))/(1<<20), maxFileSize>>20))
		default:
			files = append(files, file{name, cmp.Or(a.MediaType, mimetype.Detect(a.Data).String()), a.Data})
		}
	}
	return files, strings.Join(left, "\n\n")
}

// fileName is a name that is one, and no part of a header.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, s)
	return cmp.Or(strings.TrimSpace(s), "file")
}

// attach puts files into the last part, and into more behind it. Not into one that edits: if its answer got lost, they
// would be attached twice. Nor into one that is laid out with components, which shows none.
func attach(parts []part, files []file) []part {
	fits := len(parts) > 0 && parts[len(parts)-1].edit == "" && len(parts[len(parts)-1].v2) == 0
	for len(files) > 0 {
		if !fits {
			parts = append(parts, text(""))
		}
		fits = false
		last := &parts[len(parts)-1]
		for size := 0; len(files) > 0 && len(last.files) < maxFiles; files = files[1:] {
			if size += len(files[0].data); size > maxFilesSize {
				break
			}
			last.files = append(last.files, files[0])
		}
	}
	return parts
}

// files are the files of a message, without their content: that is fetched when it is needed.
func (m *content) files(channel, id string) []channels.Attachment {
	var out []channels.Attachment
	for _, a := range m.Attachments {
		if a.URL == "" {
			continue
		}
		mediaType, _, _ := strings.Cut(a.ContentType, ";")
		out = append(out, channels.Attachment{
			Name: cmp.Or(a.Filename, "file"), MediaType: strings.TrimSpace(mediaType), Size: a.Size,
			Ref: strings.Join([]string{channel, id, a.ID, a.URL}, " "),
		})
	}
	return out
}

// maxDownload is the largest file that is fetched, in bytes.
const maxDownload = 25 << 20

// Fetch implements channels.Fetcher. The address of a file ends to be valid after a day; the message tells a new one.
func (c *Channel) Fetch(ctx context.Context, a *channels.Attachment) ([]byte, error) {
	if a.Size > maxDownload {
		return nil, tooLarge()
	}
	ref := strings.SplitN(a.Ref, " ", 4)
	if len(ref) != 4 {
		return nil, never("it is no file of Discord")
	}
	channel, message, id, address := ref[0], ref[1], ref[2], ref[3]
	data, err := c.download(ctx, address)
	if f := asFailure(err); f.status != http.StatusNotFound && f.status != http.StatusForbidden {
		return data, err
	}
	fresh, err := c.freshAddress(ctx, channel, message, id)
	if err != nil {
		return nil, err
	}
	data, err = c.download(ctx, fresh)
	if f := asFailure(err); f.status == http.StatusNotFound || f.status == http.StatusForbidden {
		return nil, never("the file is gone")
	}
	return data, err
}

// never is an error that stays.
func never(why string) error {
	return &channels.Error{Op: "get file", Terminal: true, Err: errors.New(why)}
}

func tooLarge() error { return never(fmt.Sprintf("the file has more than %d MB", maxDownload>>20)) }

// freshAddress asks for the message that holds the file.
func (c *Channel) freshAddress(ctx context.Context, channel, id, file string) (string, error) {
	if !isID(channel) || !isID(id) {
		return "", never("the file is gone")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var m message
	err := c.api.call(ctx, request{
		op: "read message", verb: http.MethodGet, url: discordgo.EndpointChannelMessage(channel, id), chat: channel,
	}, &m)
	if f := asFailure(err); err != nil {
		if f.code != 0 {
			return "", never("the message with the file is gone, or the bot may not read it (Read Message History)")
		}
		return "", f.channelError("get file")
	}
	all := m.Attachments
	for _, s := range m.Snapshots {
		all = append(all, s.Message.Attachments...)
	}
	for _, a := range all {
		if a.ID == file {
			return a.URL, nil
		}
	}
	return "", never("the file was taken out of the message")
}

// download gets a file. The token is not sent along, and no other server is asked than those that keep files.
func (c *Channel) download(ctx context.Context, address string) ([]byte, error) {
	if !c.api.keepsFiles(address) {
		return nil, never("the file lies on a server that is none of Discord's")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, never("the address of the file is none")
	}
	resp, err := (&http.Client{Transport: c.api.direct, CheckRedirect: stay}).Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok { // its text holds the address, which is a key to the file
			err = ue.Err
		}
		return nil, (&failure{op: "get file", text: err.Error(), err: context.Cause(ctx)}).channelError("get file")
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusForbidden:
		return nil, &failure{op: "get file", status: resp.StatusCode, text: "the address is not valid any more"}
	case resp.StatusCode != http.StatusOK:
		f := &failure{op: "get file", status: resp.StatusCode, text: http.StatusText(resp.StatusCode)}
		return nil, f.channelError("get file")
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDownload+1))
	switch {
	case err != nil:
		return nil, (&failure{op: "get file", text: err.Error(), err: context.Cause(ctx)}).channelError("get file")
	case len(data) > maxDownload:
		return nil, tooLarge()
	}
	return data, nil
}

// keepsFiles tells whether an address is one of Discord's servers for files, or of the server that is used instead.
func (c *client) keepsFiles(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if c.base != nil && u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host) {
		return true
	}
	host := strings.ToLower(u.Host)
	return u.Scheme == "https" && (host == "cdn.discordapp.com" || host == "media.discordapp.net")
}
