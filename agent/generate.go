package agent

import (
	"context"
	"slices"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
)

// Notes about history that a provider refused.
const (
	setAsideNote = "The conversation before this point was set aside: the model's provider refused it."
	emptyNudge   = "Your answer was empty. Answer the last message in words, or call a tool."
)

// remedies is what was tried against the errors of one model call.
type remedies struct {
	shortened int
	stripped  bool
	narrowed  bool
	marks     []session.Entry // go into the log only if the call then succeeds
}

// generate is one model call. A request that the provider refuses is mended: one wrong picture or tool pair in the
// history must not end the session for good. Passing errors are the business of the provider's own retry.
func (run *run) generate(ctx context.Context, last bool) (*llm.Answer, error) {
	var tried remedies
	for {
		req := run.request(tried.marks, last)
		answer, err := run.ask(ctx, req)
		if err == nil {
			run.journal.add(run.reply.Steps, tried.marks...)
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		run.runner.cfg.Log.WarnContext(ctx, "model call failed", "session", run.req.Scope.Session, "err", err)
		again, failure := run.mend(ctx, &tried, req, llm.ReasonOf(err))
		if failure != nil {
			return nil, failure
		}
		if !again {
			return nil, err
		}
	}
}

// request is the next request: the history as it would be with the marks.
func (run *run) request(marks []session.Entry, last bool) *llm.Request {
	req := run.prompt
	req.NoTools = last
	req.Messages = session.History(slices.Concat(run.journal.entries, marks))
	if run.empty {
		req.Messages = append(req.Messages, llm.UserText(session.Note(emptyNudge)))
	}
	return &req
}

func (run *run) ask(ctx context.Context, req *llm.Request) (*llm.Answer, error) {
	run.resetText()
	answer, err := llm.Collect(ctx, run.model, req, func(c *llm.Chunk) {
		if c.Reset {
			run.resetText()
		}
		if c.Text != "" {
			run.shown = true
			run.emit(Event{Kind: EventText, Text: c.Text})
		}
	})
	if err != nil {
		return nil, err
	}
	run.counted(req, answer)
	return answer, nil
}

func (run *run) resetText() {
	if run.shown {
		run.shown = false
		run.emit(Event{Kind: EventReset})
	}
}

func (run *run) counted(req *llm.Request, answer *llm.Answer) {
	run.reply.Usage = run.reply.Usage.Add(answer.Usage)
	run.runner.tokens.Learn(run.model.Name(), req, answer.Usage)
}

// mend finds the next remedy for a failed request. It tells whether the call is worth another try.
func (run *run) mend(ctx context.Context, tried *remedies, req *llm.Request, why llm.Reason) (again bool, err error) {
	const shortenings = 2
	switch {
	case why == llm.TooLong && tried.shortened < shortenings:
		*tried = remedies{shortened: tried.shortened + 1} // what was marked may now be in the summary
		return run.shorten(ctx, run.tokens(req), tried.shortened == shortenings)
	case why != llm.Rejected:
		return false, nil
	}
	if err := run.journal.flush(ctx); err != nil { // marks name entries by their place in the log
		return false, err
	}
	older := run.journal.older()
	switch {
	case !tried.stripped && session.HasImages(req.Messages):
		tried.stripped = true
		tried.marks = append(tried.marks, session.Entry{Kind: session.KindStrip, Covers: run.journal.latest()})
	case !tried.narrowed && older > 0:
		tried.narrowed = true
		tried.marks = append(tried.marks, session.Entry{
			Kind: session.KindSummary, Covers: older, Message: llm.UserText(session.Note(setAsideNote)),
		})
	default:
		return false, nil
	}
	return true, nil
}
