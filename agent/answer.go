package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/tools"
)

// What people read when a model gives no proper answer.
const (
	cutNote      = "*(The answer ends here because it reached its length limit. Ask me to go on.)*"
	refusedNote  = "The model declined to answer this. Please put it another way."
	noAnswer     = "I have no answer to that. Please put it another way."
	onlyFiles    = "Here is what I made."
	stoppedShort = "I had to stop after %d steps without coming to an end. Ask me to go on."
)

const cutCall = "not run: the answer reached its length limit in the middle of this call. " +
	"Make the call shorter, for example by doing it in several smaller steps."

// take deals with one answer of the model. It tells whether it is the answer of the turn.
func (run *run) take(ctx context.Context, a *llm.Answer, last bool) (answered bool, err error) {
	m := hidden(cleanMessage(&a.Message), run.journal.hide)
	if last || a.Finish == llm.Refused {
		m.Parts = slices.DeleteFunc(m.Parts, func(p llm.Part) bool { return p.Call != nil })
	}
	if len(m.Calls()) > 0 {
		run.empty = false
		return false, run.act(ctx, m, a.Finish == llm.Length)
	}
	text := strings.TrimSpace(m.Text())
	switch {
	case a.Finish == llm.Refused:
		m = withoutReasoning(m, refusedNote)
	case text == "" && !run.empty:
		run.empty = true
		return false, nil
	case text == "":
		m = llm.AssistantText(run.fallback(last))
	case a.Finish == llm.Length:
		m.Parts = append(m.Parts, llm.Part{Text: "\n\n" + cutNote})
	}
	run.journal.add(run.reply.Steps, session.Entry{Kind: session.KindMessage, Message: m})
	run.reply.Text = answerText(&m)
	return true, nil
}

// act stores an answer with calls and runs them. In an answer that reached its length limit the last call may be
// incomplete; its result is stored together with it, so that it is never run by mistake.
func (run *run) act(ctx context.Context, m llm.Message, cut bool) error {
	run.journal.add(run.reply.Steps, session.Entry{Kind: session.KindMessage, Message: m})
	calls := m.Calls()
	broken := calls[len(calls)-1]
	if cut && !json.Valid([]byte(broken.Args)) {
		calls = calls[:len(calls)-1]
		result := tools.Failure("%s", cutCall)
		run.journal.add(run.reply.Steps, resultEntries(broken, result)...)
	}
	if len(calls) == 0 {
		run.cut++
	} else {
		run.cut = 0
	}
	if err := run.journal.flush(ctx); err != nil {
		return err
	}
	b := batch{run: run}
	for _, c := range calls {
		b.add(c, nil)
	}
	return b.execute(ctx)
}

func (run *run) fallback(last bool) string {
	switch {
	case len(run.reply.Files) > 0:
		return onlyFiles
	case last:
		return fmt.Sprintf(stoppedShort, run.reply.Steps)
	default:
		return noAnswer
	}
}

// answerText is the Markdown that people get for a final message.
func answerText(m *llm.Message) string { return strings.TrimSpace(m.Text()) }

// withoutReasoning keeps the words of a message and adds a note.
func withoutReasoning(m llm.Message, note string) llm.Message {
	if text := strings.TrimSpace(m.Text()); text != "" {
		note = text + "\n\n" + note
	}
	return llm.AssistantText(note)
}

// cleanMessage is an answer in the form that every database takes.
func cleanMessage(m *llm.Message) llm.Message {
	c := llm.Message{Role: llm.Assistant, Parts: slices.Clone(m.Parts)}
	for i := range c.Parts {
		p := &c.Parts[i]
		p.Text = session.Clean(p.Text)
		if p.Reasoning != nil {
			p.Reasoning = &llm.Reasoning{Text: session.Clean(p.Reasoning.Text)}
		}
		if p.Call != nil {
			p.Call = &llm.Call{
				ID: session.Clean(p.Call.ID), Name: session.Clean(p.Call.Name), Args: session.Clean(p.Call.Args),
			}
		}
	}
	return c
}
