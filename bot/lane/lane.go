// Package lane works ordered queues that are kept in the database.
//
// A lane is one queue: a session's messages, or a conversation's sends. Its state is one row: the number of the last
// item accepted, the number of the last item done, and who has the lease. An item is done iff its number is not above
// the row's; nothing else can contradict that. A lane is worked by one owner at a time, in order. Every claim raises
// the lane's fence, and every write of a worker names its fence, so an owner that was declared dead but still runs
// changes nothing. Lanes of one kind are worked in parallel by one [Engine].
//
// bot/inbox and bot/outbox are the two kinds.
package lane

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Lease is the right to work one lane, and what its row said when that was last written.
type Lease struct {
	ID       string // of the lane
	Owner    string
	Fence    int64
	Last     int64 // number of the last item accepted
	Done     int64 // number of the last item done; Done+1 is at the head
	Attempts int   // how often the head was claimed without getting done, this claim included
	Begun    bool  // the transaction that posted the head already marked it as being worked
}

// Idle tells whether nothing was left when the lease was last written; the row was released with that write.
func (l *Lease) Idle() bool { return l.Done >= l.Last }

// ErrFenced is returned by every write that names an old fence: another owner has the lane.
var ErrFenced = errors.New("another owner has the lane")

// ErrStopping is the cause with which a worker's ctx ends when the process must stop now.
var ErrStopping = errors.New("the program is stopping")

// ErrLost is the cause with which workers' ctx end when this process was declared dead by the others.
var ErrLost = errors.New("this process lost its membership")

// Later is an error that asks to try the head again after a wait, without counting as a failed attempt.
type Later struct {
	After time.Duration
	Err   error
}

func (e *Later) Error() string { return fmt.Sprintf("again in %s: %v", e.After, e.Err) }
func (e *Later) Unwrap() error { return e.Err }

// Release says how a lease is given back.
type Release struct {
	After  time.Duration // nobody claims the lane before that
	Refund bool          // the claim does not count as an attempt
}

// Store keeps lanes of one kind. Times are the database's.
type Store interface {
	// Claim takes up to limit lanes that have something to do, nobody's lease and no wait, the longest ready first.
	Claim(ctx context.Context, owner string, limit int) ([]Lease, error)
	// Release gives a lane back. ErrFenced when it was not the caller's any more.
	Release(ctx context.Context, l Lease, how Release) error
	// Renew keeps leases alive. Those that are not the caller's any more are left alone.
	Renew(ctx context.Context, leases []Lease) error
	// NextReady is how long until a lane becomes claimable: 0 when one is now, negative when none waits.
	NextReady(ctx context.Context) (time.Duration, error)
}

// Work does the item at the head of a lane (number l.Done+1) and writes that into the lane's row and into l. Its ctx
// ends when the lane is cancelled, fenced or the process stops. After an error the head is tried again.
type Work func(ctx context.Context, l *Lease) error
