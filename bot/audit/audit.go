// Package audit keeps what was done in whose name: every call of a tool and every refusal, every change that people
// made by words, every code that was used.
package audit

import (
	"context"
	"log/slog"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Kind is what sort of thing was done.
type Kind string

// Kinds.
const (
	Tool Kind = "tool" // an agent called one
	Word Kind = "word" // a person told the program something
	Code Kind = "code" // a person used a code
)

// Outcome is what came of it.
type Outcome string

// Outcomes.
const (
	Done    Outcome = "done"
	Failed  Outcome = "failed"
	Refused Outcome = "refused"
)

// Entry is one thing that was done, or refused.
type Entry struct {
	At           time.Time // set by the store
	Kind         Kind
	Person       string // id of the person in whose name it was done
	Agent        string // empty when a person did it
	Session      string
	Conversation channels.Conversation
	What         string // the tool, or the words
	Outcome      Outcome
	Detail       string // without secrets
}

// Query is what is looked for; empty fields are all.
type Query struct {
	Since   time.Time
	Person  string
	Outcome Outcome
	// At is where it was done; with an empty topic the chat with all its topics, without a chat everywhere.
	At    channels.Conversation
	Limit int
}

// Store keeps entries.
type Store interface {
	Record(ctx context.Context, tenant string, e *Entry) error
	// Find lists the newest first.
	Find(ctx context.Context, tenant string, q Query) ([]Entry, error)
}

// Log writes entries.
type Log struct {
	Tenant string
	Store  Store
	Hide   func(string) string // takes secrets out
	Log    *slog.Logger
}

const (
	recordTime    = 5 * time.Second // for one entry; it is written although what it is about was stopped
	longestWhat   = 200             // characters
	longestDetail = 600
)

// Record keeps an entry. What can't be kept is logged: what was done is done.
func (l *Log) Record(ctx context.Context, e *Entry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	e.What, e.Detail = cut(l.Hide(e.What), longestWhat), cut(l.Hide(e.Detail), longestDetail)
	if err := l.Store.Record(ctx, l.Tenant, e); err != nil {
		l.Log.Error("an entry of the audit is lost", "kind", e.Kind, "what", e.What, "outcome", e.Outcome, "user", e.Person,
			"session", e.Session, "err", err)
	}
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// After keeps every call with its arguments, and why one failed or was refused.
func (l *Log) After(ctx context.Context, call *tools.Call, r *tools.Result) {
	s := &call.Scope
	e := &Entry{
		Kind: Tool, Person: s.User, Agent: s.Agent, Session: s.Session, Conversation: s.Conversation, What: call.Name,
		Outcome: Done, Detail: string(call.Args),
	}
	switch {
	case call.Tool == nil:
		e.Outcome, e.Detail = Refused, r.ForModel
	case r.IsError:
		e.Outcome = Failed
		e.Detail = cut(e.Detail, longestDetail/2) + " → " + r.ForModel
	}
	l.Record(ctx, e)
}
