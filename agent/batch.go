package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/tools"
)

// Results of calls that a stop kept from ending.
const (
	stoppedBefore = "stopped by a person before this ran"
	stoppedDuring = "stopped by a person while this ran; it may have happened. Check before doing it again."
)

// batch are the calls of one answer on their way to results. Every result is durable before a later call that is not
// read-only begins.
type batch struct {
	run      *run
	calls    []*llm.Call
	known    []*tools.Result // by call: a result that needs no execution; else nil
	recorded int             // calls that have their result in the journal
	begun    int             // calls that were announced as begun
}

// add appends a call. A known result, if not nil, stands for its execution.
func (b *batch) add(call *llm.Call, known *tools.Result) {
	if known == nil && b.run.repeats.tooOften(call) {
		known = tools.Failure("%s", refusedRepeat)
	}
	b.calls = append(b.calls, call)
	b.known = append(b.known, known)
}

// execute runs the calls. When ctx is done it returns its cause, with a result for every call in the journal.
func (b *batch) execute(ctx context.Context) error {
	var calls []*tools.Call
	var at []int // by call to execute: its index in the batch
	for i, c := range b.calls {
		if b.known[i] == nil {
			at = append(at, i)
			calls = append(calls, &tools.Call{
				ID: c.ID, Name: c.Name, Args: json.RawMessage(c.Args), Scope: b.run.req.Scope,
			})
		}
	}
	if err := b.recordKnown(ctx); err != nil {
		return err
	}
	if len(calls) > 0 {
		b.announce()
		err := b.run.runner.cfg.Pipeline.Run(ctx, b.run.plan, calls, func(i int, r *tools.Result) error {
			return b.done(ctx, at[i], r)
		})
		if err != nil {
			b.abandon()
			return err
		}
	}
	return nil
}

// done takes the result of the call at index i.
func (b *batch) done(ctx context.Context, i int, r *tools.Result) error {
	call := b.calls[i]
	effect := tools.Mutating
	if b.run.readOnly(call.Name) {
		effect = tools.ReadOnly
	}
	times := b.run.repeats.add(call, resultKey(r), effect)
	told := *r
	if times >= nudgeAt {
		told.ForModel += repeatNudge
	}
	if err := b.record(ctx, &told); err != nil {
		return err
	}
	if err := b.recordKnown(ctx); err != nil {
		return err
	}
	b.announce()
	return nil
}

// recordKnown stores the known results up to the next call that is to be executed. That one must not begin before: a
// crash in it would find a call before it without a result, and take it for not begun.
func (b *batch) recordKnown(ctx context.Context) error {
	for b.recorded < len(b.calls) && b.known[b.recorded] != nil {
		r := b.known[b.recorded]
		if r.ForModel == refusedRepeat {
			b.run.repeats.refused(b.calls[b.recorded])
		}
		if err := b.record(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// record makes the result of the next call durable.
func (b *batch) record(ctx context.Context, r *tools.Result) error {
	call := b.calls[b.recorded]
	b.run.journal.add(b.run.reply.Steps, resultEntries(call, r)...)
	b.run.reply.Files = append(b.run.reply.Files, r.Files...)
	b.recorded++
	if err := b.run.journal.flush(ctx); err != nil {
		return err
	}
	if b.known[b.recorded-1] == nil {
		b.run.emit(b.event(EventToolEnd, call, r.IsError))
	}
	return nil
}

// abandon gives the calls that will have no result one that says so.
func (b *batch) abandon() {
	for i := b.recorded; i < len(b.calls); i++ {
		text := stoppedBefore
		switch {
		case b.known[i] != nil:
			text = b.known[i].ForModel
		case i < b.begun && !b.run.readOnly(b.calls[i].Name):
			text = stoppedDuring
		}
		b.run.journal.add(b.run.reply.Steps, resultEntries(b.calls[i], tools.Failure("%s", text))...)
	}
}

// announce tells which calls begin when all that were announced have ended: the next one, or neighbouring read-only
// ones.
func (b *batch) announce() {
	if b.recorded < b.begun {
		return
	}
	together := false
	for i := b.recorded; i < len(b.calls); i++ {
		if b.known[i] != nil {
			continue
		}
		harmless := b.run.readOnly(b.calls[i].Name)
		if b.begun > b.recorded && (!together || !harmless) {
			return
		}
		together = harmless
		b.begun = i + 1
		b.run.emit(b.event(EventToolStart, b.calls[i], false))
	}
}

func (b *batch) event(kind EventKind, call *llm.Call, failed bool) Event {
	label := call.Name
	if t, err := b.run.plan.Lookup(call.Name); err == nil && t.Label != "" {
		label = t.Label
	}
	return Event{Kind: kind, Tool: call.Name, Label: label, IsError: failed}
}

// resultEntries are a result for the log. Pictures follow as a user message: not every provider takes them in results.
func resultEntries(call *llm.Call, r *tools.Result) []session.Entry {
	result := &llm.Result{CallID: call.ID, Name: call.Name, Text: session.Clean(r.ForModel), IsError: r.IsError}
	entries := []session.Entry{{
		Kind:    session.KindMessage,
		Message: llm.Message{Role: llm.ToolRole, Parts: []llm.Part{{Result: result}}},
		Files:   r.Files,
	}}
	var parts []llm.Part
	for i := range r.Images {
		name := r.Images[i].Name
		picture, err := session.Picture(name, r.Images[i].Data)
		if err != nil {
			note := fmt.Sprintf("The image %q from %s can't be shown: %v.", name, call.Name, err)
			parts = append(parts, llm.Part{Text: session.Note(session.Clean(note))})
			continue
		}
		note := fmt.Sprintf("Image from %s: %s", call.Name, picture.Name)
		parts = append(parts, llm.Part{Text: session.Note(note)}, llm.Part{Image: picture})
	}
	if len(parts) > 0 {
		images := session.Entry{Kind: session.KindMessage, Message: llm.Message{Role: llm.User, Parts: parts}}
		entries = append(entries, images)
	}
	return entries
}
