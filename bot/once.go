package bot

import (
	"context"

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
