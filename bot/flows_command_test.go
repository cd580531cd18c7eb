package bot_test

import (
	"testing"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func TestStopCountsOnlyWhatTheTurnDidNotTakeIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate, second := newGate(), newGate()
		w := newWorld(t, url, setup{model: llmtest.New(t, gate.then(llmtest.Call("list_files", nil)), second.then(echo))})
		first := w.says("501", "one")
		<-gate.begun
		w.says("501", "two")
		close(gate.open)
		<-second.begun
		w.commands("stop", "")
		w.wantShown(first, "Stopped.")
		w.wantQuiet()
	})
}

func TestStopAllOfATurnThatTookMessagesIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate, second := newGate(), newGate()
		w := newWorld(t, url, setup{model: llmtest.New(t, gate.then(llmtest.Call("list_files", nil)), second.then(echo))})
		first := w.says("501", "one")
		<-gate.begun
		w.says("501", "two")
		close(gate.open)
		<-second.begun
		w.commands("stop", "all")
		w.wantShown(first, "Stopped.")
		w.wantQuiet()
	})
}

func TestACommandDeliveredAgainIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		w.says("501", "one")
		w.shown()
		in := w.message(room(), "501", "/new")
		in.Command = &channels.Command{Name: "new"}
		w.deliver(in)
		w.shown()
		w.says("501", "two")
		w.shown()
		w.deliver(in) // the platform had no acknowledgement
		w.says("501", "three")
		w.shown()
		if got := len(w.model.Last().Messages); got != 3 {
			t.Errorf("%d messages, want 3: the repeated /new began yet another session", got)
		}
	})
}

func TestStopReachesTheTurnOfAnEndedSession(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		first := w.says("501", "one")
		<-gate.begun
		w.commands("new", "")
		w.shown()
		w.commands("stop", "")
		w.wantShown(first, "Stopped.")
		w.wantQuiet()
	})
}
