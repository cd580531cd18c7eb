// Package terminal is the channel behind "leadhand chat": one conversation between the person at this terminal and
// the bot.
//
// At a real terminal it is a line editor with streamed, rendered answers; finished text goes to the scrollback and
// stays there. Without one (a pipe, a file, TERM=dumb) every line read is a message and every answer is printed as
// plain Markdown. What the bot says is never trusted with the terminal: control sequences in it are taken out.
package terminal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/google/uuid"

	"github.com/leadhand/leadhand/channels"
)

// Config is what a terminal needs to know about its surroundings.
type Config struct {
	In  io.Reader // what the person types
	Out io.Writer // answers
	Err io.Writer // notices about the program itself, without the line editor

	// Interactive says that In and Out are a terminal.
	Interactive bool
	// Name is the name of this channel in every Conversation.
	Name string
	// User is the person at the terminal, the sender of every message.
	User channels.Sender
	// Greeting is Markdown shown first to a person; a pipe doesn't get it.
	Greeting string
	// Environ is the environment as "key=value", nil for that of the process. NO_COLOR turns colours off, TERM=dumb
	// the line editor.
	Environ []string
	// Drain waits until the conversation has nothing queued, running or unsent. Run calls it when a pipe has ended,
	// since only the bot knows what is still to come. Nil waits for nothing.
	Drain func(ctx context.Context) error
}

// environ looks key up; the last setting of a key counts, as in os/exec.
func (c *Config) environ(key string) string {
	value := ""
	for _, pair := range c.Environ {
		if k, v, _ := strings.Cut(pair, "="); k == key {
			value = v
		}
	}
	return value
}

// Terminal is the conversation at one terminal. Its methods are safe for concurrent use; Run is called once.
type Terminal struct {
	cfg   Config
	log   *slog.Logger
	lines *lines  // without the line editor
	edit  *screen // with it; exactly one of both is set
}

var (
	_ channels.Channel  = (*Terminal)(nil)
	_ channels.Streamer = (*Terminal)(nil)
	_ channels.Typer    = (*Terminal)(nil)
)

// New makes a terminal. It neither reads nor writes before Run or Send.
func New(cfg Config, env channels.Env) *Terminal {
	if cfg.Environ == nil {
		cfg.Environ = os.Environ()
	}
	t := &Terminal{cfg: cfg, log: env.Log}
	if cfg.Interactive && cfg.environ("TERM") != "dumb" {
		t.edit = newScreen(&t.cfg, env.Log)
	} else {
		t.lines = newLines(&t.cfg, env.Log)
	}
	return t
}

// Name is the channel's name from the configuration.
func (t *Terminal) Name() string { return t.cfg.Name }

// Run hands what the person types to h. It returns nil when ctx is done, when the person leaves, or, for a pipe, when
// its last line is answered. It returns an error when In can't be read or Out can't be written any more, and when
// messages from a pipe were lost. The terminal's own settings are restored in every case, a panic of h included.
func (t *Terminal) Run(ctx context.Context, h channels.Handler) error {
	t.log.DebugContext(ctx, "terminal starts", "channel", t.cfg.Name, "editor", t.edit != nil)
	if t.edit != nil {
		return t.edit.run(ctx, h)
	}
	return t.lines.run(ctx, h)
}

// Send prints a message. When m.Edit names a preview, the message takes its place. A message that is already in the
// scrollback can't be changed, so an edit of one is printed anew. With the line editor Send returns once the message
// is sure to be printed, by the editor or after it, and not when it is seen.
func (t *Terminal) Send(_ context.Context, m *channels.Outbound) (channels.MessageID, error) {
	id, err := newMessageID()
	if err != nil {
		return "", &channels.Error{Op: "send", Err: err}
	}
	if m.Card != nil || len(m.Buttons) > 0 {
		shown := *m
		if m.Card != nil {
			shown.Text = m.Card.Markdown()
		}
		if choices := channels.Choices(m.Buttons); choices != "" {
			shown.Text = strings.TrimSpace(shown.Text + "\n\n" + choices)
		}
		m = &shown
	}
	if t.edit != nil {
		err = t.edit.send(m)
	} else {
		err = t.lines.send(m)
	}
	if err != nil {
		return "", &channels.Error{Op: "send", Terminal: true, Err: err}
	}
	return id, nil
}

// Stream shows an answer while it is written. Without the line editor nothing is shown and Close returns no id.
func (t *Terminal) Stream(context.Context, channels.Preview) (channels.Stream, error) {
	if t.edit == nil {
		return unseen{}, nil
	}
	id, err := newMessageID()
	if err != nil {
		return nil, &channels.Error{Op: "stream", Err: err}
	}
	return t.edit.openPreview(id), nil
}

// Typing lights the status line for some seconds; without the line editor there is none.
func (t *Terminal) Typing(context.Context, channels.Conversation) error {
	if t.edit != nil {
		t.edit.events.put(typing{})
	}
	return nil
}

// newMessageID makes an id that is new for ever, also for a program started anew on the same database.
func newMessageID() (channels.MessageID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make message id: %w", err)
	}
	return channels.MessageID(id.String()), nil
}
