package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminalAsker asks at a terminal.
type terminalAsker struct{ in, out *os.File }

var _ asker = terminalAsker{}

// Line asks in the terminal's own mode, so that its keys for editing work.
func (a terminalAsker) Line(ctx context.Context, question string) (string, error) {
	return a.read(ctx, func() (string, error) {
		if _, err := io.WriteString(a.out, question); err != nil {
			return "", err
		}
		var line []byte
		for b := make([]byte, 1); ; {
			n, err := a.in.Read(b)
			switch {
			case n == 1 && b[0] == '\n':
				return string(line), nil
			case n == 1:
				line = append(line, b[0])
			case err != nil:
				return "", err
			}
		}
	})
}

// Secret asks in raw mode, in which nothing is echoed; Ctrl-C and Ctrl-D both leave there.
func (a terminalAsker) Secret(ctx context.Context, question string) (string, error) {
	fd := int(a.in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("turn the echo off: %w: %w", io.EOF, err)
	}
	defer func() {
		_ = term.Restore(fd, before)
		_, _ = fmt.Fprintln(a.out)
	}()
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{single{a.in}, a.out}, "")
	return a.read(ctx, func() (string, error) { return screen.ReadPassword(question) })
}

// single reads one byte at a time: what is typed ahead belongs to the next question, or to the chat.
type single struct{ io.Reader }

func (s single) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(len(p), 1)]) }

// read runs a reader that nothing can interrupt. When ctx ends first the program ends, and the reader with it.
func (a terminalAsker) read(ctx context.Context, reader func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := reader()
		got <- answer{text, err}
	}()
	select {
	case a := <-got:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			a.err = fmt.Errorf("%w: %w", io.EOF, a.err)
		}
		return strings.TrimSpace(a.text), a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
