package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/app"
	"github.com/leadhand/leadhand/channels"
)

// install puts skills into the data directory.
func install(t *testing.T, data string, names ...string) {
	t.Helper()
	for _, name := range names {
		dir := filepath.Join(data, "skills", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := "---\nname: " + name + "\ndescription: how to " + name + "\n---\nThe steps of " + name + ".\n"
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSkillsReachTheModel: those that both the agent and the place have, and no others.
func TestSkillsReachTheModel(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	install(t, data, "deploy", "hire", "roast")
	own, here := []string{"deploy", "hire"}, []string{"deploy", "roast"}
	model := llmtest.New(t, llmtest.Call("use_skill", map[string]any{"name": "deploy"}), llmtest.Text("done"),
		llmtest.Call("use_skill", map[string]any{"name": "roast"}), llmtest.Text("no"), llmtest.Text("nothing"))
	p := &picky{newLoop(), make(chan channels.Outbound, 10)}
	a, err := app.New(t.Context(), &app.Config{
		Data: data, Database: "sqlite:" + filepath.Join(data, "x.db"), Access: "open", TimeZone: "UTC", Steering: "steer",
		Agents: map[string]app.Agent{"lead": {Skills: &own}},
		Places: []app.PlaceSettings{
			{Channel: "loop", Chat: "1", Skills: &here}, {Channel: "loop", Chat: "3", Skills: &[]string{}},
		},
	}, app.Options{
		Log: quiet, Model: model, NoHTTP: true,
		Channels: []func(channels.Env) channels.Channel{func(channels.Env) channels.Channel { return p }},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	handle := <-p.handler
	ask := func(chat int) *llm.Request {
		t.Helper()
		if err := handle(t.Context(), message(chat, chat)); err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.shown:
		case <-time.After(10 * time.Second):
			t.Fatal("no answer")
		}
		return model.Last()
	}
	for chat, want := range map[int]struct{ listed, not, result string }{
		1: {"- deploy: how to deploy", "hire", "The steps of deploy."},
	} {
		r := ask(chat)
		if !strings.Contains(r.System, want.listed) || strings.Contains(r.System, want.not) || strings.Contains(r.System, "roast") {
			t.Errorf("chat %d: prompt %s", chat, r.System)
		}
		if last := r.Messages[len(r.Messages)-1]; !strings.Contains(last.Parts[0].Result.Text, want.result) {
			t.Errorf("chat %d: %+v", chat, last.Parts[0].Result)
		}
	}
	r := ask(2) // nothing is set there
	if !strings.Contains(r.System, "- hire: how to hire") || strings.Contains(r.System, "roast") {
		t.Errorf("prompt %s", r.System)
	}
	if last := r.Messages[len(r.Messages)-1]; !strings.Contains(last.Parts[0].Result.Text, "no such skill here; there is deploy, hire") {
		t.Errorf("%+v", last.Parts[0].Result)
	}
	r = ask(3)
	for _, tool := range r.Tools {
		if strings.Contains(tool.Name, "skill") {
			t.Errorf("offered %s where there are no skills", tool.Name)
		}
	}
	if strings.Contains(r.System, "## Skills") {
		t.Errorf("prompt %s", r.System)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
