package bot

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/agent/prompt"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/tools/workspace"
)

const (
	longMessage = 32_000 // characters: a longer message is kept as a file, and the agent gets its head
	messageHead = 4_000
)

// entry makes a person's message an entry of the history. Files that came with it, and a text too long to read at
// once, are kept in the workspace, where the agent's tools reach them.
func (w *working) entry(ctx context.Context, it *inbox.Item) session.Entry {
	in := it.Message
	var notes []string
	for _, a := range in.Attachments {
		notes = append(notes, w.keep(ctx, it, attachmentName(a.Name), a.Data))
	}
	if n := utf8.RuneCountInString(in.Text); n > longMessage {
		kept := w.keep(ctx, it, "message.txt", []byte(in.Text))
		in.Text = fmt.Sprintf("%s\n\n[The message has %d characters; this is its beginning. %s]",
			string([]rune(in.Text)[:messageHead]), n, kept)
	}
	if len(notes) > 0 {
		in.Text = strings.TrimSpace(in.Text + "\n\n[" + strings.Join(notes, "\n") + "]")
	}
	return prompt.UserEntry(&in, it.Scope.Role, w.turn.Item.Seq, it.Seq, w.cfg.Zone)
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

// attachmentName makes a sender's file name a single path element.
func attachmentName(name string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	if _, err := workspace.Clean(name); err != nil || name == "." {
		return "file"
	}
	return name
}
