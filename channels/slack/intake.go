package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// delivery is one thing that Slack hands over, whatever way it came.
type delivery struct {
	kind     string
	payload  []byte
	patience time.Duration // how long to try to store it
}

// How long to try to store a message. Slack waits three seconds for an acknowledgement; what it delivers again keeps
// its place in the lane meanwhile.
const (
	ackPatience   = 1500 * time.Millisecond
	eventPatience = 30 * time.Second
)

// job is what is to be done about a delivery.
type job struct {
	lane string
	do   func(ctx context.Context) (reply, error)
}

// reply acknowledges a delivery.
type reply struct {
	payload any                       // what Slack is told; nil for nothing
	after   func(ctx context.Context) // goes on behind the acknowledgement; may be nil
}

const sorry = "I could not keep this just now. Please try again in a moment."

var errIncomplete = errors.New("it lacks a channel, a person or an id")

// job reads a delivery. One that can't be read is logged and acknowledged: it would come again for ever.
func (c *Channel) job(r *running, d delivery) job {
	var j job
	var err error
	switch d.kind {
	case kindEvent:
		j, err = c.eventJob(r, d)
	case kindCommand:
		j, err = c.commandJob(r, d)
	case kindInteraction:
		j, err = c.interactionJob(r, d)
	default:
		err = fmt.Errorf("of the unknown kind %q", c.api.hide(d.kind))
	}
	if err != nil {
		c.leaveOut(d.kind, err)
		return job{}
	}
	return j
}

// leaveOut logs what is acknowledged without anything done, each reason once.
func (c *Channel) leaveOut(kind string, why error) {
	text := "a delivery of Slack is left out"
	if _, again := c.told.LoadOrStore(kind+": "+why.Error(), true); !again {
		c.env.Log.Info(text, "kind", kind, "err", why)
	}
}

// run does a job. A panic is an error of this delivery alone.
func (c *Channel) run(ctx context.Context, j job) (answer reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.env.Log.Error("a delivery is left out: it broke the program", "err", fmt.Sprint(v))
			answer, err = reply{}, nil
		}
	}()
	if j.do == nil {
		return reply{}, nil
	}
	return j.do(ctx)
}

// goOn does what follows an acknowledgement.
func (c *Channel) goOn(r *running, answer reply) {
	if answer.after == nil || !r.begin() {
		return
	}
	go func() {
		defer r.tasks.Done()
		ctx, cancel := r.bound(context.Background())
		defer cancel()
		_, _ = c.run(ctx, job{do: func(ctx context.Context) (reply, error) {
			answer.after(ctx)
			return reply{}, nil
		}})
	}()
}

// store hands a message over, again while that fails and patience lasts.
func (c *Channel) store(ctx context.Context, r *running, in *channels.Inbound, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for failures := 0; ; failures++ {
		err := r.handle(ctx, in)
		if err == nil || ctx.Err() != nil {
			return err
		}
		wait := channels.Backoff(failures, c.pace.store, 2*time.Second)
		if time.Now().Add(wait).After(deadline) {
			c.env.Log.Error("a message is not stored", "message", in.EventKey, "err", c.hideVia(in, err))
			return err
		}
		c.env.Log.Warn("a message is not stored yet", "message", in.EventKey, "again_in", wait, "err", c.hideVia(in, err))
		channels.Sleep(ctx, wait)
	}
}

// hideVia is an error without the message's response URL, which is a secret.
func (c *Channel) hideVia(in *channels.Inbound, err error) string {
	text := c.api.hide(err.Error())
	if _, url, ok := cutLast(in.Via, " "); ok && url != "" {
		text = strings.ReplaceAll(text, url, "(secret)")
	}
	return text
}

// cutLast cuts a text around the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// eventJob is about something that happened.
func (c *Channel) eventJob(r *running, d delivery) (job, error) {
	cb, err := decode[callback](d.payload)
	if err != nil {
		return job{}, err
	}
	if cb.Type != "" && cb.Type != "event_callback" {
		return job{}, fmt.Errorf("of the unknown type %q", c.api.hide(cb.Type))
	}
	switch k := kind(cb.Event); k {
	case "message", "app_mention":
		m, err := decodeEvent[message](k, cb)
		if err != nil {
			return job{}, err
		}
		return c.messageJob(r, d, cb, m), nil
	case "app_home_opened":
		e, err := decodeEvent[homeOpened](k, cb)
		return behind(func(ctx context.Context) { c.showHome(ctx, e) }), err
	case "assistant_thread_started":
		e, err := decodeEvent[assistantStarted](k, cb)
		return behind(func(ctx context.Context) { c.suggest(ctx, e) }), err
	case "agent_session_stopped":
		e, err := decodeEvent[sessionStopped](k, cb)
		if err != nil {
			return job{}, err
		}
		return c.stopJob(r, d, cb, e)
	case "member_joined_channel":
		e, err := decodeEvent[joined](k, cb)
		if err != nil {
			return job{}, err
		}
		return c.joinedJob(cb, e)
	case "agent_session_title_changed", "app_context_changed", "assistant_thread_context_changed":
		return job{}, nil // nothing depends on these
	default:
		return job{}, fmt.Errorf("an event of type %q", c.api.hide(k))
	}
}

// decodeEvent reads an event.
func decodeEvent[T any](kind string, cb *callback) (*T, error) {
	e, err := decode[T](cb.Event)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return e, nil
}

// messageJob is about what was written, changed or taken back.
func (c *Channel) messageJob(r *running, d delivery, cb *callback, m *message) job {
	return job{m.Channel, func(ctx context.Context) (reply, error) {
		in, err := c.incoming(ctx, cb, m)
		if errors.Is(err, errIncomplete) {
			c.leaveOut(m.Type, err)
			return reply{}, nil
		}
		if err != nil && ctx.Err() == nil {
			c.env.Log.Error("a message is not taken yet", "message", m.TS, "err", err)
		}
		if in == nil || err != nil {
			return reply{}, err
		}
		return reply{}, c.store(ctx, r, in, d.patience)
	}}
}

// behind is a job that is acknowledged at once.
func behind(after func(ctx context.Context)) job {
	return job{"", func(context.Context) (reply, error) { return reply{after: after}, nil }}
}
