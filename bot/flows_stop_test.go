package bot_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func TestStopEndsWhatRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		first := w.says("501", "long work")
		<-gate.begun
		second := w.says("501", "next")
		third := w.says("501", "last")
		stop := w.commands("stop", "")
		var turns []string // the answer to the command may come anywhere between those of the turns
		for range 4 {
			m := w.shown()
			if m.ReplyTo != stop {
				turns = append(turns, string(m.ReplyTo)+" "+m.Text)
			} else if m.Text != "2 messages still waiting; `stop all` drops them too." {
				t.Errorf("stop answered %q", m.Text)
			}
		}
		want := []string{string(first) + " Stopped.", string(second) + " re: next", string(third) + " re: last"}
		if diff := cmp.Diff(want, turns); diff != "" {
			t.Errorf("turns (-want +got)\n%s", diff)
		}
		w.wantQuiet()
		if log := w.log.String(); strings.Contains(log, "ERROR") {
			t.Error("a stop is no error")
		}
	})
}

func TestStopAllDropsWhatWaits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo))})
		first := w.says("501", "long work")
		<-gate.begun
		second := w.says("501", "next")
		w.commands("stop", "all")
		w.wantShown(first, "Stopped.")
		w.wantShown(second, "Stopped before I began.")
		w.commands("stop", "")
		if m := w.shown(); m.Text != "Nothing is running here." {
			t.Errorf("shown %q", m.Text)
		}
		w.wantQuiet()
		if got := w.model.Last().Messages; !strings.Contains(got[0].Text(), "long work") {
			t.Errorf("the history lost what was stopped: %v", got)
		}
	})
}

func TestStopWithNothingToStop(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		id := w.commands("stop", "")
		w.wantShown(id, "Nothing is running here.")
		w.wantQuiet()
	})
}

func TestNewSessionForgets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{model: llmtest.New(t, echo, gate.then(echo)).Otherwise(echo)})
		id := w.says("501", "my cat is called Tom")
		w.wantShown(id, "re: my cat is called Tom")
		running := w.says("501", "long work")
		<-gate.begun
		fresh := w.commands("new", "")
		w.wantShown(fresh, "New session. The old one, with 1 message of yours, is kept: `resume` goes back to it.")
		again := w.commands("new", "")
		w.wantShown(again, "This is a new session already.")
		id = w.says("501", "what is my cat called?")
		w.wantShown(id, "re: what is my cat called?")
		if got := len(w.model.Last().Messages); got != 1 {
			t.Errorf("the new session began with %d messages, want 1", got)
		}
		close(gate.open) // what ran goes on in the old session
		w.wantShown(running, "re: long work")
		w.wantQuiet()
	})
}

// TestWhoMayStop: whoever asked, and leads.
func TestWhoMayStop(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		one, two := newGate(), newGate()
		w := newWorld(t, url, setup{closed: true, queue: true, model: llmtest.New(t, one.then(echo), two.then(echo))})
		w.lets("501", access.Lead)
		w.lets("502", access.Member)
		w.lets("503", access.Member)
		first := w.says("502", "long work")
		<-one.begun
		w.wantSaid("503", "stop", "You can't stop what Name of 502 asked for.")
		w.says("502", "stop")
		w.wantShown(first, "Stopped.")
		second := w.says("502", "more work")
		<-two.begun
		w.says("501", "stop")
		w.wantShown(second, "Stopped.")
	})
}

// TestStatus is told while something runs.
func TestStatus(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		w.wantSaid("502", "status", "Nothing is running here, and nothing waits.")
		first := w.says("501", "long work")
		receive(t, gate.begun, "the turn")
		second := w.says("502", "next")
		w.wantSaid("502", "status", "- lead works on what Name of 501 asked for (0 seconds); 1 message waiting")
		close(gate.open)
		w.wantShown(first, "re: long work")
		w.wantShown(second, "re: next")
	})
}

// TestStopAtTheTopOfAChat: words said there are for the chat, so what the person began in its threads ends; what others
// began does not.
func TestStopAtTheTopOfAChat(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{model: llmtest.New(t, gate.then(echo))})
		first := w.says("501", "long work")
		<-gate.begun
		top := room()
		top.Topic = ""
		stop := func(person string) {
			in := w.message(top, person, "/stop")
			in.Command = &channels.Command{Name: "stop"}
			w.deliver(in)
		}
		stop("502")
		if m := w.shown(); m.Text != "Nothing is running here." {
			t.Errorf("shown %+v", m)
		}
		stop("501")
		w.wantShown(first, "Stopped.")
		w.wantQuiet()
	})
}
