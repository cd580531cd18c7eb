// Package agent is the loop of an agent: ask the model, run the tools it asks for, until it answers.
//
// A [Runner] works one turn of one session at a time and keeps no state between turns: everything it knows comes from
// the session's log, and every model answer and tool result is durable there before the next tool begins. A run that
// was cut off by a crash is therefore simply run again with the same [Request].
package agent

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Config is what a Runner works with. Specs, Planner and Pipeline are required.
type Config struct {
	// Specs finds an agent by name at the start of each run.
	Specs    func(name string) (*Spec, bool)
	Sections []Section
	Planner  *tools.Planner
	Pipeline *tools.Pipeline
	Hide     func(string) string // takes secrets out of what is kept and shown; nil leaves all as it is
	Log      *slog.Logger        // nil discards
}

// Runner runs turns. It is safe for concurrent use with different sessions.
type Runner struct {
	cfg    Config
	tokens *session.Estimator
}

// NewRunner makes a Runner.
func NewRunner(cfg Config) *Runner {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Hide == nil {
		cfg.Hide = func(s string) string { return s }
	}
	return &Runner{cfg: cfg, tokens: session.NewEstimator()}
}

// Request is one turn to run.
type Request struct {
	Scope tools.Scope
	Turn  int64 // inbox number of the message that starts the turn; the same again after a crash
	Log   session.Log
	// Input holds the message or messages that start the turn, Source set. Those that the log already has are skipped.
	Input []session.Entry
	// Steer gives the messages with a Source above after that came meanwhile and belong to this run. It is asked
	// before each model call. Nil: nothing is taken in. Its error ends the run.
	Steer func(ctx context.Context, after int64) ([]session.Entry, error)
	// Observe, if not nil, is told what happens, from the goroutine that called Run. It must not block.
	Observe func(Event)
}

// Reply is what a run gave.
type Reply struct {
	Text  string // Markdown; never empty unless Run failed
	Files []channels.Attachment
	Usage llm.Usage // of this run, without what was used before a crash
	Steps int       // model calls of the turn, with those before a crash
	// Pending are the entries that are not in the log yet, the answer among them. The caller appends them in the
	// transaction that ends the turn.
	Pending []session.Entry
	// Through is the highest Source taken into the run; messages up to it need no turn of their own.
	Through int64
}

// Run works one turn. The Reply is never nil: after an error Pending holds what was not stored, the person's message
// among it, with every tool pair complete, so that storing it leaves a valid history. An error of the log ends the run
// at once; then Pending holds only the people's messages, because the rest may or may not have been stored.
//
// When ctx is done, Run returns context.Cause(ctx) as soon as the tools let go; calls that had no result by then have
// one in Pending that says they were stopped.
func (r *Runner) Run(ctx context.Context, req *Request) (*Reply, error) {
	spec, ok := r.cfg.Specs(req.Scope.Agent)
	if !ok {
		return &Reply{Pending: req.Input}, fmt.Errorf("run the turn: there is no agent %q", req.Scope.Agent)
	}
	run := newRun(r, req, spec)
	err := run.work(ctx)
	if err != nil && ctx.Err() != nil && !run.journal.failed {
		err = context.Cause(ctx)
	}
	return run.finish(), err
}
