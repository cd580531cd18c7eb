package channels

import (
	"fmt"
	"time"
)

// Error is a failed Send with what the outbox needs to know about it.
type Error struct {
	Op string // what was being done: "send", "edit", "upload"
	// Terminal: trying again is useless (chat gone, bot removed, no right to write).
	Terminal bool
	// Gone: nothing can be shown in this conversation any more. Without it only this message is refused.
	Gone bool
	// NotTaken: the platform certainly did not take the message, as with a refusal. Otherwise it may have been shown.
	NotTaken bool
	// RetryAfter is the wait that the platform asked for; zero when it named none.
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Op, e.Err) }
func (e *Error) Unwrap() error { return e.Err }
