package terminal

import (
	"context"

	"github.com/leadhand/leadhand/channels"
)

// previewStream feeds one preview that the screen shows. It only posts events: drawing is the screen's own affair,
// so a fast writer never waits for a slow terminal.
type previewStream struct {
	screen *screen
	id     channels.MessageID
}

// Show posts the newest draft over an older one that the screen hasn't looked at yet.
func (p *previewStream) Show(_ context.Context, d channels.Draft) error {
	p.screen.events.replace(draft{id: p.id, Draft: d}, func(newest any) bool {
		old, ok := newest.(draft)
		return ok && old.id == p.id
	})
	return nil
}

// Close ends the preview. What it showed stays until the answer comes in its place.
func (p *previewStream) Close(context.Context) (channels.MessageID, error) {
	p.screen.events.put(closed{id: p.id})
	return p.id, nil
}

// unseen is the preview where there is no screen.
type unseen struct{}

func (unseen) Show(context.Context, channels.Draft) error        { return nil }
func (unseen) Close(context.Context) (channels.MessageID, error) { return "", nil }
