package bot_test

import (
	"fmt"
	"testing"

	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// botSays delivers a message of another bot in the room.
func (w *world) botSays(text string) channels.MessageID {
	w.Helper()
	in := w.message(room(), "B7", text)
	in.Sender.Bot = true
	return w.deliver(in)
}

// TestBotsThatAnswerEachOther end after some messages, and begin again when a person writes.
func TestBotsThatAnswerEachOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		for _, person := range []string{"hello", "once more"} {
			w.wantShown(w.says("501", person), "re: "+person)
			for i := range 5 {
				text := fmt.Sprintf("beep-%d", i)
				w.wantShown(w.botSays(text), "re: "+text)
			}
			w.botSays("beep-6")
			w.wantShown("", "Other bots wrote to me 5 times here and no person did, so I don't answer them any more. "+
				"I go on when a person writes.")
			w.botSays("beep-7") // this is said once
		}
		w.wantQuiet()
	})
}

// TestBotsGiveNoCommands by words: "stop" from another bot is what it says.
func TestBotsGiveNoCommands(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		w.wantShown(w.botSays("stop"), "re: stop")
	})
}
