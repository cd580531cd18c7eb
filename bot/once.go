package bot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// once does what a command or a press asks for, once: one that is delivered again after it was done is dropped, and one
// that is delivered twice at the same time waits for the other.
func (r *Router) once(
	ctx context.Context, in *channels.Inbound, do func(ctx context.Context, in *channels.Inbound) error,
) error {
	channel := in.Conversation.Channel
	_, err, _ := r.doing.Do(channel+"/"+in.EventKey, func() (any, error) {
		for _, key := range []string{in.EventKey, in.Revises} { // changing a command does not give it again
			if done, err := r.cfg.Keep.Commands.Done(ctx, channel, key); err != nil || done {
				return nil, err
			}
		}
		if err := do(ctx, in); err != nil {
			return nil, err
		}
		return nil, r.cfg.Keep.Commands.Finish(ctx, channel, in.EventKey)
	})
	return err
}

// StopWord is the verb that ends what runs.
const StopWord = "stop"

// DropWaiting is a button that drops what waits at a time. It is not meant for what may wait tomorrow.
func DropWaiting(now time.Time) channels.Button {
	return channels.Button{
		Text: "Drop what waits", Command: channels.Command{Name: StopWord, Args: "all"},
		Guard: channels.Guard{Expires: now.Add(time.Hour)},
	}
}

// Count is a number with what is counted: "1 message", "2 messages".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// oneLine makes a text that people chose safe inside a code span.
func oneLine(s string) string {
	s = strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(s)
	if r := []rune(s); len(r) > maxNamed {
		s = string(r[:maxNamed]) + "…"
	}
	return s
}

// maxNamed is how many characters of a name are shown.
const maxNamed = 60
