package inbox

import (
	"context"
	"fmt"

	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/channels"
)

// Intake keeps what comes in.
type Intake interface {
	// Accept stores a message as the last of its session and sets its Seq, and what was heard before it; known is true
	// when its event was stored before. If the lane was idle and owner is not empty, owner gets the lease. A message
	// that finds limit others waiting is refused with a *FullError.
	Accept(ctx context.Context, it *Item, owner string, limit int) (l *lane.Lease, known bool, err error)
	// Join adds a part of an album to the part that waits for it; joined is false when none does.
	Join(ctx context.Context, it *Item) (joined bool, err error)
	// Revise puts the text of a changed message in the place of the one that it revises, if that still waits.
	Revise(ctx context.Context, in *channels.Inbound) (Fate, error)
	// Withdraw drops the message that in.Revises names if it still waits.
	Withdraw(ctx context.Context, in *channels.Inbound) (Fate, error)
	// Bots counts the messages of other programs since the last one of a person in a session, and tells the number of
	// that one.
	Bots(ctx context.Context, sessionID string) (n int, since int64, err error)
}

// Fate is what became of a message.
type Fate string

// Fates of messages.
const (
	Unknown Fate = "unknown" // it is not in any inbox
	Waiting Fate = "waiting" // its turn has not begun
	Running Fate = "running" // it is being worked
	Done    Fate = "done"    // its turn has ended
)

// FullError refuses a message: too many wait in its session.
type FullError struct{ Waiting int }

func (e *FullError) Error() string { return fmt.Sprintf("%d messages wait already", e.Waiting) }

// Accept stores a message; when it returns nil the message is durable. An event that was stored before is dropped.
// started tells whether its turn begins at once.
func (b *Inbox) Accept(ctx context.Context, it *Item) (started bool, err error) {
	slot := b.engine.Reserve()
	l, known, err := b.cfg.Store.Accept(ctx, it, slot.Owner(), b.cfg.Waiting)
	slot.Use(l)
	switch {
	case err != nil:
		return false, fmt.Errorf("store message: %w", err)
	case known:
		b.cfg.Log.Debug("event delivered again", "channel", it.Message.Conversation.Channel)
		return true, nil
	case l == nil:
		b.engine.Wake()
	}
	return l != nil, nil
}

// Join adds a part of an album to the part that waits for it. When it returns true the part is durable.
func (b *Inbox) Join(ctx context.Context, it *Item) (bool, error) {
	joined, err := b.cfg.Store.Join(ctx, it)
	if err != nil {
		return false, fmt.Errorf("store a part of an album: %w", err)
	}
	return joined, nil
}

// Withdraw drops a message that was taken back, if its turn has not begun. One that runs goes on.
func (b *Inbox) Withdraw(ctx context.Context, in *channels.Inbound) (Fate, error) {
	fate, err := b.cfg.Store.Withdraw(ctx, in)
	if err != nil {
		return "", fmt.Errorf("take a message back: %w", err)
	}
	return fate, nil
}

// Bots counts the messages of other programs since the last one of a person in a session, whose number is since.
func (b *Inbox) Bots(ctx context.Context, sessionID string) (n int, since int64, err error) {
	if n, since, err = b.cfg.Store.Bots(ctx, sessionID); err != nil {
		return 0, 0, fmt.Errorf("count the messages of other bots: %w", err)
	}
	return n, since, nil
}

// Revise changes a message that waits, and tells what became of the one that was changed.
func (b *Inbox) Revise(ctx context.Context, in *channels.Inbound) (Fate, error) {
	fate, err := b.cfg.Store.Revise(ctx, in)
	if err != nil {
		return "", fmt.Errorf("change a message: %w", err)
	}
	return fate, nil
}
