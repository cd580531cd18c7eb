package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/tools"
)

// run is the state of one run of a turn.
type run struct {
	runner  *Runner
	req     *Request
	spec    *Spec
	model   llm.Provider
	plan    *tools.Plan
	prompt  llm.Request // what all requests of the run have in common
	journal journal
	reply   *Reply
	repeats repeats
	asked   []string // what people wrote in this turn, word for word
	shown   bool     // text was shown since the last reset
	empty   bool     // the answer before this step was empty
	cut     int      // answers in a row in which every call was cut off
}

func newRun(r *Runner, req *Request, spec *Spec) *run {
	return &run{
		runner:  r,
		req:     req,
		spec:    spec,
		model:   spec.model(req.Scope.Model),
		journal: journal{log: req.Log, turn: req.Turn, hide: r.cfg.Hide},
		reply:   &Reply{},
	}
}

// work is the turn: prepare, finish what a crash left undone, then one step after the other.
func (run *run) work(ctx context.Context) error {
	if err := run.open(ctx); err != nil {
		return err
	}
	if err := run.prepare(ctx); err != nil {
		return err
	}
	if answered, err := run.resume(ctx); answered || err != nil {
		return err
	}
	for {
		if answered, err := run.step(ctx); answered || err != nil {
			return err
		}
	}
}

// open reads the log and takes the input in.
func (run *run) open(ctx context.Context) error {
	err := run.journal.open(ctx, run.req.Input)
	for i := range run.req.Input {
		run.took(&run.req.Input[i])
	}
	if err != nil {
		return err
	}
	for _, e := range run.journal.current() {
		run.reply.Steps = max(run.reply.Steps, e.Step)
		run.reply.Files = append(run.reply.Files, e.Files...)
		if e.Source > run.reply.Through { // taken in by a run that was cut off
			run.took(&e)
		}
	}
	return nil
}

// prepare decides on the tools and writes the system prompt. Both stay the same for the whole run.
func (run *run) prepare(ctx context.Context) error {
	scope, cfg := run.req.Scope, &run.runner.cfg
	plan, err := cfg.Planner.Plan(ctx, scope)
	if err != nil {
		return err
	}
	run.plan = plan
	var blocks []string
	for _, section := range cfg.Sections {
		text, err := section.Render(ctx, &Briefing{Spec: run.spec, Scope: scope, Plan: plan})
		if err != nil {
			return fmt.Errorf("write the system prompt: %w", err)
		}
		if text = strings.TrimSpace(text); text != "" {
			blocks = append(blocks, text)
		}
	}
	run.prompt = llm.Request{System: strings.Join(blocks, "\n\n"), MaxTokens: run.spec.MaxOutput}
	for i := range run.plan.Visible {
		d := &run.plan.Visible[i].Descriptor
		run.prompt.Tools = append(run.prompt.Tools, llm.Tool{Name: d.Name, Description: d.Description, Input: d.Input})
	}
	return nil
}

// step is one model call and the tool calls it asks for. It tells whether the turn has its answer.
func (run *run) step(ctx context.Context) (answered bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err := run.steer(ctx); err != nil {
		return false, err
	}
	if len(run.journal.entries) == 0 {
		return false, errors.New("run the turn: there is no message to answer")
	}
	last := run.mustEnd()
	if last {
		run.sayLast()
	}
	if err := run.fit(ctx); err != nil {
		return false, err
	}
	answer, err := run.generate(ctx, last)
	if err != nil {
		return false, err
	}
	run.reply.Steps++
	return run.take(ctx, answer, last)
}

// steer takes in what people wrote meanwhile.
func (run *run) steer(ctx context.Context) error {
	if run.req.Steer == nil {
		return nil
	}
	entries, err := run.req.Steer(ctx, run.reply.Through)
	if err != nil {
		return fmt.Errorf("take in new messages: %w", err)
	}
	taken := false
	for i := range entries {
		if e := &entries[i]; e.Source > run.reply.Through {
			run.journal.add(run.reply.Steps, *e)
			run.took(e)
			taken = true
		}
	}
	if taken { // from now on everybody sees that they belong to this turn
		return run.journal.flush(ctx)
	}
	return nil
}

func (run *run) took(e *session.Entry) {
	run.asked = append(run.asked, e.Message.Text())
	run.reply.Through = max(run.reply.Through, e.Source)
}

// mustEnd tells whether the next model call has to be the last one.
func (run *run) mustEnd() bool {
	const cutAnswers = 3
	return run.reply.Steps+1 >= run.spec.maxSteps() || run.repeats.hopeless() || run.cut >= cutAnswers
}

// sayLast asks the model for an answer without tools, once.
func (run *run) sayLast() {
	note := session.Note("This turn has to end here. Don't call tools. Answer now: say what is done, " +
		"what was found, and what is left to do.")
	if n := len(run.journal.entries); run.journal.entries[n-1].Message.Text() != note {
		run.journal.add(run.reply.Steps, session.Entry{Kind: session.KindMessage, Message: llm.UserText(note)})
	}
}

// finish completes the reply, after errors too.
func (run *run) finish() *Reply {
	run.reply.Pending = run.journal.pending()
	return run.reply
}

func (run *run) emit(e Event) {
	if run.req.Observe != nil {
		run.req.Observe(e)
	}
}
