// Package outbox delivers what the bot says.
//
// Messages to send are rows, written in the same transaction as what caused them. Each conversation is a lane of its
// own (see bot/lane): its messages go out in order, and one conversation that is slow or rate-limited never delays
// another. A failed send is tried again with the platform's own waits; what finally cannot be delivered is kept, and
// somebody is told. Nothing is dropped silently.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/channels"
)

// Row is one message to send.
type Row struct {
	Seq      int64
	Tenant   string
	Session  string // whose turn said it; empty for words of the program itself
	Message  channels.Outbound
	Attempts int // 1 for the first
	// Unsure: an earlier attempt may have succeeded, or shown one part more.
	Unsure bool
	Parts  int // delivered, of a message that its channel delivers in several
	Age    time.Duration
}

// Store keeps messages to send. Writes that take a lease fail with lane.ErrFenced when it is old.
type Store interface {
	lane.Store
	// Post adds messages of one conversation in order. A message whose key was posted before is left out. If the
	// conversation was idle and owner is not empty, owner gets the lease.
	Post(ctx context.Context, tenant, session string, ms []channels.Outbound, owner string) (*lane.Lease, error)
	// Begin loads the message at the head and marks it as being sent. With ErrUnreadable it still gives a Row, without
	// the message.
	Begin(ctx context.Context, l *lane.Lease) (*Row, error)
	// Delivered keeps how many parts of the head are delivered.
	Delivered(ctx context.Context, l *lane.Lease, r *Row, parts int) error
	// Sent marks the head as delivered and advances l.
	Sent(ctx context.Context, l *lane.Lease, r *Row, id channels.MessageID) error
	// Defer keeps the head for another attempt. unsure: this attempt may have succeeded.
	Defer(ctx context.Context, l *lane.Lease, r *Row, unsure bool, why string) error
	// Bury gives the head up, keeps it with the reason, and advances l.
	Bury(ctx context.Context, l *lane.Lease, r *Row, why string) error
}

// ErrUnreadable means that a stored message cannot be read; trying again is useless.
var ErrUnreadable = errors.New("unreadable message")

// Config is what an Outbox needs.
type Config struct {
	Store  Store
	Sender func(channel string) (channels.Channel, bool) // by instance name
	Owner  func() string
	// Undeliverable is told of every message that was given up; it may be nil.
	Undeliverable func(ctx context.Context, r *Row, err error)
	// Hide takes secrets out of every text; nil leaves all as it is.
	Hide        func(string) string
	Log         *slog.Logger
	Slots       int           // conversations sent to at once; 64
	GiveUp      time.Duration // age after which a message that keeps failing is given up; 24 h
	SendTimeout time.Duration // for one attempt; 60 s
}

// Outbox sends messages.
type Outbox struct {
	cfg    Config
	engine *lane.Engine
}

// New makes an Outbox that takes messages at once and sends them once its Engine runs.
func New(cfg Config) *Outbox {
	if cfg.GiveUp == 0 {
		cfg.GiveUp = 24 * time.Hour
	}
	if cfg.SendTimeout == 0 {
		cfg.SendTimeout = time.Minute
	}
	o := &Outbox{cfg: cfg}
	o.engine = lane.New(lane.Config{
		Store: cfg.Store, Work: o.work, Owner: cfg.Owner, Log: cfg.Log, Slots: cfg.Slots, Grace: time.Second,
	})
	return o
}

// Engine works the conversations.
func (o *Outbox) Engine() *lane.Engine { return o.engine }

// Sending tells whether this process has something to send in a conversation.
func (o *Outbox) Sending(c channels.Conversation) bool { return o.engine.Working(c.String()) }

// Post takes messages of one conversation to be sent in order; when it returns nil they are durable.
func (o *Outbox) Post(ctx context.Context, tenant, session string, ms ...channels.Outbound) error {
	if o.cfg.Hide != nil {
		hidden := make([]channels.Outbound, len(ms))
		for i := range ms {
			hidden[i] = ms[i].Rewrite(o.cfg.Hide)
		}
		ms = hidden
	}
	slot := o.engine.Reserve()
	l, err := o.cfg.Store.Post(ctx, tenant, session, ms, slot.Owner())
	slot.Use(l)
	if err != nil {
		return fmt.Errorf("post message: %w", err)
	}
	if l == nil {
		o.engine.Wake()
	}
	return nil
}

// work sends the message at the head of a conversation.
func (o *Outbox) work(ctx context.Context, l *lane.Lease) error {
	r, err := o.cfg.Store.Begin(ctx, l)
	if errors.Is(err, ErrUnreadable) {
		return o.failed(ctx, l, r, &channels.Error{Op: "load", Terminal: true, Err: err})
	}
	if err != nil {
		return fmt.Errorf("load message to send: %w", err)
	}
	ch, ok := o.cfg.Sender(r.Message.Conversation.Channel)
	if !ok {
		return o.failed(ctx, l, r, &channels.Error{Op: "send", Terminal: true, Err: errors.New("no such channel")})
	}
	r.Message.Attempt = channels.Attempt{Parts: r.Parts, Unsure: r.Unsure}
	r.Message.Attempt.Delivered = func(ctx context.Context, parts int) error {
		r.Parts, r.Unsure = parts, false // whether the next part was shown is known again
		return o.cfg.Store.Delivered(ctx, l, r, parts)
	}
	sctx, cancel := context.WithTimeout(ctx, o.cfg.SendTimeout)
	id, err := ch.Send(sctx, &r.Message)
	cancel()
	if err != nil {
		return o.failed(ctx, l, r, err)
	}
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	return o.cfg.Store.Sent(keep, l, r, id)
}

// keepTimeout is for writing what became of an attempt, whose own ctx may be done.
const keepTimeout = 10 * time.Second

// failed decides whether and when the head is tried again.
func (o *Outbox) failed(ctx context.Context, l *lane.Lease, r *Row, err error) error {
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	ce, known := errors.AsType[*channels.Error](err)
	if known && ce.Terminal || r.Age > o.cfg.GiveUp && ctx.Err() == nil {
		o.cfg.Log.Error("message cannot be delivered", "channel", r.Message.Conversation.Channel,
			"to", r.Message.Conversation.String(), "key", r.Message.Key, "session", r.Session, "attempts", r.Attempts,
			"err", err)
		if err := o.cfg.Store.Bury(keep, l, r, err.Error()); err != nil {
			return err
		}
		if o.cfg.Undeliverable != nil {
			o.cfg.Undeliverable(keep, r, err)
		}
		return nil
	}
	unsure := !known || !ce.NotTaken
	if derr := o.cfg.Store.Defer(keep, l, r, unsure, err.Error()); derr != nil {
		return derr
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	wait := backoff(r.Attempts)
	if known && ce.RetryAfter > 0 {
		wait = ce.RetryAfter
	}
	o.cfg.Log.Warn("send failed", "channel", r.Message.Conversation.Channel, "to", r.Message.Conversation.String(),
		"session", r.Session,
		"attempt", r.Attempts, "again_in", wait, "err", err)
	return &lane.Later{After: wait, Err: err}
}

// backoff doubles from half a second to a minute.
func backoff(attempts int) time.Duration {
	return min(250*time.Millisecond<<min(attempts, 10), time.Minute)
}
