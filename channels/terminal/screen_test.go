package terminal_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

// typist types into a running line editor whose terminal is a pair of pipes.
type typist struct {
	term *terminal.Terminal
	keys *io.PipeWriter
	out  buffer
	done chan error
}

func startChat(ctx context.Context, t *testing.T, h channels.Handler) *typist {
	t.Helper()
	in, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	p := &typist{keys: w, done: make(chan error, 1)}
	p.term = terminal.New(terminal.Config{
		In: in, Out: &p.out, Err: io.Discard,
		Interactive: true, Name: "terminal", Environ: []string{"TERM=xterm", "NO_COLOR=1"},
	}, channels.Env{Log: slog.New(slog.DiscardHandler)})
	go func() { p.done <- p.term.Run(ctx, h) }()
	return p
}

func (p *typist) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(p.keys, keys); err != nil {
		t.Fatal(err)
	}
}

func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		t.Fatalf("%s: nothing came", what)
		panic("unreachable")
	}
}

func TestStopOvertakesWaitingMessages(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	stopped := make(chan struct{})
	p := startChat(t.Context(), t, func(_ context.Context, in *channels.Inbound) error {
		got <- in.Text
		switch in.Text {
		case "slow":
			<-stopped
		case "/stop":
			if diff := cmp.Diff(&channels.Command{Name: "stop"}, in.Command); diff != "" {
				t.Error(diff)
			}
			close(stopped)
		}
		return nil
	})
	p.press(t, "slow\r")
	receive(t, "slow", got)
	p.press(t, "second\rthird\r\x03")
	var order []string
	for range 3 {
		order = append(order, receive(t, "messages", got))
	}
	if diff := cmp.Diff([]string{"/stop", "second", "third"}, order); diff != "" {
		t.Error(diff)
	}
	p.press(t, "\x04")
	if err := receive(t, "end", p.done); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestMessagesTypedBeforeLeavingAreStored(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	release := make(chan struct{})
	p := startChat(t.Context(), t, func(_ context.Context, in *channels.Inbound) error {
		<-release
		got <- in.Text
		return nil
	})
	p.press(t, "one\rtwo\rexit\r")
	close(release)
	if err := receive(t, "end", p.done); err != nil {
		t.Errorf("Run: %v", err)
	}
	close(got)
	var texts []string
	for text := range got {
		texts = append(texts, text)
	}
	if diff := cmp.Diff([]string{"one", "two"}, texts); diff != "" {
		t.Error(diff)
	}
}

func TestEditorEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	entered := make(chan struct{})
	p := startChat(ctx, t, func(ctx context.Context, _ *channels.Inbound) error {
		close(entered)
		<-ctx.Done()
		return ctx.Err()
	})
	p.press(t, "hi\r")
	receive(t, "message", entered)
	cancel()
	if err := receive(t, "end", p.done); err != nil {
		t.Errorf("Run: %v", err)
	}
	if !strings.Contains(p.out.String(), "Your message was not stored") {
		t.Errorf("a lost message goes unmentioned: %q", p.out.String())
	}
}

func TestEditorEndsWithItsInput(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for name, end := range map[string]error{"hang-up": io.EOF, "broken": boom} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startChat(t.Context(), t, func(context.Context, *channels.Inbound) error { return nil })
			p.keys.CloseWithError(end)
			err := receive(t, "end", p.done)
			if want := errors.Is(end, boom); errors.Is(err, boom) != want {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

func TestSendBeforeAndAfterTheEditor(t *testing.T) {
	t.Parallel()
	var out buffer
	in, w := io.Pipe()
	defer w.Close()
	term := terminal.New(terminal.Config{
		In: in, Out: &out, Interactive: true, Environ: []string{"TERM=xterm", "NO_COLOR=1"},
	}, channels.Env{Log: slog.New(slog.DiscardHandler)})
	say(t, term, &channels.Outbound{Text: "before"})
	if out.String() != "" {
		t.Errorf("printed before Run: %q", out.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := term.Run(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "before"); n != 1 {
		t.Errorf("shown %d times: %q", n, out.String())
	}
	say(t, term, &channels.Outbound{Text: "**after**"})
	if !strings.HasSuffix(out.String(), "  **after**\n\n") {
		t.Errorf("after Run: %q", out.String())
	}
}
