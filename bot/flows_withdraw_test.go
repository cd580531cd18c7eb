package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// takesBack deletes a message.
func (w *world) takesBack(in *channels.Inbound) {
	w.Helper()
	w.deliver(&channels.Inbound{
		EventKey: "d:" + in.EventKey, Revises: in.EventKey, Deleted: true, Conversation: in.Conversation,
	})
}

// TestTakenBackMessages: one that waits gets no turn and is in nobody's history; one that runs goes on.
func TestTakenBackMessages(t *testing.T) {
	t.Parallel()
	for _, queue := range []bool{true, false} {
		t.Run(fmt.Sprintf("queue %v", queue), func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				gate := newGate()
				w := newWorld(t, url, setup{
					queue: queue,
					model: llmtest.New(t, gate.then(llmtest.Call("list_files", nil))).Otherwise(echo),
				})
				one := w.message(room(), "501", "one")
				w.deliver(one)
				<-gate.begun
				two, three := w.message(room(), "501", "two"), w.message(room(), "501", "three")
				w.deliver(two)
				w.deliver(three)
				w.takesBack(two)
				w.takesBack(two) // told again
				w.takesBack(one)
				close(gate.open)
				if queue {
					w.wantShown(one.ID, "re: one")
					w.wantShown(three.ID, "re: three")
				} else {
					w.wantShown(one.ID, "re: one | three")
				}
				w.takesBack(three) // it was answered
				w.wantQuiet()
			})
		})
	}
}

// TestAllThatWaitsIsTakenBack: the session is free afterwards.
func TestAllThatWaitsIsTakenBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo))})
		first := w.says("501", "one")
		<-gate.begun
		second := w.message(room(), "501", "two")
		w.deliver(second)
		w.takesBack(second)
		w.commands("stop", "all") // what is taken back is not stopped on top
		close(gate.open)
		w.wantShown(first, "Stopped.")
		w.wantQuiet()
	})
}

// TestTakenBackTalkIsForgotten: what was said to others and taken back is not told.
func TestTakenBackTalkIsForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		secret := w.overheard("502", "the password is blue")
		w.overheard("502", "never mind")
		w.takesBack(secret)
		w.says("501", "what now?")
		w.shown()
		if asked := w.lastAsked(); strings.Contains(asked, "blue") || !strings.Contains(asked, "never mind") {
			t.Errorf("the model was told %q", asked)
		}
	})
}
