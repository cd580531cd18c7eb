package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// Buttons keeps what buttons stand for: messengers are given tokens only.
type Buttons interface {
	// Keep gives the buttons of a message their tokens.
	Keep(ctx context.Context, tenant string, at channels.Conversation, rows [][]channels.Button) (
		kept [][]channels.Button, err error)
	// Kept is the button that has a token, and where it is shown; nil when there is none, or no more.
	Kept(ctx context.Context, tenant, token string) (*channels.Button, channels.Conversation, error)
}

// Revision is the state of an object that buttons are about, by its id.
type Revision func(ctx context.Context, id string) (State, error)

// State is a version of an object. It has another number after each change that makes the buttons shown before out of
// date; who made the last one, and when, is told to those who press such a button.
type State struct {
	Number int64
	By     string
	At     time.Time
}

// StateOf is the state of something that is decided once: number 0 while it is open, 1 from then on.
func StateOf(decision, by string, at time.Time) State {
	if decision == "" {
		return State{}
	}
	return State{Number: 1, By: by, At: at}
}

// Decided is the state of what nobody knows any more: nothing is left to decide.
func Decided() State { return State{Number: 1} }

// Words about presses that do nothing.
const (
	wordsNoButton  = "This button does not work any more."
	wordsChanged   = "This has changed since the button was shown, so I did nothing."
	wordsChangedBy = "%s decided this %s, so I did nothing."
	wordsNotYours  = "This button is for somebody else, so I did nothing."
)

// press gives the command of a pressed button, once. Everything is decided by what was kept of the button and by who
// presses it; who posted it, and what else the press says, does not count.
func (r *Router) press(ctx context.Context, v *visit) error {
	return r.once(ctx, v.in, func(ctx context.Context, in *channels.Inbound) error {
		b, at, err := r.cfg.Keep.Buttons.Kept(ctx, r.cfg.Tenant, in.Action.Token)
		if err != nil {
			return err
		}
		if b == nil || !stands(at, in.Conversation) {
			return r.say(ctx, in, wordsNoButton, in.Sender.ID)
		}
		in.Conversation = at
		if len(b.Guard.Actors) > 0 && !slices.Contains(b.Guard.Actors, in.Sender.ID) {
			return r.say(ctx, in, wordsNotYours, in.Sender.ID)
		}
		if words, err := r.changed(ctx, b.Guard, v.person); err != nil {
			return err
		} else if words != "" {
			return r.say(ctx, in, words, in.Sender.ID)
		}
		if in.Command = commandOf(b, in.Action); in.Command == nil {
			return r.say(ctx, in, wordsNoButton, in.Sender.ID)
		}
		return r.verb(ctx, v)
	})
}

// stands tells whether a button of a conversation may be pressed in another. Where a messenger can open no thread, what
// belongs into one stands in the chat around it.
func stands(of, pressed channels.Conversation) bool {
	around := of
	around.Topic = ""
	return pressed == of || pressed == around
}

// changed tells in words that what a button is about is no more as it was when the button was shown; empty when it is.
// What nobody knows has changed.
func (r *Router) changed(ctx context.Context, g channels.Guard, p *access.Person) (string, error) {
	if g.Object == "" {
		return "", nil
	}
	kind, id, _ := strings.Cut(g.Object, ":")
	revision, known := r.cfg.Revisions[kind]
	if !known {
		return wordsChanged, nil
	}
	now, err := revision(ctx, id)
	switch {
	case err != nil:
		return "", fmt.Errorf("look at what a button is about: %w", err)
	case now.Number == g.Revision, now.By != "" && now.By == p.Name: // the verb says so; it may be the same press again
		return "", nil
	case now.By != "":
		return fmt.Sprintf(wordsChangedBy, channels.Literal(now.By), ago(time.Since(now.At))), nil
	}
	return wordsChanged, nil
}

// ago is how long something is past, in words.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Count(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return Count(int(d.Hours()), "hour") + " ago"
	}
	return Count(int(d.Hours()/24), "day") + " ago"
}

// commandOf is the command that a press gives; nil when the button has no such option.
func commandOf(b *channels.Button, a *channels.Action) *channels.Command {
	cmd := b.Command
	more := a.Answer
	if len(b.Options) > 0 {
		if a.Choice < 1 || a.Choice > len(b.Options) {
			return nil
		}
		more = b.Options[a.Choice-1].Value
	}
	cmd.Args = strings.TrimSpace(cmd.Args + " " + more)
	return &cmd
}

// turnObject is the kind of turns as what buttons are about; their id is session and number.
const turnObject = "turn"

// longestTurn is how long a button about a turn works. Each preview has one, so they must not be kept for long.
const longestTurn = 24 * time.Hour

// aboutTurn makes a button one about a turn that runs.
func aboutTurn(session string, seq int64) channels.Guard {
	return channels.Guard{
		Object: fmt.Sprintf("%s:%s/%d", turnObject, session, seq), Expires: time.Now().Add(longestTurn),
	}
}

// turnRevision is number 0 while a turn has not ended, and 1 then.
func turnRevision(ended func(ctx context.Context, session string, seq int64) (bool, error)) Revision {
	return func(ctx context.Context, id string) (State, error) {
		session, number, _ := strings.Cut(id, "/")
		seq, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return State{Number: 1}, nil //nolint:nilerr // a turn that can't be has ended
		}
		over, err := ended(ctx, session, seq)
		if over {
			return State{Number: 1}, err
		}
		return State{}, err
	}
}
