package app_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/app"
	"github.com/leadhand/leadhand/channels"
)

// picky refuses everything that goes to the chat "gone", for good.
type picky struct {
	*loop
	shown chan channels.Outbound
}

func (p *picky) Send(_ context.Context, m *channels.Outbound) (channels.MessageID, error) {
	if m.Conversation.Chat == "gone" {
		return "", &channels.Error{Op: "send", Terminal: true, Err: errors.New("chat not found")}
	}
	p.shown <- *m
	return "1", nil
}

func TestWhatCannotBeDeliveredIsToldToWhoeverRunsTheBot(t *testing.T) {
	t.Parallel()
	p := &picky{newLoop(), make(chan channels.Outbound, 10)}
	a, err := app.New(t.Context(), &app.Config{
		Database: "sqlite:" + filepath.Join(t.TempDir(), "x.db"), Access: "open", TimeZone: "UTC", Steering: "steer",
		Notices: app.Place{Channel: "loop", Chat: "ops"},
	}, app.Options{
		Log: slog.New(slog.DiscardHandler), Model: llmtest.New(t, llmtest.Text("hi")), NoHTTP: true,
		Channels: []func(channels.Env) channels.Channel{func(channels.Env) channels.Channel { return p }},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	m := message(1, 1)
	m.Conversation.Chat = "gone"
	if err := (<-p.handler)(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-p.shown:
		if got.Conversation.Chat != "ops" || !strings.Contains(got.Text, "loop/gone/ could not be delivered") {
			t.Errorf("notice %+v", got)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody was told")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
