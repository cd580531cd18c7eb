package discord

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// intake keeps what the gateway delivered until it is stored. Discord does not deliver again, so what can't be stored
// is tried until it can, up to a bound. Channels are worked at the same time, each in order.
type intake struct {
	c      *Channel
	handle channels.Handler
	slots  chan struct{} // one for each channel that is worked at the same time
	gentle chan struct{} // one for each channel that is looked up at the same time: Discord takes 50 requests a second
	stored atomic.Int64  // jobs so far

	session

	work    sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	waiting map[string][]job // by channel; a channel is in it while it is worked
	total   int
	lost    int
}

// session is what the goroutine that reads the gateway knows.
type session struct {
	newest uint64            // message of all; at first where the last process may have stopped
	since  uint64            // what was known when the session began
	asked  map[string]uint64 // channels that were asked then what was missed
}

// job is something that was delivered and is to be stored.
type job struct {
	id string // of the message or the interaction
	do func(ctx context.Context) error
	// gentle jobs are done a few at a time, and not fast: nobody waits for them.
	gentle bool
	// said jobs keep what a person said: if that can't be, the person is told.
	said bool
}

const (
	channelsAtOnce = 32
	looksAtOnce    = 4
	gentleTime     = 200 * time.Millisecond // for two requests: 40 a second
	maxWaiting     = 1000                   // jobs of a channel
	maxTotal       = 20_000                 // jobs of all channels
	retryMax       = 8 * time.Second
	lossesBetween  = 100 // from one word about them to the next
	// giveUp is how often a job is tried while others are stored: then it is at fault, not the database.
	giveUp = 12
	// handover is how long no process may have been connected, for what was missed to be caught up on.
	handover = time.Minute
	idEpoch  = 1420070400000 // of ids: milliseconds since then, and 22 bits
	idTime   = 22
	slack    = 5000 // milliseconds; channels are not delivered in one order
	// lastWord is what is left for storing once ctx has ended.
	lastWord = time.Second
)

func newIntake(c *Channel, h channels.Handler) *intake {
	return &intake{
		c: c, handle: h, session: session{newest: idAt(time.Now().Add(-handover))},
		slots: make(chan struct{}, channelsAtOnce), gentle: make(chan struct{}, looksAtOnce), waiting: map[string][]job{},
	}
}

// add queues a job of a channel. When there is no room the oldest goes: people see that it was not answered, and more
// likely care about what they wrote last.
func (in *intake) add(ctx context.Context, channel string, j job) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return
	}
	q, worked := in.waiting[channel]
	if len(q) >= maxWaiting || in.total >= maxTotal {
		lost := j.id
		if len(q) > 0 {
			lost = q[0].id
			q = append(q[1:], j)
			in.waiting[channel] = q
		}
		if in.lost%lossesBetween == 0 {
			in.c.env.Log.Error("too much waits to be stored: what is oldest is lost", "chat", channel, "message", lost,
				"lost", in.lost+1)
		}
		in.lost++
		return
	}
	in.waiting[channel] = append(q, j)
	in.total++
	if !worked {
		in.work.Go(func() { in.channel(ctx, channel) })
	}
}

// spawn runs something that belongs to the connection and ends with ctx.
func (in *intake) spawn(f func()) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.closed {
		in.work.Go(f)
	}
}

// channel works the jobs of a channel until there are none.
func (in *intake) channel(ctx context.Context, channel string) {
	work, stop := linger(ctx, lastWord)
	defer stop()
	for {
		if work.Err() != nil {
			in.abandon(channel)
			return
		}
		j, ok := in.next(channel)
		if !ok {
			return
		}
		in.try(work, channel, j)
	}
}

// first queues jobs before all others of a channel that is worked.
func (in *intake) first(channel string, jobs []job) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting[channel] = append(jobs, in.waiting[channel]...)
	in.total += len(jobs)
}

func (in *intake) next(channel string) (job, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	q := in.waiting[channel]
	if len(q) == 0 {
		delete(in.waiting, channel)
		return job{}, false
	}
	in.waiting[channel] = q[1:]
	in.total--
	return q[0], true
}

// abandon gives up what waits in a channel: there is no time left.
func (in *intake) abandon(channel string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if n := len(in.waiting[channel]); n > 0 {
		in.c.env.Log.Error("messages are lost: they could not be stored before the end", "chat", channel, "lost", n)
		in.total -= n
	}
	delete(in.waiting, channel)
}

// try does a job until it is done, or nothing can be done about it.
func (in *intake) try(ctx context.Context, channel string, j job) {
	stored := in.stored.Load()
	for tries, failures := 0, 0; ; tries++ {
		err := in.once(ctx, j)
		f := asFailure(err)
		if err != nil && !f.passing() {
			failures++
		}
		switch {
		case err == nil:
			in.stored.Add(1)
			return
		case errors.Is(err, errUnseen):
			in.c.unseen(ctx, channel, err)
			return
		case ctx.Err() != nil:
			in.c.env.Log.Error("a message is lost: it could not be stored before the end", "chat", channel, "message", j.id)
			return
		case failures >= giveUp && in.stored.Load() > stored:
			in.refuse(ctx, channel, j, err)
			return
		}
		in.c.env.Log.Error("a message is not stored yet", "chat", channel, "message", j.id, "err", in.c.api.hide(err.Error()))
		channels.Sleep(ctx, max(f.retryAfter, channels.Backoff(tries, in.c.timing.retry, retryMax)))
	}
}

// once does a job. A panic is a fault of this job alone.
func (in *intake) once(ctx context.Context, j job) (err error) {
	if j.gentle {
		select {
		case in.gentle <- struct{}{}:
			begun := time.Now()
			defer func() {
				channels.Sleep(ctx, time.Until(begun.Add(gentleTime)))
				<-in.gentle
			}()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case in.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-in.slots }()
	defer func() {
		if v := recover(); v != nil {
			in.c.env.Log.Error("a message is left out: it broke the program", "message", j.id,
				"err", in.c.api.hide(fmt.Sprint(v)))
			err = nil
		}
	}()
	return j.do(ctx)
}

// refuse gives up what can't be stored, and says so where it was written.
func (in *intake) refuse(ctx context.Context, channel string, j job, why error) {
	in.c.env.Log.Error("a job is given up: it can't be done", "chat", channel, "message", j.id, "attempts", giveUp,
		"err", in.c.api.hide(why.Error()))
	if !j.said {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := in.c.Send(ctx, &channels.Outbound{
		Key: "refused/" + j.id, Conversation: channels.Conversation{Channel: in.c.name, Chat: channels.ChatID(channel)},
		ReplyTo: channels.MessageID(j.id),
		Text:    "I could not keep this message, so I did not read it. Please send it again in another way.",
	})
	if err != nil {
		in.c.env.Log.Error("tell that a message was given up", "err", err)
	}
}

// finish waits, once ctx has ended, until what was delivered is stored or its time is over.
func (in *intake) finish() {
	in.mu.Lock()
	in.closed = true
	in.mu.Unlock()
	in.work.Wait()
}

// linger is a context that ends some time after ctx.
func linger(ctx context.Context, d time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}
