package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
)

// appendLimit bounds one write to the log. Writes go on when the run is cancelled: a cancelled write may or may not
// have happened, and what a tool did must not be forgotten.
const appendLimit = 10 * time.Second

// journal is a run's view of the session's log: what is stored and what is still pending.
type journal struct {
	log     session.Log
	turn    int64
	entries []session.Entry // live ones, in order; the first stored of them are in the log
	stored  int
	failed  bool // a write failed, so it is not known what is stored

	hide func(string) string // takes secrets out of what is kept
}

// open loads the log and adds those of the input that it does not have.
func (j *journal) open(ctx context.Context, input []session.Entry) error {
	loaded, err := j.log.Load(ctx)
	if err != nil {
		j.entries = slices.Clone(input)
		return fmt.Errorf("load session: %w", err)
	}
	j.entries = session.Live(loaded)
	j.stored = len(j.entries)
	known := map[int64]bool{}
	for i := range loaded {
		known[loaded[i].Source] = true
	}
	for _, e := range input {
		if e.Source == 0 && !j.begun() || e.Source != 0 && !known[e.Source] {
			j.add(0, e)
		}
	}
	return nil
}

// begun tells whether the log had entries of this turn when it was opened: an earlier run of it was cut off.
func (j *journal) begun() bool {
	return slices.ContainsFunc(j.entries[:j.stored], func(e session.Entry) bool { return e.Turn == j.turn })
}

func (j *journal) add(step int, entries ...session.Entry) {
	for _, e := range entries {
		e.Turn, e.Step = j.turn, step
		e.Message = hidden(e.Message, j.hide)
		if e.At.IsZero() {
			e.At = time.Now()
		}
		j.entries = append(j.entries, e)
	}
}

// hidden is a message without secrets. What a model thought stays as it is: it is shown to nobody, and signed.
func hidden(m llm.Message, hide func(string) string) llm.Message {
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		p := &m.Parts[i]
		p.Text = hide(p.Text)
		if p.Result != nil {
			result := *p.Result
			result.Text = hide(result.Text)
			p.Result = &result
		}
	}
	return m
}

// flush makes what is pending durable.
func (j *journal) flush(ctx context.Context) error {
	if j.stored == len(j.entries) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendLimit)
	defer cancel()
	if err := j.log.Append(ctx, j.entries[j.stored:]); err != nil {
		j.failed = true
		return fmt.Errorf("store the session: %w", err)
	}
	j.stored = len(j.entries)
	return nil
}

// pending is what the caller has to store. After a failed write it is only what people wrote: a message that is stored
// twice is told once, while a step of the model would be told twice.
func (j *journal) pending() []session.Entry {
	rest := slices.Clone(j.entries[j.stored:])
	if j.failed {
		rest = slices.DeleteFunc(rest, func(e session.Entry) bool { return e.Source == 0 })
		for i := range rest {
			rest[i].Seq = 0
		}
	}
	return rest
}

// current are the entries of this turn, a summary that was made in it among them.
func (j *journal) current() []session.Entry {
	return slices.DeleteFunc(slices.Clone(j.entries), func(e session.Entry) bool { return e.Turn != j.turn })
}

// older is the Seq of the newest stored entry of an earlier turn; 0 if there is none.
func (j *journal) older() int64 {
	var seq int64
	for i := range j.entries {
		if e := &j.entries[i]; e.Turn != j.turn {
			seq = max(seq, e.Seq)
		}
	}
	return seq
}

// latest is the Seq of the newest stored entry.
func (j *journal) latest() int64 {
	var seq int64
	for i := range j.entries {
		seq = max(seq, j.entries[i].Seq)
	}
	return seq
}

// lastAnswer is the newest answer of the model in this turn and what came after it; nil if there is none.
func (j *journal) lastAnswer() []session.Entry {
	current := j.current()
	for i, e := range slices.Backward(current) {
		if e.Kind == session.KindMessage && e.Message.Role == llm.Assistant {
			return current[i:]
		}
	}
	return nil
}
