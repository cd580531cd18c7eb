package llm

import (
	"errors"
	"fmt"
	"time"
)

// Reason is the kind of a model failure: what a person may be told and what a decorator may do about it.
type Reason string

// Reasons of failures.
const (
	Unreachable Reason = "unreachable" // no connection, a broken stream, a timeout
	Overloaded  Reason = "overloaded"  // 429, 500, 502, 503, 529
	Auth        Reason = "auth"        // 401, 403, no credit
	TooLong     Reason = "too long"    // the request exceeds the model's window
	Rejected    Reason = "rejected"    // any other 4xx: the request itself is at fault
	BadAnswer   Reason = "bad answer"  // the provider answered with something unreadable or empty
)

// Error is a failed generation.
type Error struct {
	Provider   string // Provider.Name
	Reason     Reason
	Status     int           // HTTP status; 0 if there was none
	RetryAfter time.Duration // what the provider asked for; 0 if nothing
	Err        error         // never holds a key or a URL with one
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s: %s (%d): %v", e.Provider, e.Reason, e.Status, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Provider, e.Reason, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable tells whether the same request may succeed a little later.
func (e *Error) Retryable() bool {
	return e.Reason == Unreachable || e.Reason == Overloaded || e.Reason == BadAnswer
}

// ReasonOf is the reason of the *Error in err's chain; empty if there is none.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}
