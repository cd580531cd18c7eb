package discord

import (
	"context"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Hurry lets nothing wait longer than it must.
func Hurry(ch channels.Channel) {
	ch.(*Channel).timing = timing{
		redial: 5 * time.Millisecond, fatal: 20 * time.Millisecond, retry: time.Millisecond, look: 5 * time.Millisecond,
		zombie: time.Minute, open: 30 * time.Second, answer: 30 * time.Second, via: 14 * time.Minute,
	}
}

// Distrust takes a connection for dead when heartbeats were not answered for a time, or when it takes as long to make.
func Distrust(ch channels.Channel, d time.Duration) {
	ch.(*Channel).timing.zombie, ch.(*Channel).timing.open = d, d
}

// Guard is what stops calls after the token was refused.
func Guard() (left func() time.Duration, answered func(refused bool)) {
	g := &guard{}
	return g.left, g.answered
}

// Waits counts attempts to connect that fail: it tells how long to wait after each, and whether the session is ended.
func Waits() func(err error, ready bool, lasted time.Duration) (time.Duration, bool) {
	s := streak{timing: defaultTiming}
	return func(err error, ready bool, lasted time.Duration) (time.Duration, bool) {
		return s.failed(err, ready, lasted), s.renew(err)
	}
}

// Deliver hands one event of the gateway over and waits until all is done about it.
func Deliver(ctx context.Context, ch channels.Channel, kind string, raw []byte, h channels.Handler) {
	in := newIntake(ch.(*Channel), h)
	in.event(ctx, kind, raw)
	in.finish()
}

// Format renders Markdown in texts of at most limit characters.
func Format(markdown string, limit int) []string { return format(markdown, limit) }

// Slow lets failed jobs wait between attempts.
func Slow(ch channels.Channel) { ch.(*Channel).timing.retry = 2 * time.Second }

// Expire lets the right to answer interactions end after a time.
func Expire(ch channels.Channel, d time.Duration) { ch.(*Channel).timing.via = d }
