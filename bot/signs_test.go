package bot_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/channels"
)

// marker is a messenger that shows that messages were seen.
type marker struct {
	*messenger
	mu     sync.Mutex
	marked []string
	begun  time.Time
}

func (m *marker) MarkSeen(_ context.Context, _ channels.Conversation, id channels.MessageID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.marked = append(m.marked, string(id)+" after "+time.Since(m.begun).String())
	return nil
}

// TestSignsOnMessagesThatWait: only a message whose turn has not begun after a second gets a sign.
func TestSignsOnMessagesThatWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &marker{messenger: &messenger{}, begun: time.Now()}
		signs := bot.NewSigns(func(name string) (channels.Channel, bool) { return m, name == "fake" }, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- signs.Run(ctx) }()
		message := func(id string) *channels.Inbound {
			return &channels.Inbound{ID: channels.MessageID(id), EventKey: id, Conversation: channels.Conversation{Channel: "fake"}}
		}
		soon, late := message("soon"), message("late")
		signs.Waits(soon)
		signs.Waits(late)
		signs.Waits(&channels.Inbound{EventKey: "x", Conversation: channels.Conversation{Channel: "gone"}})
		time.Sleep(500 * time.Millisecond)
		signs.Begun(soon)
		signs.Begun(message("unknown"))
		time.Sleep(10 * time.Second)
		signs.Begun(late)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if !slices.Equal(m.marked, []string{"late after 1s"}) {
			t.Errorf("marked %v", m.marked)
		}
	})
}
