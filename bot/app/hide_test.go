package app_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/app"
	"github.com/leadhand/leadhand/channels"
)

// locked is a buffer for a log.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestSecretsReachNobody: neither the model, nor a chat, nor the log, nor the database sees one, wherever it came from.
func TestSecretsReachNobody(t *testing.T) {
	t.Parallel()
	const known = "blue-horse-7"
	written := "ghp" + "_" + strings.Repeat("aB3dE", 7) + "x"
	read := "xoxb" + "-123456789012-abcDEF123"
	data := t.TempDir()
	model := llmtest.New(t,
		llmtest.TextAndCalls("I keep "+read, llm.Call{Name: "write_file", Args: `{"path":"a.txt","content":"token ` + read + `"}`}),
		llmtest.Call("read_file", map[string]any{"path": "a.txt"}),
		llmtest.Text("The password is "+known+" and the token "+read+"."))
	p := &picky{newLoop(), make(chan channels.Outbound, 10)}
	log := &locked{}
	a, err := app.New(t.Context(), &app.Config{
		Data: data, Database: "sqlite:" + filepath.Join(data, "x.db"), Access: "open", TimeZone: "UTC", Steering: "steer",
	}, app.Options{
		Env: app.Environ{"OPENAI_API_KEY": known}, NoHTTP: true, Model: model,
		Log:      slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Channels: []func(channels.Env) channels.Channel{func(channels.Env) channels.Channel { return p }},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	in := message(1, 1)
	in.Text = "use " + written + " and " + known
	in.ReplyTo = &channels.Quoted{ID: "0", Text: "or " + written}
	if err := (<-p.handler)(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	var shown channels.Outbound
	select {
	case shown = <-p.shown:
	case <-time.After(10 * time.Second):
		t.Fatal("no answer")
	}
	if want := "The password is [secret: of this bot] and the token [secret: Slack token]."; shown.Text != want {
		t.Errorf("shown %q, want %q", shown.Text, want)
	}
	for _, r := range model.Requests() {
		for _, m := range r.Messages {
			for _, part := range m.Parts {
				text := part.Text
				if part.Result != nil {
					text += part.Result.Text
				}
				for _, secret := range []string{known, written, read} {
					if strings.Contains(text, secret) {
						t.Errorf("the model reads %q", text)
					}
				}
			}
		}
	}
	if first := model.Requests()[0].Messages; !strings.Contains(first[len(first)-1].Parts[0].Text, "use [secret: GitHub token] and [secret: of this bot]") {
		t.Errorf("the model reads %+v", first)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, secret := range []string{known, written} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
		files, _ := filepath.Glob(filepath.Join(data, "x.db*"))
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil || bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s has %s (%v)", filepath.Base(file), secret, err)
			}
		}
	}
}
