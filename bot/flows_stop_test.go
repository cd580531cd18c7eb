package bot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
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
		shown := []channels.Outbound{w.shown(), w.shown()} // in either order
		slices.SortFunc(shown, func(a, b channels.Outbound) int { return strings.Compare(b.Text, a.Text) })
		if m := shown[0]; m.Text != "Stopped." || m.ReplyTo != first {
			t.Errorf("shown %q in reply to %s", m.Text, m.ReplyTo)
		}
		if m := shown[1]; m.Text != "2 messages still waiting; `stop all` drops them too." || m.ReplyTo != stop {
			t.Errorf("shown %q in reply to %s", m.Text, m.ReplyTo)
		}
		w.wantShown(second, "re: next")
		w.wantShown(third, "re: last")
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
		w.wantShown(fresh, "New session. The old one, with 1 message of yours, is kept.")
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
