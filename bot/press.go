package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// Revision is the state of an object that buttons are about, by its id. It is another one after each change that makes
// the buttons shown before out of date.
type Revision func(ctx context.Context, id string) (int64, error)

// Words about presses that do nothing.
const (
	wordsNoButton = "This button does not work any more."
	wordsChanged  = "This has changed since the button was shown, so I did nothing."
	wordsNotYours = "This button is for somebody else, so I did nothing."
)

// press gives the command of a pressed button, once. Everything is decided by what was kept of the button and by who
// presses it; who posted it, and what else the press says, does not count.
func (r *Router) press(ctx context.Context, in *channels.Inbound) error {
	return r.once(ctx, in, func(ctx context.Context, in *channels.Inbound) error {
		b, at, err := r.cfg.Buttons.Kept(ctx, r.cfg.Tenant, in.Action.Token)
		if err != nil {
			return err
		}
		if b == nil || at != in.Conversation {
			return r.whisper(ctx, in, wordsNoButton)
		}
		if len(b.Guard.Actors) > 0 && !slices.Contains(b.Guard.Actors, in.Sender.ID) {
			return r.whisper(ctx, in, wordsNotYours)
		}
		if changed, err := r.changed(ctx, b.Guard); err != nil {
			return err
		} else if changed {
			return r.whisper(ctx, in, wordsChanged)
		}
		if in.Command = commandOf(b, in.Action); in.Command == nil {
			return r.whisper(ctx, in, wordsNoButton)
		}
		return r.run(ctx, in)
	})
}

// changed tells whether what a button is about is no more as it was when the button was shown. What nobody knows has
// changed.
func (r *Router) changed(ctx context.Context, g channels.Guard) (bool, error) {
	if g.Object == "" {
		return false, nil
	}
	kind, id, _ := strings.Cut(g.Object, ":")
	revision, known := r.cfg.Revisions[kind]
	if !known {
		return true, nil
	}
	now, err := revision(ctx, id)
	if err != nil {
		return false, fmt.Errorf("look at what a button is about: %w", err)
	}
	return now != g.Revision, nil
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

// aboutTurn makes a button one about a turn that runs.
func aboutTurn(session string, seq int64) channels.Guard {
	return channels.Guard{Object: fmt.Sprintf("%s:%s/%d", turnObject, session, seq)}
}

// turnRevision is 0 while a turn has not ended, and 1 then.
func turnRevision(ended func(ctx context.Context, session string, seq int64) (bool, error)) Revision {
	return func(ctx context.Context, id string) (int64, error) {
		session, number, _ := strings.Cut(id, "/")
		seq, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 1, nil //nolint:nilerr // a turn that can't be has ended
		}
		over, err := ended(ctx, session, seq)
		if over {
			return 1, err
		}
		return 0, err
	}
}
