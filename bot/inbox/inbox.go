// Package inbox is the durable queue of messages of each session.
//
// A message is stored with the session's next number in one transaction, and only then acknowledged to its platform.
// Sessions are worked in parallel, each by one owner at a time and in order (see bot/lane). A turn that a crash cut off
// runs again from its log; a turn that keeps failing becomes a dead letter, and the people are told.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Item is one accepted message at its place in a session.
type Item struct {
	Session string
	Seq     int64
	Scope   tools.Scope // for whom and where, as it was when the message came
	Message channels.Inbound

	ReceivedAt time.Time
	Stopped    bool // a person asked to stop it
	Withdrawn  bool // it was taken back before its turn began
	// Preview is the message that shows the answer in the making, if one was posted.
	Preview channels.MessageID
	// Heard is what people said to each other before, the last of it, and Omitted how much more there was.
	Heard   []channels.Inbound
	Omitted int
}

// Busy is a session that has something queued or running, and whose messages those are.
type Busy struct {
	Session string
	Agent   string
	Since   time.Time // when what runs was received
	Senders []Sender  // the first is that of what runs
}

// Sender is a person whose message waits or runs.
type Sender struct {
	Person string // id; empty when nobody knows
	Name   string // for showing
}

// Outcome says how a turn ended.
type Outcome string

// Outcomes of turns.
const (
	Answered Outcome = "answered"
	Stopped  Outcome = "stopped" // by a person
	Failed   Outcome = "failed"  // the people were told why
	Dead     Outcome = "dead"    // given up after several attempts; the people were told
	// Withdrawn is one that never began, because its message was taken back.
	Withdrawn Outcome = "withdrawn"
)

// End is everything that the end of a turn writes, in one transaction.
type End struct {
	Through int64 // all items up to this number are done
	Outcome Outcome
	Entries []session.Entry
	Out     []channels.Outbound
	Used    *Used // nil: nothing
}

// Turn is one turn to be worked.
type Turn struct {
	Item     *Item
	Attempts int  // 1 for the first
	Dead     bool // too many attempts: only say so
	Log      session.Log
	// Steer gives the messages that came after number after and may be taken into this turn.
	Steer func(ctx context.Context, after int64) ([]*Item, error)
	// Previewed keeps which message shows the answer in the making.
	Previewed func(ctx context.Context, id channels.MessageID) error
}

// Handler works one turn. Its ctx ends with the cause ErrStopped when a person stops it; it still returns an End then.
// An error means that the turn is tried again later.
type Handler func(ctx context.Context, t *Turn) (*End, error)

// ErrStopped is the cause with which a turn's ctx ends when a person stops it.
var ErrStopped = errors.New("stopped by a person")

// ErrUnreadable means that a stored message cannot be read; trying again is useless.
var ErrUnreadable = errors.New("unreadable message")

// Store keeps items. Writes that take a lease fail with lane.ErrFenced when it is old.
type Store interface {
	lane.Store
	Intake
	// Item loads one item. An album that waits for parts is not there yet: the error is a *lane.Later then.
	Item(ctx context.Context, sessionID string, seq int64) (*Item, error)
	// After lists the items that wait after number seq, in order, at most limit, and up to the first that cannot be
	// read: that one gets its own turn.
	After(ctx context.Context, sessionID string, seq int64, limit int) ([]*Item, error)
	// Finish writes the end of a turn, advances l and posts end.Out. If the conversation was idle and outOwner is not
	// empty, outOwner gets the lease to send.
	Finish(ctx context.Context, l *lane.Lease, end *End, outOwner string) (*lane.Lease, error)
	// Stop marks what is being worked in a session, and with all what waits too, and tells the owner wherever it runs.
	// It returns how many items it marked and how many still wait unmarked.
	Stop(ctx context.Context, sessionID string, all bool) (stopped, waiting int, err error)
	// Previewed keeps which message shows the answer in the making to the head of a lane.
	Previewed(ctx context.Context, l *lane.Lease, id channels.MessageID) error
	// Ended tells whether the turn of a message has ended.
	Ended(ctx context.Context, sessionID string, seq int64) (bool, error)
	// Log is the history of the lease's session, written under its fence.
	Log(l lane.Lease) session.Log
}

// Config is what an Inbox needs.
type Config struct {
	Store   Store
	Handler Handler
	Out     *lane.Engine // sends what turns post
	Owner   func() string
	Log     *slog.Logger

	Slots    int // turns worked at once; 64
	Waiting  int // messages that wait in one session; 100
	Attempts int // after so many a turn is a dead letter; 5
}

// Inbox accepts messages and works them.
type Inbox struct {
	cfg    Config
	engine *lane.Engine
}

const (
	steerLimit    = 50               // waiting messages that one step of a run takes in
	finishTimeout = 10 * time.Second // for writing the end of a turn, whose own ctx may be done
)

// New makes an Inbox that accepts at once and works once its Engine runs.
func New(cfg Config) *Inbox {
	if cfg.Attempts == 0 {
		cfg.Attempts = 5
	}
	if cfg.Waiting == 0 {
		cfg.Waiting = 100
	}
	b := &Inbox{cfg: cfg}
	b.engine = lane.New(lane.Config{
		Store: cfg.Store, Work: b.work, Owner: cfg.Owner, Log: cfg.Log, Slots: cfg.Slots,
	})
	return b
}

// Engine works the sessions.
func (b *Inbox) Engine() *lane.Engine { return b.engine }

// Stop ends what runs in a session, wherever that is, and with all drops what waits. It never waits in the queue.
func (b *Inbox) Stop(ctx context.Context, sessionID string, all bool) (stopped, waiting int, err error) {
	stopped, waiting, err = b.cfg.Store.Stop(ctx, sessionID, all)
	if err != nil {
		return 0, 0, fmt.Errorf("stop session: %w", err)
	}
	if stopped > 0 {
		b.engine.Cancel(sessionID, ErrStopped)
	}
	return stopped, waiting, nil
}

// Ended tells whether the turn of a message has ended; one that was never there has.
func (b *Inbox) Ended(ctx context.Context, sessionID string, seq int64) (bool, error) {
	ended, err := b.cfg.Store.Ended(ctx, sessionID, seq)
	if err != nil {
		return false, fmt.Errorf("ask whether a turn has ended: %w", err)
	}
	return ended, nil
}

// work does the message at the head of a session.
func (b *Inbox) work(ctx context.Context, l *lane.Lease) error {
	it, err := b.cfg.Store.Item(ctx, l.ID, l.Done+1)
	if errors.Is(err, ErrUnreadable) {
		b.cfg.Log.Error("message given up", "session", l.ID, "err", err)
		return b.finish(ctx, l, &End{Through: l.Done + 1, Outcome: Dead})
	}
	if later, ok := errors.AsType[*lane.Later](err); ok {
		return later
	}
	if err != nil {
		return fmt.Errorf("load message: %w", err)
	}
	if it.Withdrawn {
		return b.finish(ctx, l, &End{Through: it.Seq, Outcome: Withdrawn})
	}
	end, err := b.cfg.Handler(ctx, &Turn{
		Item: it, Attempts: l.Attempts, Dead: l.Attempts > b.cfg.Attempts, Log: b.cfg.Store.Log(*l),
		Steer: func(ctx context.Context, after int64) ([]*Item, error) {
			return b.cfg.Store.After(ctx, l.ID, after, steerLimit)
		},
		Previewed: func(ctx context.Context, id channels.MessageID) error { return b.cfg.Store.Previewed(ctx, l, id) },
	})
	if err != nil {
		return err
	}
	if end.Outcome == Stopped && !it.Stopped {
		if err := b.meant(ctx, it); err != nil {
			return err
		}
	}
	if err := b.finish(ctx, l, end); err != nil {
		b.cfg.Log.Error("the end of a turn is not written", "session", l.ID, "err", err)
		return StoreFailed(it, err)
	}
	return nil
}

// storePatience is for how long failures of the database are not the message's fault. After that they count as
// attempts: what cannot be written may be at fault itself.
const storePatience = time.Hour

// StoreFailed makes an error of the database, met while it was worked, one that does not count against the message. The
// longer that goes on, the longer the waits.
func StoreFailed(it *Item, err error) error {
	age := time.Since(it.ReceivedAt)
	if errors.Is(err, lane.ErrFenced) || age > storePatience {
		return err
	}
	return &lane.Later{After: min(max(age/4, 2*time.Second), 5*time.Minute), Err: err}
}

// meant asks whether a stop was for this message. The one it was for may have ended by itself just before, so that the
// stop met the next in line: that one is worked again, from its log.
func (b *Inbox) meant(ctx context.Context, it *Item) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	now, err := b.cfg.Store.Item(ctx, it.Session, it.Seq)
	if err != nil {
		return fmt.Errorf("load stopped message: %w", err)
	}
	if !now.Stopped {
		return &lane.Later{Err: errors.New("the stop was for the message before")}
	}
	return nil
}

// finish writes the end of a turn and sees to it that what it says is sent. The end of a turn that was stopped is
// written too.
func (b *Inbox) finish(ctx context.Context, l *lane.Lease, end *End) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	var slot *lane.Slot
	if len(end.Out) > 0 {
		slot = b.cfg.Out.Reserve()
	}
	out, err := b.cfg.Store.Finish(ctx, l, end, slot.Owner())
	slot.Use(out)
	if err != nil {
		return fmt.Errorf("end turn: %w", err)
	}
	if out == nil && len(end.Out) > 0 {
		b.cfg.Out.Wake()
	}
	return nil
}
