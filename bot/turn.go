package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

// TurnsConfig is what Turns need.
type TurnsConfig struct {
	Run     func(ctx context.Context, req *agent.Request) (*agent.Reply, error)
	Channel func(name string) (channels.Channel, bool)
	// Admit tells who the sender of a message is by now: a message may have waited while its sender was let go.
	Admit   func(ctx context.Context, in *channels.Inbound) (*access.Person, error)
	Files   workspace.Store
	Buttons Buttons
	// Steers tells whether messages join a running turn somewhere, or wait.
	Steers func(ctx context.Context, c channels.Conversation) (bool, error)
	// Model is the one of the agent's models that people chose for a turn; empty: the agent's own. It may be nil.
	Model   func(ctx context.Context, s tools.Scope) (string, error)
	Zone    *time.Location // in which times are shown to the agent
	Ended   func(o inbox.Outcome, took time.Duration, u llm.Usage)
	Notice  func(ctx context.Context, text string) // tells whoever runs the bot; may be nil
	Begun   func(in *channels.Inbound)             // a message is worked; may be nil
	Sending func(c channels.Conversation) bool     // whether something is being sent there; may be nil
	Hide    Hider                                  // nil hides nothing
	Log     *slog.Logger
}

// Turns works turns.
type Turns struct{ cfg TurnsConfig }

// NewTurns makes Turns.
func NewTurns(cfg TurnsConfig) *Turns {
	if cfg.Ended == nil {
		cfg.Ended = func(inbox.Outcome, time.Duration, llm.Usage) {}
	}
	if cfg.Hide == nil {
		cfg.Hide = open{}
	}
	if cfg.Begun == nil {
		cfg.Begun = func(*channels.Inbound) {}
	}
	if cfg.Sending == nil {
		cfg.Sending = func(channels.Conversation) bool { return false }
	}
	if cfg.Model == nil {
		cfg.Model = func(context.Context, tools.Scope) (string, error) { return "", nil }
	}
	if cfg.Notice == nil {
		cfg.Notice = func(context.Context, string) {}
	}
	return &Turns{cfg}
}

// Handle is the inbox.Handler.
func (t *Turns) Handle(ctx context.Context, turn *inbox.Turn) (*inbox.End, error) {
	log := t.cfg.Log.With("session", turn.Item.Session, "run", turn.Item.Seq, "user", turn.Item.Scope.User)
	w := &working{Turns: t, turn: turn, log: log, ref: reference(turn.Item)}
	switch {
	case turn.Dead:
		log.Error("turn given up", "attempts", turn.Attempts-1, "ref", w.ref)
		w.cfg.Notice(ctx, fmt.Sprintf(noticeDead, turn.Item.Message.Conversation, turn.Attempts-1, w.ref))
		return w.without(ctx, inbox.Dead, fmt.Sprintf(wordsDead, turn.Attempts-1, w.ref)), nil
	case turn.Item.Stopped && turn.Attempts == 1:
		return w.without(ctx, inbox.Stopped, wordsNotBegun), nil
	case turn.Item.Stopped:
		return w.without(ctx, inbox.Stopped, wordsStopped), nil
	}
	p, err := w.cfg.Admit(ctx, &turn.Item.Message)
	if refusal, ok := errors.AsType[*access.Refusal](err); ok {
		log.Info("refused when its turn came")
		return w.without(ctx, inbox.Failed, refusalWords(refusal)), nil
	}
	if err != nil {
		return nil, inbox.StoreFailed(turn.Item, err)
	}
	turn.Item.Scope.Role = string(p.Role)
	if turn.Item.Scope.Model, err = w.cfg.Model(ctx, turn.Item.Scope); err != nil {
		return nil, inbox.StoreFailed(turn.Item, err)
	}
	return w.run(ctx)
}

// working is one turn being worked.
type working struct {
	*Turns
	turn   *inbox.Turn
	log    *slog.Logger
	ref    string   // names this turn in chat and log
	failed error    // the store's error that ended the run, if one did
	unread []string // which files could not be had, and why
}

func (w *working) run(ctx context.Context) (*inbox.End, error) {
	started := time.Now()
	it := w.turn.Item
	w.cfg.Begun(&it.Message)
	p := w.startProgress(ctx)
	reply, err := w.cfg.Run(ctx, &agent.Request{
		Scope: it.Scope, Turn: it.Seq, Log: watched{w.turn.Log, &w.failed},
		Input: []session.Entry{w.entry(ctx, it)}, Steer: w.steer, Observe: p.observe,
	})
	preview := p.close()
	if err == nil {
		w.log.Info("turn ended", "took", time.Since(started), "steps", reply.Steps,
			"input_tokens", reply.Usage.Input, "output_tokens", reply.Usage.Output)
		w.cfg.Ended(inbox.Answered, time.Since(started), reply.Usage)
		return w.end(reply, inbox.Answered, reply.Text, preview), nil
	}
	outcome, words, err := w.explain(ctx, err)
	if err != nil {
		return nil, err
	}
	w.cfg.Ended(outcome, time.Since(started), reply.Usage)
	reply.Pending = append(reply.Pending, w.note(words))
	return w.end(reply, outcome, words, preview), nil
}

// explain turns the error that ended a run into words for people, or returns the error when the turn is to be tried
// again: the process stops, another owner has the session, or the database failed.
func (w *working) explain(ctx context.Context, err error) (inbox.Outcome, string, error) {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, inbox.ErrStopped):
		return inbox.Stopped, wordsStopped, nil
	case cause != nil:
		return "", "", cause
	case errors.Is(err, lane.ErrFenced):
		return "", "", err
	case w.failed != nil, errors.Is(err, tools.ErrUndecided):
		w.log.Error("the database failed during a turn", "err", err)
		return "", "", inbox.StoreFailed(w.turn.Item, err)
	}
	w.log.Error("turn failed", "ref", w.ref, "err", err)
	return inbox.Failed, failureWords(err, w.ref), nil
}

// end is the end of a turn that ran.
func (w *working) end(
	reply *agent.Reply, outcome inbox.Outcome, text string, preview channels.MessageID,
) *inbox.End {
	it := w.turn.Item
	out := channels.Outbound{
		Key: w.key(), Conversation: it.Message.Conversation, ReplyTo: it.Message.Quote(), Via: it.Message.Via, Edit: preview,
		Text: w.footnotes(text), Attachments: reply.Files,
	}
	return &inbox.End{
		Through: max(reply.Through, it.Seq), Outcome: outcome, Entries: reply.Pending,
		Used: &inbox.Used{Scope: it.Scope, Usage: reply.Usage, Steps: reply.Steps},
		Out:  []channels.Outbound{out.Rewrite(w.cfg.Hide.Text)},
	}
}

// footnotes adds what people must know beside the answer.
func (w *working) footnotes(text string) string {
	for _, note := range w.unread {
		text = strings.TrimSpace(text + "\n\n_" + note + "_")
	}
	return text
}

// without is the end of a turn that does not run: the message and the words are kept in the history all the same.
func (w *working) without(ctx context.Context, outcome inbox.Outcome, words string) *inbox.End {
	w.cfg.Ended(outcome, 0, llm.Usage{})
	reply := &agent.Reply{Pending: []session.Entry{w.note(words)}}
	logged, err := w.turn.Log.Load(ctx)
	if err != nil {
		w.log.Error("load the history of a turn that does not run", "err", err)
	}
	known := err != nil
	for i := range logged {
		if e := &logged[i]; e.Turn == w.turn.Item.Seq { // an earlier attempt may have taken more messages in
			reply.Through = max(reply.Through, e.Source)
			known = known || e.Source == w.turn.Item.Seq
		}
	}
	if !known {
		reply.Pending = slices.Insert(reply.Pending, 0, w.entry(ctx, w.turn.Item))
	}
	return w.end(reply, outcome, words, w.turn.Item.Preview)
}

// note keeps the program's own words in the history, so that the agent knows what people were told.
func (w *working) note(words string) session.Entry {
	return session.Entry{
		Turn: w.turn.Item.Seq, Kind: session.KindMessage, Message: llm.AssistantText(words), At: time.Now().UTC(),
	}
}

func (w *working) key() string {
	return fmt.Sprintf("turn/%s/%d", w.turn.Item.Session, w.turn.Item.Seq)
}

// steer gives the messages that join this turn: those of the same person, up to the first of somebody else, because a
// turn runs with the rights of one person.
func (w *working) steer(ctx context.Context, after int64) ([]session.Entry, error) {
	joins, err := w.cfg.Steers(ctx, w.turn.Item.Message.Conversation)
	var items []*inbox.Item
	if joins && err == nil {
		items, err = w.turn.Steer(ctx, max(after, w.turn.Item.Seq))
	}
	if err != nil {
		w.failed = err
		return nil, err
	}
	var entries []session.Entry
	for _, it := range items {
		if it.Withdrawn {
			continue
		}
		if it.Scope.User != w.turn.Item.Scope.User || it.Stopped {
			break
		}
		_, err := w.cfg.Admit(ctx, &it.Message)
		if _, refused := errors.AsType[*access.Refusal](err); refused {
			break // it is told so in a turn of its own
		}
		if err != nil {
			w.failed = err
			return nil, err
		}
		w.cfg.Begun(&it.Message)
		entries = append(entries, w.entry(ctx, it))
	}
	return entries, nil
}

// watched remembers an error of the log: the turn must be tried again then, whatever the run made of it.
type watched struct {
	session.Log
	failed *error
}

func (l watched) Load(ctx context.Context) ([]session.Entry, error) {
	es, err := l.Log.Load(ctx)
	if err != nil {
		*l.failed = err
	}
	return es, err
}

func (l watched) Append(ctx context.Context, es []session.Entry) error {
	err := l.Log.Append(ctx, es)
	if err != nil {
		*l.failed = err
	}
	return err
}
