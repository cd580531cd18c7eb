package terminal_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tmux is a real terminal that the chat program runs in, below a shell that notes the terminal's settings.
type tmux struct {
	t      *testing.T
	socket string
	dir    string
}

// startTmux opens the chat and waits until it is ready. env is added to its environment.
func startTmux(t *testing.T, env ...string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "lh") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, socket: filepath.Join(dir, "s"), dir: dir}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", m.socket, "kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	script := fmt.Sprintf("stty -g >%[1]s/before; echo shell before; env %[2]s=1 %[3]s %[4]s 2>%[1]s/stderr; "+
		"stty -g >%[1]s/after; echo shell after; cat", dir, chatbotEnv, strings.Join(env, " "), self)
	m.run("-f", "/dev/null", "new-session", "-d", "-x", "60", "-y", "20", script)
	m.wait("the greeting", func(s string) bool { return strings.Contains(s, "› Write a message") })
	return m
}

func (m *tmux) run(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(keys ...string) {
	m.t.Helper()
	m.run(append([]string{"send-keys"}, keys...)...)
}

// say types a message and sends it.
func (m *tmux) say(text string) {
	m.t.Helper()
	m.keys("-l", text)
	m.keys("Enter")
}

// screen is what the terminal shows, with what has scrolled off above it.
func (m *tmux) screen() string {
	m.t.Helper()
	return strings.TrimRight(m.run("capture-pane", "-p", "-S", "-1000"), "\n")
}

// wait polls the screen until ok is content with it.
func (m *tmux) wait(what string, ok func(screen string) bool) string {
	m.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		screen := m.screen()
		if ok(screen) {
			return screen
		}
		select {
		case <-tick.C:
		case <-deadline:
			m.t.Fatalf("%s never came; the screen is\n%s", what, screen)
		}
	}
}

func (m *tmux) see(text string) string {
	m.t.Helper()
	return m.wait(fmt.Sprintf("%q", text), func(s string) bool { return strings.Contains(s, text) })
}

// leave waits until the shell goes on, and compares the terminal's settings with those before.
func (m *tmux) leave() string {
	m.t.Helper()
	screen := m.see("shell after")
	before, err := os.ReadFile(filepath.Join(m.dir, "before"))
	if err != nil {
		m.t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(m.dir, "after"))
	if err != nil {
		m.t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		m.t.Errorf("terminal settings changed: %s", diff)
	}
	if got := m.run("display-message", "-p", "#{cursor_flag}#{alternate_on}#{keypad_flag}"); got != "100\n" {
		m.t.Errorf("cursor, alternate screen, keypad: %s", got)
	}
	return screen
}

func TestTerminalConversation(t *testing.T) {
	t.Parallel()
	m := startTmux(t)
	m.say("hello wörld 日本 😀")
	m.see("You said")
	m.keys("-l", `one\`)
	m.keys("Enter")
	m.keys("-l", "tow")
	m.keys("BSpace", "BSpace", "w", "o", "M-Enter")
	m.run("set-buffer", "pasted\n\tlines")
	m.run("paste-buffer", "-p")
	m.see("    lines")
	m.keys("Enter")
	m.see(`\tlines" at 0.`)
	m.keys("Up")
	m.see("› one\n  two\n  pasted\n      lines\n\n  You said \"one\\ntwo\\npasted\\n\\tlines\" at 0.\n\n› one")
	m.keys("C-u")
	m.keys("C-c")
	m.see("Press Ctrl+C again to leave")
	m.keys("C-c")
	want := `shell before
  I am Lead.

  Sent before the start.

› hello wörld 日本 😀

  You said "hello wörld 日本 😀" at 0.

› one
  two
  pasted
      lines

  You said "one\ntwo\npasted\n\tlines" at 0.

  Sent after the end.

left: <nil>
shell after`
	if diff := cmp.Diff(want, m.leave()); diff != "" {
		t.Error(diff)
	}
}

func TestTerminalStreamsWhileTyping(t *testing.T) {
	t.Parallel()
	m := startTmux(t)
	m.say("stream The **answer** grows")
	m.see("  The answer grows\n")
	m.see("writing… ")
	m.keys("-l", "finish")
	screen := m.see("› finish")
	if !strings.Contains(screen, "  The answer grows\n") {
		t.Errorf("the preview went while typing:\n%s", screen)
	}
	m.keys("Enter")
	m.see("  The answer grows - and done\n\n› Write")
	m.keys("C-d")
	screen = m.leave()
	if n := strings.Count(screen, "The answer grows"); n != 1 {
		t.Errorf("the answer stands there %d times:\n%s", n, screen)
	}
}

func TestTerminalStopKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"Escape", "C-c"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			m := startTmux(t)
			m.say("work writing a file")
			m.see("writing a file… 0 s · Esc stops")
			m.keys(key)
			m.see("  Stopped by you.\n\n› Write")
			m.say("exit")
			m.leave()
		})
	}
}

func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	tests := map[string]func(m *tmux) (says string){
		"exit":     func(m *tmux) string { m.say("exit"); return "left: <nil>" },
		"ctrl+d":   func(m *tmux) string { m.keys("C-d"); return "left: <nil>" },
		"in a run": func(m *tmux) string { m.say("stream x"); m.see("writing"); m.say("quit"); return "left: <nil>" },
		"context":  func(m *tmux) string { m.say("cancel"); return "left: <nil>" },
		"panic":    func(m *tmux) string { m.say("panic"); return "" },
	}
	for name, leave := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := startTmux(t)
			says := leave(m)
			if screen := m.leave(); !strings.Contains(screen, says) || strings.Contains(screen, "Write a message") {
				t.Errorf("screen:\n%s", screen)
			}
			stderr, err := os.ReadFile(filepath.Join(m.dir, "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			if want := "panic: the handler panics"; (name == "panic") != strings.Contains(string(stderr), want) {
				t.Errorf("stderr: %s", stderr)
			}
		})
	}
}

func TestTerminalKeepsLongAnswers(t *testing.T) {
	t.Parallel()
	m := startTmux(t)
	m.say("long")
	screen := m.wait("the last item", func(s string) bool {
		return strings.Contains(s, fmt.Sprintf("number %d\n\n› Write", longItems))
	})
	_, got, _ := strings.Cut(screen, "› long\n\n")
	got, _, _ = strings.Cut(got, "\n\n› Write")
	want := strings.TrimSuffix(strings.ReplaceAll(longAnswer(), "- ", "  • "), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTerminalFollowsTheWindow(t *testing.T) {
	t.Parallel()
	m := startTmux(t)
	m.say("stream " + strings.Repeat("word ", 20))
	m.see("writing")
	m.run("resize-window", "-x", "30", "-y", "10")
	m.wait("the narrow preview", func(s string) bool {
		return strings.Contains(s, "\n  word word word word word\n  word word word word word\n")
	})
	m.keys("-l", "finish")
	m.run("resize-window", "-x", "90", "-y", "30")
	m.see("\n  " + strings.Repeat("word ", 16) + "word\n")
	m.keys("Enter")
	m.see("  word word word - and done\n\n› Write")
}

func TestTerminalObeysNoModel(t *testing.T) {
	t.Parallel()
	m := startTmux(t)
	title := m.run("display-message", "-p", "#{pane_title}")
	m.say("attack")
	screen := m.see("text\n\n› Write")
	if !strings.Contains(screen, "shell before\n") {
		t.Errorf("the screen was cleared:\n%s", screen)
	}
	if got := m.run("display-message", "-p", "#{pane_title} #{alternate_on}"); got != strings.TrimSpace(title)+" 0\n" {
		t.Errorf("title and alternate screen: %s", got)
	}
}

func TestTerminalColours(t *testing.T) {
	t.Parallel()
	attribute := regexp.MustCompile(`\x1b\[[0-9;]+m`)
	for env, want := range map[string]bool{"NO_COLOR=": true, "NO_COLOR=1": false} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			m := startTmux(t, env)
			m.say("markdown")
			m.see("x := 1")
			if got := attribute.MatchString(m.run("capture-pane", "-pe")); got != want {
				t.Errorf("attributes: %v, want %v", got, want)
			}
		})
	}
}

func TestTerminalSaysWhatWasNotStored(t *testing.T) {
	t.Parallel()
	m := startTmux(t)
	m.say("refuse")
	m.see("  Your message was not stored, so nobody will answer it. Pl")
	m.keys("C-d")
	m.leave()
}
