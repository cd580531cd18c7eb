package discord

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// failure is a request that had no success. It never holds a token.
type failure struct {
	op         string
	status     int // of HTTP; 0 when no answer came
	code       int // of Discord, more exact; 0 when there was none
	text       string
	retryAfter time.Duration
	written    bool  // without an answer: the request went out whole
	err        error // why the caller's ctx ended, if it did
}

func (f *failure) Error() string {
	switch {
	case f.status == 0:
		return f.op + ": " + f.text
	case f.code == 0:
		return fmt.Sprintf("%s: %d %s", f.op, f.status, f.text)
	}
	return fmt.Sprintf("%s: %d %s (%d)", f.op, f.status, f.text, f.code)
}

func (f *failure) Unwrap() error { return f.err }

func (f *failure) is(codes ...int) bool { return slices.Contains(codes, f.code) }

// asFailure is the failure in err; a failure of nothing when there is none.
func asFailure(err error) *failure {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return &failure{}
	}
	return f
}

// Codes of Discord.
const (
	unknownChannel    = 10003
	unknownGuild      = 10004
	unknownMessage    = 10008
	editsUsedUp       = 30046 // of a message that is older than an hour
	alreadyAnswered   = 40060
	requestTooLarge   = 40005
	missingAccess     = 50001
	notTheAuthor      = 50005
	emptyMessage      = 50006
	directClosed      = 50007
	missingPermission = 50013
	systemMessage     = 50021
	invalidForm       = 50035
	threadArchived    = 50083
	noHistory         = 160002 // to reply needs the right to read the history
	threadExists      = 160004
	tooManyThreads    = 160006
	tooManyAnnounced  = 160007 // in announcement channels
)

// What the answers mean for a message.

func (f *failure) uneditable() bool {
	return f.is(unknownMessage, notTheAuthor, editsUsedUp, systemMessage, threadArchived)
}

func (f *failure) badReference() bool {
	return f.is(noHistory) || f.is(invalidForm) && strings.Contains(f.text, "message_reference")
}

// badFiles tells whether a message may be taken without its files.
func (f *failure) badFiles() bool {
	return f.is(missingPermission, requestTooLarge) || f.status == http.StatusRequestEntityTooLarge
}

func (f *failure) badForm() bool { return f.is(invalidForm, emptyMessage) }

// gone tells whether nothing can be written into the channel any more.
func (f *failure) gone() bool {
	return f.is(unknownChannel, unknownGuild, missingAccess, directClosed, missingPermission, threadArchived)
}

// passing tells whether the fault is Discord's or the network's, and not what was asked for.
func (f *failure) passing() bool {
	return f.op != "" && (f.status == 0 || f.status == http.StatusTooManyRequests ||
		f.status == http.StatusUnauthorized || f.status >= http.StatusInternalServerError)
}

// fix tells an admin what to do about a failure, if anything.
func (f *failure) fix() string {
	switch f.code {
	case missingAccess:
		return "give the bot's role View Channel there"
	case missingPermission:
		return "give the bot's role Send Messages (in threads: Send Messages in Threads), Embed Links, Attach Files and " +
			"Read Message History there"
	}
	return ""
}

// channelError tells the outbox what to make of a failed send.
func (f *failure) channelError(op string) *channels.Error {
	e := &channels.Error{Op: op, RetryAfter: f.retryAfter, Err: f}
	switch {
	case f.status == 0:
		e.NotTaken = !f.written
	case f.status == http.StatusTooManyRequests, f.status == http.StatusUnauthorized:
		e.NotTaken = true
	case f.status >= http.StatusInternalServerError, f.status < http.StatusBadRequest:
	case f.code == 0 && f.status != http.StatusRequestEntityTooLarge: // something before Discord refused
		e.NotTaken = true
	default:
		e.NotTaken, e.Terminal, e.Gone = true, true, f.gone()
	}
	return e
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}
