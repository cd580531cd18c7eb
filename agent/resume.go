package agent

import (
	"context"

	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/tools"
)

// resume goes on where an earlier run of the same turn was cut off. It tells whether that run had come to its answer.
func (run *run) resume(ctx context.Context) (answered bool, err error) {
	if !run.journal.begun() {
		return false, nil
	}
	for _, p := range session.Pairs(run.journal.current()) {
		if p.Result != nil {
			run.repeats.recall(p.Call, p.Result.Text)
		}
	}
	tail := run.journal.lastAnswer()
	if len(tail) == 0 {
		return false, nil
	}
	m := &tail[0].Message
	if len(m.Calls()) == 0 {
		if answered = len(tail) == 1; answered {
			run.reply.Text = answerText(m)
		}
		return answered, nil
	}
	b := batch{run: run}
	first := true // calls run in order and each result is stored before the next begins: only the first can have begun
	for _, p := range session.Pairs(tail) {
		if p.Result != nil {
			continue
		}
		var known *tools.Result
		if first && !run.readOnly(p.Call.Name) {
			known = tools.Failure("%s", session.Interrupted)
		}
		first = false
		b.add(p.Call, known)
	}
	return false, b.execute(ctx)
}

// readOnly tells whether a call of the tool may be run again. What is not offered any more may have been anything.
func (run *run) readOnly(name string) bool {
	t, err := run.plan.Lookup(name)
	return err == nil && t.Effect == tools.ReadOnly
}
