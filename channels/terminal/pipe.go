package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/leadhand/leadhand/channels"
)

// prompt is what a person sees who types without the line editor.
const prompt = "> "

// lines is the conversation without the line editor: a pipe, or a terminal that can't place its cursor.
type lines struct {
	cfg    *Config
	log    *slog.Logger
	broken chan struct{} // closed once Out can't be written

	mu       sync.Mutex
	err      error // why Out is broken
	answered bool  // something was printed
	prompted bool  // the cursor stands behind a prompt
}

func newLines(cfg *Config, log *slog.Logger) *lines {
	return &lines{cfg: cfg, log: log, broken: make(chan struct{})}
}

// input is one line read, or the end of reading.
type input struct {
	text string
	err  error
}

func (l *lines) run(ctx context.Context, h channels.Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if l.cfg.Interactive && l.cfg.Greeting != "" {
		if err := l.print(sanitize(l.cfg.Greeting)); err != nil {
			return err
		}
	}
	lost, err := l.readAll(ctx, h)
	switch {
	case errors.Is(err, errOutput) || ctx.Err() != nil:
		return ignoreDone(ctx, err)
	case err != nil:
		return fmt.Errorf("read input: %w", err)
	case l.cfg.Interactive:
		return nil
	}
	if err := l.drain(ctx); err != nil {
		return err
	}
	if lost > 0 && ctx.Err() == nil {
		return fmt.Errorf("messages not stored: %d", lost)
	}
	return nil
}

// errOutput is the reason for stopping when Out is broken; the cause is wrapped with it.
var errOutput = errors.New("write output")

func ignoreDone(ctx context.Context, err error) error {
	if errors.Is(err, errOutput) {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// readAll submits each line until the input ends, the person leaves, or ctx or Out ends. It counts the messages that
// were lost.
func (l *lines) readAll(ctx context.Context, h channels.Handler) (lost int, err error) {
	in := make(chan input)
	go l.read(ctx, in)
	for {
		l.ask()
		select {
		case <-ctx.Done():
			return lost, nil
		case <-l.broken:
			return lost, l.failure()
		case line := <-in:
			switch {
			case errors.Is(line.err, io.EOF):
				return lost, nil
			case line.err != nil:
				return lost, line.err
			}
			l.answeredPrompt()
			if l.cfg.Interactive && isFarewell(line.text) {
				return lost, nil
			}
			if strings.TrimSpace(line.text) == "" {
				continue
			}
			if !l.submit(ctx, h, line.text) {
				lost++
			}
		}
	}
}

// submit stores one line. A pipe waits until that is done, however long it takes: nothing that was read is dropped.
func (l *lines) submit(ctx context.Context, h channels.Handler, text string) bool {
	tries, waited := 0, false
	var waits func(error)
	if l.cfg.Interactive {
		tries = submitTries
	} else {
		waits = func(err error) {
			l.log.Error("message cannot be stored yet", "err", err)
			l.notice(notYet)
			waited = true
		}
	}
	err := l.cfg.submit(ctx, h, text, tries, waits)
	switch {
	case err == nil && waited:
		l.notice(storedLate)
	case err != nil:
		l.log.Error("message not stored", "err", err)
		l.notice(notStored)
	}
	return err == nil
}

// read splits In into lines of any length. Nothing can interrupt a read from a pipe, so nobody waits for this
// goroutine: once ctx is done it ends with the next line, or with the program.
func (l *lines) read(ctx context.Context, out chan<- input) {
	in := bufio.NewReader(l.cfg.In)
	for {
		text, err := in.ReadString('\n')
		if text != "" {
			text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
			select {
			case out <- input{text: text}:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			select {
			case out <- input{err: err}:
			case <-ctx.Done():
			}
			return
		}
	}
}

// drain waits for the answers to what was read, unless there is nowhere left to print them.
func (l *lines) drain(ctx context.Context) error {
	if l.cfg.Drain == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- l.cfg.Drain(ctx) }()
	select {
	case <-l.broken:
		cancel()
		<-done //nolint:errcheck // the broken output is what counts
		return l.failure()
	case err := <-done:
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("wait for answers: %w", err)
		}
		return nil
	}
}

func (l *lines) send(m *channels.Outbound) error {
	text := strings.TrimRight(sanitize(m.Text), "\n")
	for _, a := range m.Attachments {
		text += "\n" + describe(a)
	}
	if text = strings.TrimLeft(text, "\n"); text == "" {
		return nil
	}
	return l.print(text)
}

// print writes one answer, with a blank line between it and the one before.
func (l *lines) print(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if l.answered || l.prompted {
		text = "\n" + text
	}
	text += "\n"
	if l.prompted {
		text += "\n" + prompt
	}
	l.answered = true
	return l.write(text)
}

// write is called with mu held. A failed write closes the channel for good: half an answer can't be taken back.
func (l *lines) write(text string) error {
	if _, err := io.WriteString(l.cfg.Out, text); err != nil {
		l.err = fmt.Errorf("%w: %w", errOutput, err)
		close(l.broken)
	}
	return l.err
}

func (l *lines) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// ask shows the prompt to a person, once for each line.
func (l *lines) ask() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.cfg.Interactive || l.prompted || l.err != nil {
		return
	}
	if l.answered {
		_ = l.write("\n") // a failure is kept and ends Run
	}
	if l.err == nil {
		_ = l.write(prompt)
	}
	l.prompted = true
}

func (l *lines) answeredPrompt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prompted = false
}

// notice tells the person something that is no answer. There is nobody to tell when that fails.
func (l *lines) notice(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintln(l.cfg.Err, text)
}

// isFarewell tells the words that leave the chat.
func isFarewell(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "exit", "quit", "/exit", "/quit":
		return true
	}
	return false
}
