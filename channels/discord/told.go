package discord

import (
	"context"
	"sync"
)

// Subjects of what is told.
const (
	aboutGateway = "gateway"  // what keeps it closed
	aboutRights  = "rights "  // with a channel: what is missing there
	aboutPlace   = "place "   // with a channel: that it is not seen
	aboutThreads = "threads " // with a channel: that none can be opened there
)

// told is what was said already, so that it is not said again and again. The zero value is ready to use.
type told struct {
	mu       sync.Mutex
	subjects map[string]bool
}

// maxTold bounds what is remembered.
const maxTold = 1000

// first tells whether nothing was said about a subject yet.
func (t *told) first(subject string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.subjects[subject] {
		return false
	}
	if t.subjects == nil || len(t.subjects) >= maxTold {
		t.subjects = map[string]bool{}
	}
	t.subjects[subject] = true
	return true
}

// over forgets a subject: it is mended.
func (t *told) over(subject string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.subjects, subject)
}

// notice tells whoever runs the bot once about a subject.
func (c *Channel) notice(ctx context.Context, subject, text string) {
	if c.told.first(subject) && c.env.Notice != nil {
		c.env.Notice(ctx, text)
	}
}
