package bot_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// offers shows a message with one button in the room and returns the button as the messenger was given it.
func (w *world) offers(b channels.Button) channels.Button {
	w.Helper()
	err := w.outbox.Post(w.Context(), "default", "", channels.Outbound{
		Key: "offer", Conversation: room(), Text: "go on?", Buttons: [][]channels.Button{{b}},
	})
	if err != nil {
		w.Fatal(err)
	}
	return w.shown().Buttons[0][0]
}

// pressing is what a messenger hands over when a person presses a button in the room.
func (w *world) pressing(person string, a channels.Action) *channels.Inbound {
	in := w.message(room(), person, "")
	in.Action, in.Via = &a, "answer here"
	return in
}

// wantAside checks that the next that is shown is for one person alone.
func (w *world) wantAside(in *channels.Inbound, text string) {
	w.Helper()
	if m := w.shown(); m.Text != text || m.To != in.Sender.ID || m.Via != in.Via || m.Conversation != room() {
		w.Errorf("shown %+v, want %q for %s", m, text, in.Sender.ID)
	}
}

func TestAPressGivesTheCommandOfItsButton(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		b := w.offers(channels.Button{
			Text: "Try", Command: channels.Command{Name: "nothing", Args: "here"},
			Options: []channels.Option{{Text: "One", Value: "1"}, {Text: "Two", Value: "2"}},
		})
		in := w.pressing("501", channels.Action{Token: b.Token, Choice: 2})
		w.deliver(in)
		w.wantAside(in, "There is no command `nothing`. `help` shows what there is.")
		w.deliver(in) // again, as platforms do
		w.wantQuiet()
	})
}

// TestAPressAroundItsThread: where no thread could be opened, what belongs into one stands in the chat around it, and the
// button acts where it was meant to.
func TestAPressAroundItsThread(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		b := w.offers(channels.Button{Text: "Try", Command: channels.Command{Name: "nothing", Args: "here"}})
		in := w.pressing("501", channels.Action{Token: b.Token})
		in.Conversation.Topic = ""
		w.deliver(in)
		w.wantAside(in, "There is no command `nothing`. `help` shows what there is.")
	})
}

// TestPressesThatDoNothing: what a press may do is decided by what was kept and by who presses.
func TestPressesThatDoNothing(t *testing.T) {
	t.Parallel()
	const (
		dead    = "This button does not work any more."
		foreign = "This button is for somebody else, so I did nothing."
		stale   = "This has changed since the button was shown, so I did nothing."
	)
	tests := map[string]struct {
		guard channels.Guard
		press func(in *channels.Inbound)
		want  string
	}{
		"nobody's token":       {press: func(in *channels.Inbound) { in.Action.Token = "TOKEN00001" }, want: dead},
		"no such option":       {press: func(in *channels.Inbound) { in.Action.Choice = 3 }, want: dead},
		"without an option":    {press: func(in *channels.Inbound) { in.Action.Choice = 0 }, want: dead},
		"in another place":     {press: func(in *channels.Inbound) { in.Action.Choice, in.Conversation.Topic = 1, "9" }, want: dead},
		"too late":             {guard: channels.Guard{Expires: time.Now().Add(-time.Second)}, want: dead},
		"by somebody else":     {guard: channels.Guard{Actors: []channels.UserID{"502", "503"}}, want: foreign},
		"after a change":       {guard: channels.Guard{Object: "task:42", Revision: 6}, want: stale},
		"about what is gone":   {guard: channels.Guard{Object: "task:43", Revision: 7}, want: stale},
		"about nothing known":  {guard: channels.Guard{Object: "mystery:1"}, want: stale},
		"of a turn that is no": {guard: channels.Guard{Object: "turn:x"}, want: stale},
		"of an ended turn":     {guard: channels.Guard{Object: "turn:nothing/1"}, want: stale},
	}
	revision := func(_ context.Context, id string) (bot.State, error) {
		return bot.State{Number: map[string]int64{"42": 7}[id]}, nil
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				w := newWorld(t, url, setup{revisions: map[string]bot.Revision{"task": revision}})
				b := w.offers(channels.Button{
					Text: "Try", Command: channels.Command{Name: "new"}, Guard: test.guard,
					Options: []channels.Option{{Text: "One", Value: "1"}, {Text: "Two", Value: "2"}},
				})
				in := w.pressing("501", channels.Action{Token: b.Token, Choice: 1})
				if test.press != nil {
					test.press(in)
				}
				w.deliver(in)
				if m := w.shown(); m.Text != test.want || m.To != "501" || m.Conversation != in.Conversation {
					t.Errorf("shown %+v, want %q", m, test.want)
				}
			})
		})
	}
}

// TestAPressThatCannotBeDecided comes again: nothing is done, and nothing is said.
func TestAPressThatCannotBeDecided(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		broken := errors.New("the database is down")
		w := newWorld(t, url, setup{revisions: map[string]bot.Revision{
			"task": func(context.Context, string) (bot.State, error) { return bot.State{}, broken },
		}})
		b := w.offers(channels.Button{
			Text: "Try", Command: channels.Command{Name: "help"}, Guard: channels.Guard{Object: "task:42"},
		})
		if err := w.router.Handle(t.Context(), w.pressing("501", channels.Action{Token: b.Token})); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		w.wantQuiet()
	})
}

// TestStopOfAPreview: the button below an answer in the making ends that one, and no other.
func TestStopOfAPreview(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := &streamer{posted: make(chan struct{})}
		gate := newGate()
		waits := func(ctx context.Context, _ *llm.Request) (*llm.Answer, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		w := newWorld(t, url, setup{
			streams: s, queue: true,
			model: llmtest.New(t, llmtest.Call("list_files", nil), waits, gate.then(echo)).Otherwise(echo),
		})
		first := w.says("501", "one")
		receive(t, s.posted, "the preview")
		s.mu.Lock()
		stop := s.previews[0].Buttons[0][0]
		s.mu.Unlock()
		w.deliver(w.pressing("501", channels.Action{Token: stop.Token}))
		if m := w.shown(); m.ReplyTo != first || m.Text != "Stopped." {
			t.Errorf("shown %+v", m)
		}
		second := w.says("501", "two")
		<-gate.begun
		in := w.pressing("502", channels.Action{Token: stop.Token})
		w.deliver(in)
		w.wantAside(in, "This has changed since the button was shown, so I did nothing.")
		close(gate.open)
		if m := w.shown(); m.ReplyTo != second || m.Text != "re: two" {
			t.Errorf("shown %+v", m)
		}
	})
}
