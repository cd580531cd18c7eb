package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds one run of the program.
const patience = 25 * time.Second

// binary is the program under test, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "leadhand-test-*")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "leadhand")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// program is one installation: a data directory and an environment with nothing else in it.
type program struct {
	t    *testing.T
	path string
	data string
	env  []string
}

func install(t *testing.T, env ...string) *program {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return &program{t, path, filepath.Join(home, ".leadhand"), append([]string{"HOME=" + home, "TZ=UTC"}, env...)}
}

// command is not started yet. It is killed when the test is over, or too slow.
func (p *program) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), patience)
	p.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env = p.env
	cmd.WaitDelay = time.Second
	return cmd
}

// result is how a run ended.
type result struct {
	out, err string
	code     int
	took     time.Duration
}

// run runs the program to its end.
func (p *program) run(stdin string, args ...string) result {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	start := time.Now()
	code := exitCode(p.t, cmd.Run())
	return result{out.String(), errs.String(), code, time.Since(start)}
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return 0
	case ok:
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}

// terminate sends SIGTERM and returns the exit code and how long the end took.
func terminate(t *testing.T, cmd *exec.Cmd) (code int, took time.Duration) {
	t.Helper()
	start := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return exitCode(t, cmd.Wait()), time.Since(start)
}

// contains checks that text has each of wanted, in this order.
func contains(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	rest := text
	for _, want := range wanted {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Errorf("%s has no %q in its place:\n%s", what, want, text)
			return
		}
		rest = after
	}
}

// oneLine checks that a run failed with one line for people.
func (r result) oneLine(t *testing.T, code int, wanted ...string) {
	t.Helper()
	if r.code != code || strings.Count(r.err, "\n") != 1 || !strings.HasPrefix(r.err, "leadhand: ") || r.out != "" {
		t.Errorf("exit code %d, output %q, errors:\n%s", r.code, r.out, r.err)
	}
	contains(t, "stderr", r.err, wanted...)
}

// tail collects what a running program writes and lets a test wait for it.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newTail() *tail { return &tail{more: make(chan struct{}, 1)} }

func (l *tail) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
	return l.text.Write(b)
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await waits until text was written.
func (l *tail) await(t *testing.T, text string) {
	t.Helper()
	late := time.After(patience)
	for !strings.Contains(l.String(), text) {
		select {
		case <-l.more:
		case <-late:
			t.Fatalf("%q does not come:\n%s", text, l.String())
		}
	}
}

func TestWrongUseNamesWhatIsRight(t *testing.T) {
	t.Parallel()
	p := install(t)
	for args, want := range map[string]string{
		"--lisen x":        `unknown flag --lisen, did you mean "--listen"?`,
		"serve --lisen=x":  `"--listen"`,
		"serv":             `did you mean "serve"?`,
		"chat --demoo":     `"--demo"`,
		"migrate now":      "unexpected argument now",
		"zzzz":             "`leadhand --help`",
		"serve --listen":   "--listen needs a value",
		"chat --demo=more": "demo",
	} {
		r := p.run("", strings.Fields(args)...)
		r.oneLine(t, 2, want)
	}
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	p := install(t)
	alone, help := p.run(""), p.run("", "--help")
	if alone != (result{out: help.out, took: alone.took}) || help.code != 0 {
		t.Errorf("alone %+v, with --help %+v", alone, help)
	}
	contains(t, "help", help.out, "leadhand chat --demo", "OPENAI_API_KEY", "chat", "serve", "migrate")
	contains(t, "help", p.run("", "chat", "--help").out, "echo", "--config=FILE", "--data=DIR", "--demo")
	if r := p.run("", "--version"); r.code != 0 || strings.TrimSpace(r.out) == "" {
		t.Errorf("%+v", r)
	}
}

func TestFailuresAreOneClearLine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("listn: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	demo := "LEADHAND_MODEL=demo"
	tests := map[string]struct {
		env  []string
		args []string
		want []string
	}{
		"no model": {nil, []string{"serve"}, []string{"no model is configured", "OPENAI_API_KEY", "--demo"}},
		"wrong configuration": {nil, []string{"serve", "--config", file},
			[]string{file, "line 1", `did you mean "listen"`}},
		"missing configuration": {nil, []string{"migrate", "--config", "/nope.yaml"},
			[]string{"/nope.yaml", "no such file"}},
		"misspelt variable":       {[]string{"LEADHAND_ACESS=open"}, []string{"serve"}, []string{`"LEADHAND_ACCESS"`}},
		"unknown kind":            {[]string{"LEADHAND_MODEL=opnai"}, []string{"serve"}, []string{`"openai"`}},
		"data is a file, serve":   {[]string{demo}, []string{"serve", "--data", file}, []string{file, "--data"}},
		"data is a file, chat":    {[]string{demo}, []string{"chat", "--data", file}, []string{file, "--data"}},
		"data is a file, migrate": {[]string{demo}, []string{"migrate", "--data", file}, []string{file, "--data"}},
		"database URL is nonsense": {[]string{demo, "LEADHAND_DATABASE_URL=mysql://u:sekret@h"}, []string{"serve"},
			[]string{"postgres://"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := install(t, tt.env...).run("", tt.args...)
			r.oneLine(t, 1, tt.want...)
			if strings.Contains(r.err, "sekret") {
				t.Errorf("the password is shown: %s", r.err)
			}
		})
	}
}
