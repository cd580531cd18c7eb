// Package session is what one agent remembers of one conversation.
//
// A session is an append-only [Log] of entries. [History] turns it into the messages of a request: always complete tool
// pairs, whatever a crash left behind, and the same bytes every time, because providers cache a prompt by its prefix.
// When the log outgrows the model's window, [Cut] says what to replace by a summary; nothing is ever deleted.
package session

import (
	"context"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/channels"
)

// Kind says what an entry does. It is a storage format.
type Kind string

const (
	// KindMessage adds its Message to the history.
	KindMessage Kind = "message"
	// KindSummary puts its Message in the place of every entry whose Seq is not above Covers.
	KindSummary Kind = "summary"
	// KindStrip takes the images out of every entry whose Seq is not above Covers: a model refused them.
	KindStrip Kind = "strip"
)

// Entry is one step of a session.
type Entry struct {
	Seq  int64 `json:"seq"`            // place in the log, ascending; 0 until it is appended
	Turn int64 `json:"turn"`           // inbox number of the message that started the turn
	Step int   `json:"step,omitempty"` // the model call of the turn that it belongs to; 0 before the first
	// Source is the inbox number of the person's message that this entry holds; 0 for everything else.
	Source  int64       `json:"source,omitempty"`
	Kind    Kind        `json:"kind"`
	Covers  int64       `json:"covers,omitempty"` // see Kind
	Message llm.Message `json:"message"`
	// Files are what a tool made for people. They are sent with the turn's answer, and kept here so that an answer
	// given after a crash still has them; nobody needs them once the turn is over.
	Files []channels.Attachment `json:"files,omitempty"`
	At    time.Time             `json:"at"`
}

// Log keeps the entries of one session. It is bound to one owner of the session: once another owner took over, both
// methods fail. Any error ends the run that met it.
type Log interface {
	// Load gives the newest summary, if there is one, and every entry with a Seq above what it covers, by Seq.
	// Files of turns that are over may be left out.
	Load(ctx context.Context) ([]Entry, error)
	// Append stores all entries or none, and sets Seq in each. When it returns nil they are durable.
	Append(ctx context.Context, entries []Entry) error
}
