package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/leadhand/leadhand/channels"
)

const (
	pollSeconds  = 50               // how long the server holds a poll open; more it does not take
	pollLimit    = 100              // updates in one answer; more it does not give
	pollPatience = 15 * time.Second // beyond that, for the answer to come
	pollRetry    = 250 * time.Millisecond
	pollRetryMax = 30 * time.Second
	faultRetry   = 5 * time.Second // after a fault of the configuration, which nobody mends in a second
	confirmTime  = time.Second
)

// poll receives updates until ctx is done. What was stored is confirmed with the next poll; what was not comes again.
func (c *Channel) poll(ctx context.Context, h channels.Handler) {
	in := newIntake(c, h)
	failures := 0
	for ctx.Err() == nil {
		updates, err := c.updates(ctx, in.next, pollSeconds)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			wait := c.complain(err, failures)
			failures++
			channels.Sleep(ctx, wait)
			if f, ok := errors.AsType[*failure](err); ok && f.hooked() {
				c.forgetHook(ctx)
			}
		case in.take(ctx, updates):
			failures = 0
		default: // what could not be stored is asked for again
			if in.stored > 0 { // the database works
				failures = 0
			}
			channels.Sleep(ctx, channels.Backoff(failures, pollRetry, pollRetryMax/4))
			failures++
		}
	}
	c.confirm(ctx, in.next)
}

func (c *Channel) updates(ctx context.Context, offset, seconds int) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+pollPatience)
	defer cancel()
	var updates []json.RawMessage
	err := c.api.call(ctx, "getUpdates", params{
		"offset": strconv.Itoa(offset), "limit": strconv.Itoa(pollLimit), "timeout": strconv.Itoa(seconds),
		"allowed_updates": allowedUpdates,
	}, &updates)
	return updates, err
}

// confirm tells the server at the end what was stored, so that the next start is not given it again.
func (c *Channel) confirm(ctx context.Context, offset int) {
	if offset == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), confirmTime)
	defer cancel()
	err := c.api.call(ctx, "getUpdates", params{
		"offset": strconv.Itoa(offset), "limit": "1", "timeout": "0", "allowed_updates": allowedUpdates,
	}, nil)
	if err != nil {
		c.env.Log.Debug("confirm updates at the end", "err", err)
	}
}

// complain logs why the server can't be talked to and returns how long to wait.
func (c *Channel) complain(err error, failures int) time.Duration {
	wait := channels.Backoff(failures, pollRetry, pollRetryMax)
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{}
	}
	if f.retryAfter > 0 {
		wait = f.retryAfter
	}
	words := "Telegram can't be reached"
	switch f.code {
	case http.StatusUnauthorized, http.StatusNotFound:
		words, wait = "Telegram does not know this bot token", max(wait, faultRetry)
	case http.StatusConflict:
		words, wait = "another program receives with this bot token", max(wait, faultRetry)
		if f.hooked() {
			words = "a webhook is set for this bot: remove it, or receive through it"
		}
	case http.StatusTooManyRequests:
		words = "Telegram asked to wait"
	}
	c.env.Log.Error(words, "again_in", wait, "err", err)
	return wait
}
