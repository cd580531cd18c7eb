package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// bot is `leadhand serve`, which can be killed and started again.
type bot struct {
	binary string
	env    []string
	log    string // path

	mu   sync.Mutex
	cmd  *exec.Cmd
	dead chan struct{} // closed when cmd has ended
	peak int64         // bytes of memory, the most of all that ran
}

func newBot(o options, dir string, env []string, modelURL string) *bot {
	database := o.database
	if database == "" {
		database = "sqlite:" + filepath.Join(dir, "leadhand.db")
	}
	return &bot{
		binary: o.binary, log: filepath.Join(dir, "bot.log"),
		env: append(append(os.Environ(), env...), "LEADHAND_ACCESS=open", "LEADHAND_DATA="+dir,
			"LEADHAND_DATABASE_URL="+database, "LEADHAND_LISTEN=127.0.0.1:0",
			"OPENAI_BASE_URL="+modelURL, "OPENAI_API_KEY=none", "LEADHAND_MODEL=openai:mock"),
	}
}

const startPatience = 30 * time.Second

// start starts the bot and waits until it is ready.
func (b *bot) start(ctx context.Context) error {
	log, err := os.OpenFile(b.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(b.binary, "serve") //nolint:noctx // it is stopped with a signal first
	cmd.Env = b.env
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return errors.Join(err, log.Close())
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	ready, dead := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(dead)
		follow(pipe, log, ready)
		_ = cmd.Wait()
		_ = log.Close()
	}()
	b.mu.Lock()
	b.cmd, b.dead = cmd, dead
	b.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-dead:
		return fmt.Errorf("the bot ended at once; its log is %s:\n%s", b.log, b.tail())
	case <-time.After(startPatience):
		return fmt.Errorf("the bot is not ready after %s; its log is %s:\n%s", startPatience, b.log, b.tail())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow copies the log and closes ready at the line that says so.
func follow(pipe io.Reader, log io.Writer, ready chan<- struct{}) {
	told := false
	for lines := bufio.NewReader(pipe); ; {
		line, err := lines.ReadBytes('\n')
		_, _ = log.Write(line)
		if !told && bytes.Contains(line, []byte(`"msg":"ready"`)) {
			told = true
			close(ready)
		}
		if err != nil {
			return
		}
	}
}

func (b *bot) tail() string {
	text, err := os.ReadFile(b.log)
	if err != nil {
		return err.Error()
	}
	const enough = 2000
	return string(text[max(0, len(text)-enough):])
}

var peakMemory = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// end ends the bot with a signal and returns how long that took.
func (b *bot) end(sig syscall.Signal) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cmd == nil {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
	if m := peakMemory.FindSubmatch(status); err == nil && m != nil {
		kB, _ := strconv.ParseInt(string(m[1]), 10, 64)
		b.peak = max(b.peak, kB<<10)
	}
	began := time.Now()
	_ = b.cmd.Process.Signal(sig)
	select {
	case <-b.dead:
	case <-time.After(startPatience):
		_ = b.cmd.Process.Kill()
		<-b.dead
	}
	b.cmd = nil
	return time.Since(began)
}
