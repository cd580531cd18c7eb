package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"time"
)

// killer kills the bot and starts it again while people write.
type killer struct {
	bot      *bot
	done     *atomic.Int64 // messages that were answered
	finished <-chan struct{}
}

// run spreads the kills over the load and returns how many hit it.
func (k *killer) run(ctx context.Context, o options) (kills int, err error) {
	for i := range o.kills {
		k.await(ctx, int64(o.chats*o.messages)*int64(i)/int64(o.kills))
		select {
		case <-time.After(rand.N(100 * time.Millisecond)):
		case <-ctx.Done():
			return kills, ctx.Err()
		}
		k.bot.end(syscall.SIGKILL)
		select {
		case <-k.finished: // too late to matter; the bot is started all the same, to be stopped in order
		default:
			kills++
		}
		if err := k.bot.start(ctx); err != nil {
			return kills, fmt.Errorf("start after kill %d: %w", kills, err)
		}
	}
	return kills, nil
}

// await waits until so many messages are answered.
func (k *killer) await(ctx context.Context, due int64) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for k.done.Load() < due {
		select {
		case <-tick.C:
		case <-k.finished: // some were lost
			return
		case <-ctx.Done():
			return
		}
	}
}
