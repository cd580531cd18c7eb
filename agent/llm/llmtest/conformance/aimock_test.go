package conformance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/anthropic"
	"github.com/leadhand/leadhand/agent/llm/gemini"
	"github.com/leadhand/leadhand/agent/llm/openai"
)

// aimock is an independent mock of the vendors' APIs, so that our own fakes are not the only witnesses.
const (
	aimock    = "@copilotkit/aimock@1.43.0"
	aimockCLI = "node_modules/@copilotkit/aimock/dist/cli.js"
	aimockKey = "sk-aimock-CANARY"
)

// unavailable skips the test with a plain word; in CI it fails, because there a skipped test is a lost one.
func unavailable(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// startMock installs aimock into a temporary directory, starts it on a free loopback port and returns its URL.
func startMock(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		unavailable(t, "aimock needs node: %v", err)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		unavailable(t, "aimock needs npm: %v", err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--prefer-offline", "--ignore-scripts",
		"--no-audit", "--no-fund", aimock)
	install.WaitDelay = 5 * time.Second
	if out, err := install.CombinedOutput(); err != nil {
		unavailable(t, "install aimock: %v\n%s", err, out)
	}
	fixtures, err := filepath.Abs("testdata/aimock.json")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join(dir, aimockCLI), "--host", "127.0.0.1", "--port", "0", "--strict",
		"--fixtures", fixtures)
	cmd.Env = append(os.Environ(), "AIMOCK_API_KEYS="+aimockKey)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("stop aimock: %v", err)
		}
		for range lines { // until the process has let go of its output
		}
		_ = cmd.Wait() // it was killed
	})
	return listening(t, lines)
}

// listening waits for the line that names the mock's URL.
func listening(t *testing.T, lines <-chan string) string {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatal("aimock ended before it listened")
			}
			if _, url, found := strings.Cut(line, "listening on "); found {
				return strings.TrimSpace(url)
			}
		case <-limit:
			t.Fatal("aimock does not listen")
		}
	}
}

func TestAimock(t *testing.T) {
	t.Parallel()
	url := startMock(t)
	for name, open := range map[string]func(key string) llm.Provider{
		"openai": func(key string) llm.Provider {
			return openai.New(openai.Config{Model: "gpt-5-mini", APIKey: key, BaseURL: url + "/v1"})
		},
		"anthropic": func(key string) llm.Provider {
			return anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5", APIKey: key, BaseURL: url})
		},
		"gemini": func(key string) llm.Provider {
			return gemini.New(gemini.Config{Model: "gemini-2.5-flash", APIKey: key, BaseURL: url})
		},
	} {
		t.Run(name+" streams a text with its usage", func(t *testing.T) { mockText(t, open(aimockKey)) })
		t.Run(name+" calls a tool", func(t *testing.T) { mockTool(t, open(aimockKey)) })
		t.Run(name+" understands errors", func(t *testing.T) {
			mockError(t, open(aimockKey), "be busy", llm.Overloaded, 429)
			mockError(t, open("sk-wrong-key"), "say hello", llm.Auth, 401)
		})
	}
}

func mockText(t *testing.T, p llm.Provider) {
	chunks, text := 0, ""
	a, err := llm.Collect(t.Context(), p, ask("say hello"), func(c *llm.Chunk) {
		if c.Text != "" {
			chunks++
		}
		text += c.Text
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "Hello from the mock, streamed in several pieces."
	if a.Message.Text() != want || text != want || chunks < 2 || a.Finish != llm.Stop {
		t.Errorf("answer %+v, streamed %q in %d chunks", a, text, chunks)
	}
	if want := (llm.Usage{Input: 11, Output: 7}); a.Usage != want {
		t.Errorf("usage %+v, want %+v", a.Usage, want)
	}
}

func mockTool(t *testing.T, p llm.Provider) {
	req := ask("weather")
	req.Tools = []llm.Tool{{Name: "get_weather", Input: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"}}}`)}}
	a, err := llm.Collect(t.Context(), p, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := a.Message.Calls()
	if a.Finish != llm.Calls || len(calls) != 1 || calls[0].Name != "get_weather" || calls[0].Args != `{"city":"Rome"}` {
		t.Fatalf("answer %+v", a)
	}
	req.Messages = append(req.Messages, a.Message, llm.Message{Role: llm.ToolRole, Parts: []llm.Part{
		{Result: &llm.Result{CallID: calls[0].ID, Name: calls[0].Name, Text: "rain"}},
	}})
	if a, err = llm.Collect(t.Context(), p, req, nil); err != nil || a.Message.Text() != "It rains in Rome." {
		t.Errorf("answer %+v, error %v", a, err)
	}
}

func mockError(t *testing.T, p llm.Provider, line string, reason llm.Reason, status int) {
	t.Helper()
	_, err := llm.Collect(t.Context(), p, ask(line), nil)
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != reason || e.Status != status || strings.Contains(err.Error(), "sk-") {
		t.Errorf("error %v, want %q %d", err, reason, status)
	}
	if reason == llm.Overloaded && e.RetryAfter != time.Second {
		t.Errorf("retry after %v", e.RetryAfter)
	}
}

func ask(line string) *llm.Request {
	return &llm.Request{System: "Be brief.", Messages: []llm.Message{llm.UserText(line)}}
}
