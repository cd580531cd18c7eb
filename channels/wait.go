package channels

import (
	"context"
	"time"
)

// Backoff is how long to wait before the next try, where attempts counts the failures before the last one. It doubles
// from low to high.
func Backoff(attempts int, low, high time.Duration) time.Duration {
	return min(low<<min(attempts, 20), high)
}

// Sleep waits until d is over or ctx is done.
func Sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
