// Package channels is the contract between the bot and the messengers.
//
// An adapter (channels/terminal, channels/telegram, ...) turns what its messenger sends into an [Inbound], hands it to
// a [Handler], and shows each [Outbound] it is given. Everything a messenger can do beyond that is a separate ability,
// found by type assertion: a messenger that lacks one writes nothing for it.
//
// The package imports nothing of the project, so every layer may speak about conversations and messages.
package channels

import (
	"context"
	"log/slog"
)

// Channel is one configured connection to a messenger.
type Channel interface {
	// Name is the instance's name in the configuration ("slack-eng"). It never changes and is part of every
	// Conversation of this channel.
	Name() string
	// Run receives until ctx is done and then returns nil. It reconnects by itself and returns an error only for a
	// fault that no retry can mend, such as a revoked token.
	Run(ctx context.Context, h Handler) error
	// Send shows one message, or changes an earlier one when m.Edit is set, and returns the platform's id of it.
	// It must be safe to call again with the same m.Key. Errors that are not an *Error are taken as passing.
	// Send may be called before Run and after it.
	Send(ctx context.Context, m *Outbound) (MessageID, error)
}

// Handler takes a received message. When it returns nil the message is stored durably, and only then may the adapter
// acknowledge it to the platform. On an error the adapter must let the platform deliver again, or tell the sender.
// A message that was delivered before is stored once; the handler still returns nil.
type Handler func(ctx context.Context, m *Inbound) error

// Env is what every adapter gets beside its own settings.
type Env struct {
	Log *slog.Logger
	// Own runs a connection that must exist once among all replicas (a poll, a gateway): run is called whenever this
	// process holds the lease called name, with a ctx that ends before the lease can pass to another process.
	// Own returns when ctx is done, or with the error of run.
	Own func(ctx context.Context, name string, run func(ctx context.Context) error) error
}

// Factory makes a channel. decode reads the instance's own settings into a struct and rejects unknown keys.
type Factory func(name string, decode func(into any) error, env Env) (Channel, error)

// Streamer is the ability to show an answer while it is written.
type Streamer interface {
	// Stream opens a preview for the answer to m. The preview is never the delivery: the final text is sent as an
	// Outbound, with Edit naming the preview if the messenger gave it an id.
	Stream(ctx context.Context, to Conversation, replyTo MessageID) (Stream, error)
}

// Stream is one open preview. Its methods are called by one goroutine at a time and must not block for longer than the
// platform's own throttling: an implementation drops frames rather than queue them.
type Stream interface {
	// Show replaces what the preview shows.
	Show(ctx context.Context, d Draft) error
	// Close ends the preview and returns the platform's id of the message that shows it; empty when there is none
	// that could be edited. It is called exactly once, also after errors.
	Close(ctx context.Context) (MessageID, error)
}

// Draft is the state of an answer in the making.
type Draft struct {
	Text string // Markdown so far, all of it
	Step string // what is being done now in plain words ("reading a file"); empty when text is being written
}

// Typer is the ability to show that an answer is in the making.
type Typer interface {
	// Typing shows the sign once; it fades by itself. It is called again every few seconds.
	Typing(ctx context.Context, to Conversation) error
}
