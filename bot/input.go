package bot

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/leadhand/leadhand/agent/prompt"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/workspace"
)

const (
	longMessage = 32_000 // characters: a longer message is kept as a file, and the agent gets its head
	messageHead = 4_000
)

// entry makes a person's message an entry of the history. Files that came with it or with the message it answers, and a
// text too long to read at once, are kept in the workspace, where the agent's tools reach them.
func (w *working) entry(ctx context.Context, it *inbox.Item) session.Entry {
	in := it.Message
	m := prompt.Message{
		Inbound: &in, Role: it.Scope.Role, Turn: w.turn.Item.Seq, Source: it.Seq, Zone: w.cfg.Zone,
		Heard: prompt.Heard{Messages: it.Heard, Omitted: it.Omitted},
	}
	files := in.Attachments
	if in.ReplyTo != nil {
		files = append(files[:len(files):len(files)], in.ReplyTo.Attachments...)
	}
	in.Attachments = nil
	for _, a := range distinct(files) {
		note, ok := w.take(ctx, it, &a)
		m.Notes = append(m.Notes, note)
		if ok {
			in.Attachments = append(in.Attachments, a)
		}
	}
	if n := utf8.RuneCountInString(in.Text); n > longMessage {
		m.Notes = append(m.Notes, fmt.Sprintf("The message has %d characters; this is its beginning. %s",
			n, w.keep(ctx, it, "message.txt", []byte(in.Text))))
		in.Text = string([]rune(in.Text)[:messageHead])
	}
	return prompt.UserEntry(m)
}

// take gets the content of a file and keeps it. ok is false when it can't be had; people are told so with the answer.
func (w *working) take(ctx context.Context, it *inbox.Item, a *channels.Attachment) (note string, ok bool) {
	name := attachmentName(a.Name)
	if len(a.Data) == 0 && a.Ref != "" {
		data, err := w.fetch(ctx, it, a)
		if err != nil {
			w.log.Warn("a file that came with a message can't be had", "err", err)
			why := "the messenger did not give it"
			if ce, ok := errors.AsType[*channels.Error](err); ok && ce.Terminal {
				why = ce.Err.Error()
			}
			w.unread = append(w.unread, fmt.Sprintf("I could not read %s: %s.", name, why))
			return fmt.Sprintf("The file %s came with the message, but you don't have it: %s.", name, why), false
		}
		a.Data = data
	}
	return w.keep(ctx, it, name, a.Data), true
}

const (
	fetchAttempts = 3
	fetchTimeout  = time.Minute // for all attempts
	fetchRetry    = time.Second
)

// fetch asks the channel for the content of a file, again when that fails for a moment.
func (w *working) fetch(ctx context.Context, it *inbox.Item, a *channels.Attachment) ([]byte, error) {
	ch, _ := w.cfg.Channel(it.Message.Conversation.Channel)
	f, ok := ch.(channels.Fetcher)
	if !ok {
		return nil, errors.New("the channel gives no files")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		data, err := f.Fetch(ctx, a)
		ce, known := errors.AsType[*channels.Error](err)
		if err == nil || known && ce.Terminal || attempt == fetchAttempts {
			return data, err
		}
		wait := fetchRetry
		if known {
			wait = max(wait, ce.RetryAfter)
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

// keep writes a file that came with a message and says where it is. Writing it again after a crash changes nothing.
func (w *working) keep(ctx context.Context, it *inbox.Item, name string, data []byte) string {
	s := it.Scope
	p := path.Join("inbox", fmt.Sprintf("%s-%d", it.Session[max(len(it.Session)-6, 0):], it.Seq), name)
	_, err := w.cfg.Files.Write(ctx, workspace.Owner{Tenant: s.Tenant, Agent: s.Agent, User: s.User}, p, data,
		workspace.AnyVersion)
	if err != nil {
		w.log.Error("keep a file that came with a message", "err", err)
		return fmt.Sprintf("%s (%d bytes) could not be kept: %v", name, len(data), err)
	}
	return fmt.Sprintf("%s (%d bytes) is the file %s", name, len(data), p)
}

// distinct gives files of one name names of their own: albums are full of them.
func distinct(files []channels.Attachment) []channels.Attachment {
	files = slices.Clone(files)
	seen := map[string]int{}
	for i := range files {
		name := attachmentName(files[i].Name)
		if seen[name]++; seen[name] > 1 {
			ext := path.Ext(name)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), seen[name], ext)
		}
		files[i].Name = name
	}
	return files
}

// attachmentName makes a sender's file name a single path element.
func attachmentName(name string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	if _, err := workspace.Clean(name); err != nil || name == "." {
		return "file"
	}
	return name
}
