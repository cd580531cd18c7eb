package terminal_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/terminal"
)

// TestExercise: a pipe is a chat with one person.
func TestExercise(t *testing.T) {
	t.Parallel()
	channeltest.Exercise(t, func(*testing.T) *channeltest.Platform {
		x := &exercised{}
		return &channeltest.Platform{
			Direct: channels.Conversation{Channel: "test", Chat: "local"},
			New: func(_ *testing.T, env channels.Env) channels.Channel {
				in, feed := io.Pipe()
				x.feed = feed
				x.Terminal = terminal.New(terminal.Config{
					In: in, Out: &x.out, Err: io.Discard, Name: "test", User: channels.Sender{ID: "u1", Name: "Ann"},
					Environ: []string{"TERM=xterm"},
				}, env)
				return x
			},
			Say: func(t *testing.T, s channeltest.Said) channels.MessageID {
				if _, err := io.WriteString(x.feed, s.Text+"\n"); err != nil {
					t.Fatal(err)
				}
				return ""
			},
			Shown: func(*testing.T, channels.Conversation) []channeltest.Shown {
				x.mu.Lock()
				defer x.mu.Unlock()
				return x.shown
			},
		}
	})
}

// exercised remembers what each message printed.
type exercised struct {
	*terminal.Terminal
	feed io.Writer
	out  buffer

	mu    sync.Mutex
	shown []channeltest.Shown
}

func (x *exercised) Send(ctx context.Context, m *channels.Outbound) (channels.MessageID, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := len(x.out.String())
	id, err := x.Terminal.Send(ctx, m)
	x.shown = append(x.shown, channeltest.Shown{ID: id, Text: strings.TrimSpace(x.out.String()[before:])})
	return id, err
}
