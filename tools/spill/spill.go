// Package spill keeps what tools give too much of. The model is shown a preview with a ref, and reads the rest in parts
// with the tool read_output, also after a restart, for an hour.
package spill

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/leadhand/leadhand/tools"
)

// Bounds of what is kept.
const (
	Kept        = time.Hour
	MostOutputs = 50       // of one session; the oldest go
	MostBytes   = 16 << 20 // of one output; the rest is lost, and that is said
)

// Owner is whose an output is. Nobody else reads it.
type Owner struct{ Tenant, Session string }

func ownerOf(call *tools.Call) Owner { return Owner{call.Scope.Tenant, call.Scope.Session} }

// Output is what a tool gave, without secrets.
type Output struct {
	Ref  string // of letters and digits
	Kind Kind
	Text string
}

// Store keeps outputs.
type Store interface {
	Put(ctx context.Context, o Owner, out *Output) error
	// Get gives ErrGone for what is not kept, or not any more.
	Get(ctx context.Context, o Owner, ref string) (*Output, error)
}

// ErrGone is that an output is not kept, or not any more.
var ErrGone = errors.New("there is no such output any more: outputs are kept for an hour")

// Spiller keeps large results.
type Spiller struct {
	Store Store
	Limit int // characters that are shown as they are; 0: tools.DefaultLimit
	Log   *slog.Logger
}

// After is the tools.After that replaces a large result by a preview of it. What can't be kept is cut.
func (s *Spiller) After() tools.After {
	limit := s.Limit
	if limit <= 0 {
		limit = tools.DefaultLimit
	}
	cut := tools.Truncate(limit)
	return func(ctx context.Context, call *tools.Call, r *tools.Result) {
		total := utf8.RuneCountInString(r.ForModel)
		if total <= limit || call.Name == readOutput || !readable(call) {
			cut(ctx, call, r)
			return
		}
		out := &Output{Ref: rand.Text()[:refLength], Text: r.ForModel}
		lost := ""
		if len(out.Text) > MostBytes {
			out.Text = truncated(out.Text, MostBytes)
			lost = fmt.Sprintf(" Only its first %d MB are kept.", MostBytes>>20)
		}
		out.Kind = kindOf(out.Text)
		if err := s.Store.Put(ctx, ownerOf(call), out); err != nil {
			s.Log.ErrorContext(ctx, "keep a large output", "tool", call.Name, "session", call.Scope.Session, "err", err)
			cut(ctx, call, r)
			return
		}
		r.ForModel = fmt.Sprintf("[The output is large: %s, %d characters, %s. It is kept for an hour as ref %s: %s reads "+
			"it by lines, search%s or tail.%s This is a preview.]\n\n%s",
			out.Kind, total, lines(out.Text), out.Ref, readOutput, byPath(out.Kind), lost, preview(out))
	}
}

// readable tells whether the model could read what is kept.
func readable(call *tools.Call) bool {
	if call.Plan == nil {
		return false
	}
	_, err := call.Plan.Lookup(readOutput)
	return err == nil
}

const refLength = 10

func byPath(k Kind) string {
	if k == JSON || k == JSONLines {
		return ", path"
	}
	return ""
}

// truncated is the beginning of a text with at most n bytes.
func truncated(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
