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
	// Moved tells that the platform gave a chat another id: what is kept under the old one goes on under the new one.
	// It may be called again for the same move.
	Moved func(ctx context.Context, from, to ChatID) error
	// Joined tells whether the bot takes part in a conversation already, so that a message in it needs no mention. It is
	// for topics (threads) that a mention opens.
	Joined func(ctx context.Context, c Conversation) (bool, error)
	// Added tells that the bot was added to a chat. eventKey is the same whenever this is told again. It may be nil; on an
	// error it is told again.
	Added func(ctx context.Context, eventKey string, c Conversation, by Sender) error
	// Talked lists the conversations in which people lately talked to the bot, the newest first, for platforms that do
	// not tell what was missed while the bot was down. It may be nil.
	Talked func(ctx context.Context) ([]Conversation, error)
	// Complete lists what may stand in the place of the arguments of in's command, which were begun, for platforms that
	// show that while people type. It may be nil.
	Complete func(ctx context.Context, in *Inbound) []Option
	// Notice tells whoever runs the bot what a person has to see to; it may be nil.
	Notice func(ctx context.Context, text string)
	// Commands are what people can call by name. The adapter registers them if its platform shows a menu.
	Commands []CommandInfo
}

// CommandInfo is one entry of a menu of commands.
type CommandInfo struct {
	Name, Help string
	// Admins tells that mostly those who run a chat need it. Everybody may still type it.
	Admins bool
}

// Factory makes a channel. decode reads the instance's own settings into a struct and rejects unknown keys.
type Factory func(name string, decode func(into any) error, env Env) (Channel, error)
