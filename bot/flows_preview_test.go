package bot_test

import (
	"context"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// streamer is a messenger whose previews are messages.
type streamer struct {
	*messenger
	mu       sync.Mutex
	previews []channels.Preview
	typed    int
	posted   chan struct{} // closed when a preview was posted
}

func (s *streamer) Stream(_ context.Context, p channels.Preview) (channels.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.previews = append(s.previews, p)
	return &preview{s, p, p.Message}, nil
}

func (s *streamer) Typing(context.Context, channels.Conversation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.typed++
	return nil
}

type preview struct {
	s  *streamer
	p  channels.Preview
	id channels.MessageID
}

func (p *preview) Show(ctx context.Context, _ channels.Draft) error {
	if p.id == "" {
		p.id = "preview"
		defer close(p.s.posted)
		return p.p.Posted(ctx, p.id)
	}
	return nil
}

func (p *preview) Close(context.Context) (channels.MessageID, error) {
	return p.id, nil
}

// TestPreviewsOutliveAnAttempt: the answer takes the place of the preview, also of one that an attempt left behind.
func TestPreviewsOutliveAnAttempt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := &streamer{posted: make(chan struct{})}
		breaks := func(ctx context.Context, _ *llm.Request) (*llm.Answer, error) {
			select {
			case <-s.posted:
				panic("the program breaks off while the preview is shown")
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		w := newWorld(t, url, setup{
			streams: s, model: llmtest.New(t, llmtest.Call("list_files", nil), breaks).Otherwise(echo),
		})
		in := w.message(room(), "501", "one")
		w.deliver(in)
		if m := w.shown(); m.Edit != "preview" || m.Text != "re: one" {
			t.Errorf("shown %+v", m)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if p := s.previews[0]; p.ReplyTo != in.ID || p.Message != "" || len(p.Buttons) == 0 || s.typed == 0 {
			t.Errorf("typed %d times, preview %+v", s.typed, p)
		}
	})
}
