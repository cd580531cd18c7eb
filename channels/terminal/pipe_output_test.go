package terminal_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

func TestPipePrintsAnswers(t *testing.T) {
	t.Parallel()
	p := newPipe(strings.NewReader(""), nil)
	for _, m := range []*channels.Outbound{
		{Text: "# One\n\n**bold**\n\n"},
		{Text: ""},
		{Text: "two \x1b[31mred\x1b]0;x\x07\u009b2J\rx", Edit: "anything"},
		{Text: "three", Attachments: []channels.Attachment{{Name: "a.png", Data: make([]byte, 1500)}}},
		{Attachments: []channels.Attachment{{Name: "b.txt"}}},
		{Text: "again", Attempt: channels.Attempt{Unsure: true}},
	} {
		say(t, p.term, m)
	}
	want := "# One\n\n**bold**\n\n" +
		"two red\nx\n\n" +
		"three\nFile: a.png (1.5 kB), kept in your workspace\n\n" +
		"File: b.txt (0 B), kept in your workspace\n\n" +
		"again\n"
	if diff := cmp.Diff(want, p.out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPipeStreamsNothing(t *testing.T) {
	t.Parallel()
	p := newPipe(strings.NewReader(""), nil)
	st := stream(t, p.term)
	show(t, st, channels.Draft{Text: "half"})
	if id := closeStream(t, st); id != "" {
		t.Errorf("id %q", id)
	}
	if err := p.term.Typing(t.Context(), channels.Conversation{}); err != nil {
		t.Error(err)
	}
	if p.out.String()+p.err.String() != "" {
		t.Errorf("printed %q %q", p.out.String(), p.err.String())
	}
}

// broken is an output that nobody reads.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestPipeEndsWhenOutputIsBroken(t *testing.T) {
	t.Parallel()
	send := func(t *testing.T, term *terminal.Terminal) {
		_, err := term.Send(t.Context(), &channels.Outbound{Text: "x"})
		var e *channels.Error
		if !errors.As(err, &e) || !e.Terminal || !errors.Is(err, syscall.EPIPE) {
			t.Errorf("Send: %v", err)
		}
	}
	t.Run("while it reads", func(t *testing.T) {
		t.Parallel()
		in, w := io.Pipe()
		defer w.Close()
		p := newPipe(in, func(c *terminal.Config) { c.Out = broken{} })
		done := make(chan error)
		go func() { done <- p.term.Run(t.Context(), p.keep) }()
		send(t, p.term)
		send(t, p.term)
		if err := <-done; !errors.Is(err, syscall.EPIPE) {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("while it drains", func(t *testing.T) {
		t.Parallel()
		var p *pipe
		p = newPipe(strings.NewReader(""), func(c *terminal.Config) {
			c.Out = broken{}
			c.Drain = func(ctx context.Context) error {
				send(t, p.term)
				<-ctx.Done()
				return ctx.Err()
			}
		})
		if err := p.term.Run(t.Context(), p.keep); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("Run: %v", err)
		}
	})
	t.Run("a real pipe", func(t *testing.T) {
		t.Parallel()
		syscall.ForkLock.RLock() // a child of another test would keep the reading end open until it has started
		defer syscall.ForkLock.RUnlock()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		p := newPipe(strings.NewReader(""), func(c *terminal.Config) { c.Out = w })
		send(t, p.term)
	})
}

func TestConcurrentAnswersStayWhole(t *testing.T) {
	t.Parallel()
	p := newPipe(strings.NewReader(""), nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { say(t, p.term, &channels.Outbound{Text: "one\ntwo"}) })
	}
	wg.Wait()
	want := strings.TrimSuffix(strings.Repeat("one\ntwo\n\n", 20), "\n")
	if diff := cmp.Diff(want, p.out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestDumbTerminalHasAPrompt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		p := newPipe(in, func(c *terminal.Config) {
			c.Interactive = true
			c.Greeting = "Hello."
			c.Environ = []string{"TERM=xterm", "TERM=dumb"}
			c.Drain = func(context.Context) error { t.Error("a person who leaves waits for nothing"); return nil }
		})
		done := make(chan error)
		go func() {
			done <- p.term.Run(t.Context(), func(ctx context.Context, in *channels.Inbound) error {
				_, err := p.term.Send(ctx, &channels.Outbound{Text: "You said " + in.Text})
				return err
			})
		}()
		for _, line := range []string{"hi\n", "\n"} {
			if _, err := io.WriteString(w, line); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		say(t, p.term, &channels.Outbound{Text: "By the way."})
		if _, err := io.WriteString(w, "exit\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		// What the person types is echoed by the terminal itself, so it is not in Out.
		want := "Hello.\n\n> \nYou said hi\n\n> \n> \nBy the way.\n\n> "
		if diff := cmp.Diff(want, p.out.String()); diff != "" {
			t.Error(diff)
		}
		w.Close()
	})
}
