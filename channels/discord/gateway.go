package discord

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels"
)

const (
	redialMax = 30 * time.Second
	shortMax  = 2 * time.Minute // between sessions that end soon: a bot may open 1000 a day
	fatalMax  = 5 * time.Minute
	soon      = time.Minute // a connection that lasts longer was a good one
	resumes   = 3           // attempts to resume a session before a new one is begun
)

// Close codes of the gateway.
const (
	wrongToken        = 4004
	invalidSequence   = 4007
	sessionTimedOut   = 4009
	firstConfigFault  = 4010 // of shards, version and intents, which a person has to mend
	invalidIntents    = 4013
	disallowedIntents = 4014
)

// listen keeps the gateway open until ctx is done.
func (c *Channel) listen(ctx context.Context, in *intake) {
	var l *link
	defer func() {
		if l != nil {
			l.close()
		}
	}()
	s := streak{timing: c.timing}
	for ctx.Err() == nil {
		if l == nil {
			var err error
			if l, err = c.newLink(func(kind string, raw []byte) { in.event(ctx, kind, raw) }); err != nil {
				c.env.Log.Error("the gateway can't be used", "err", err)
				return
			}
		}
		opened := time.Now()
		ready, err := c.connected(ctx, l)
		if ctx.Err() != nil {
			if errors.Is(err, errStuck) { // it can't be ended
				l = nil
			}
			return
		}
		wait := s.failed(err, ready, time.Since(opened))
		c.complain(ctx, err, wait)
		if s.renew(err) {
			l.abandon(err)
			l = nil
		}
		channels.Sleep(ctx, wait)
	}
}

// connected has one connection: it returns when that has ended, and tells whether it was of use.
func (c *Channel) connected(ctx context.Context, l *link) (ready bool, err error) {
	if err := l.open(ctx); err != nil {
		return false, err
	}
	lost := make(chan error, 1)
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go func() { lost <- l.wait(waiting) }()
	patience := time.NewTimer(c.timing.open)
	defer patience.Stop()
	for {
		select {
		case err := <-lost:
			return ready, err
		case <-l.ready:
			if c.me.Load() == nil { // it could not be read
				l.cut()
				continue
			}
			ready = true
			c.told.over(aboutGateway)
			c.env.Log.Info("connected to Discord", "bot", c.me.Load().user)
		case <-patience.C:
			if !ready {
				l.cut()
			}
		}
	}
}

// abandon ends what must not be used any more. A stuck session can't be ended.
func (l *link) abandon(err error) {
	if errors.Is(err, errStuck) {
		return
	}
	l.close()
}

// streak counts attempts that fail one after the other.
type streak struct {
	timing  timing
	fails   int // connections that did not last
	fatal   int // of them, those that a person has to mend
	unready int // attempts to resume that came to nothing
}

// failed tells how long to wait before the next attempt.
func (s *streak) failed(err error, ready bool, lasted time.Duration) time.Duration {
	code := closeCode(err)
	if code != 0 || errors.Is(err, errEnded) { // without a network there is nothing wrong with the session
		s.unready++
	}
	if ready {
		s.unready, s.fatal = 0, 0
		if lasted > soon {
			s.fails = 0
			return 0
		}
	}
	s.fails++
	if limited, ok := errors.AsType[*discordgo.RateLimitError](err); ok {
		return max(limited.RetryAfter, s.timing.redial)
	}
	switch {
	case fatal(code):
		s.fatal++
		return channels.Backoff(s.fatal-1, s.timing.fatal, fatalMax)
	case ready || code != 0:
		return channels.Backoff(s.fails-1, s.timing.redial, shortMax)
	}
	return channels.Backoff(s.fails-1, s.timing.redial, redialMax)
}

// renew tells whether a new session must be begun.
func (s *streak) renew(err error) bool {
	code := closeCode(err)
	if errors.Is(err, errStuck) || fatal(code) || code == invalidSequence || code == sessionTimedOut ||
		s.unready >= resumes {
		s.unready = 0
		return true
	}
	return false
}

// closeCode is the code with which Discord closed a connection; 0 when it did not.
func closeCode(err error) int {
	if e, ok := errors.AsType[*websocket.CloseError](err); ok {
		return e.Code
	}
	return 0
}

func fatal(code int) bool {
	return code == wrongToken || code >= firstConfigFault && code <= disallowedIntents
}

// complain logs why the gateway is not open, and tells whoever runs the bot what only a person can mend.
func (c *Channel) complain(ctx context.Context, err error, wait time.Duration) {
	words, fix := "Discord can't be reached", ""
	switch code := closeCode(err); {
	case errors.Is(err, errEnded):
		c.env.Log.Info("the connection to Discord ended", "again_in", wait)
		return
	case errors.Is(err, errZombie):
		words = "Discord does not answer any more"
	case code == wrongToken:
		words = "Discord does not know this bot token"
		fix = "reset it in the developer portal under Bot, Reset Token, and set bot_token"
	case code == disallowedIntents:
		words = "Discord does not let this bot read messages"
		fix = "switch on Message Content Intent in the developer portal under Bot, Privileged Gateway Intents"
	case fatal(code):
		words = fmt.Sprintf("Discord refuses this kind of connection (code %d)", code)
		fix = "the bot is in too many servers for one connection, or this version of the program is too old"
		if code == invalidIntents {
			fix = "this version of the program is too old"
		}
	}
	if fix == "" {
		c.env.Log.Error(words, "again_in", wait, "err", c.api.hide(err.Error()))
		return
	}
	c.env.Log.Error(words+": "+fix, "again_in", wait, "err", c.api.hide(err.Error()))
	c.notice(ctx, aboutGateway, fmt.Sprintf("The channel %s does not work. %s: %s.", c.name, words, fix))
}
