package terminal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

// buffer is a bytes.Buffer for more than one goroutine.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// pipe is a terminal without a person, with what it was given and what it printed.
type pipe struct {
	term     *terminal.Terminal
	out, err buffer
	inbounds []*channels.Inbound
}

func newPipe(in io.Reader, change func(*terminal.Config)) *pipe {
	p := &pipe{}
	cfg := terminal.Config{
		In: in, Out: &p.out, Err: &p.err,
		Name: "terminal", User: channels.Sender{ID: "u1", Name: "Uma"}, Greeting: "not for pipes",
		Environ: []string{"TERM=xterm"},
	}
	if change != nil {
		change(&cfg)
	}
	p.term = terminal.New(cfg, channels.Env{Log: slog.New(slog.DiscardHandler)})
	return p
}

// keep stores every message.
func (p *pipe) keep(_ context.Context, in *channels.Inbound) error {
	p.inbounds = append(p.inbounds, in)
	return nil
}

func (p *pipe) texts() []string {
	var texts []string
	for _, in := range p.inbounds {
		texts = append(texts, in.Text)
	}
	return texts
}

func TestPipeReadsLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	tests := map[string]struct {
		in   string
		want []string
	}{
		"nothing":                       {"", nil},
		"blank lines are skipped":       {"\n  \n\t\none\n\n", []string{"one"}},
		"the last line may be unended":  {"one\ntwo", []string{"one", "two"}},
		"a line of a megabyte":          {long + "\nshort\n" + long, []string{long, "short", long}},
		"Windows line ends":             {"one\r\ntwo\r\n", []string{"one", "two"}},
		"NUL and broken UTF-8 pass":     {"a\x00b\xff\xfec\n", []string{"a\x00b\xff\xfec"}},
		"inner and leading blanks stay": {"  a  b \n", []string{"  a  b "}},
		"exit is a word like any other": {"exit\nquit\n", []string{"exit", "quit"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPipe(strings.NewReader(tt.in), nil)
			if err := p.term.Run(t.Context(), p.keep); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, p.texts()); diff != "" {
				t.Error(diff)
			}
			if p.out.String() != "" || p.err.String() != "" {
				t.Errorf("printed %q and %q", p.out.String(), p.err.String())
			}
		})
	}
}

func TestPipeInbound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(strings.NewReader("hi\nhi\n"), nil)
		if err := p.term.Run(t.Context(), p.keep); err != nil {
			t.Fatal(err)
		}
		want := &channels.Inbound{
			Conversation: channels.Conversation{Channel: "terminal", Chat: "local"},
			Sender:       channels.Sender{ID: "u1", Name: "Uma"},
			Direct:       true,
			Text:         "hi",
			SentAt:       time.Now(),
		}
		ignoreIDs := cmpopts.IgnoreFields(channels.Inbound{}, "ID", "EventKey")
		if diff := cmp.Diff([]*channels.Inbound{want, want}, p.inbounds, ignoreIDs); diff != "" {
			t.Error(diff)
		}
		a, b := p.inbounds[0], p.inbounds[1]
		if a.ID == "" || a.EventKey == "" || a.ID == b.ID || a.EventKey == b.EventKey {
			t.Errorf("ids repeat: %q %q, %q %q", a.ID, a.EventKey, b.ID, b.EventKey)
		}
	})
}

func TestCommands(t *testing.T) {
	t.Parallel()
	tests := map[string]*channels.Command{
		"/stop":                    {Name: "stop"},
		"/stop all now":            {Name: "stop", Args: "all now"},
		"/task  add \"a b\" !high": {Name: "task", Args: `add "a b" !high`},
		"/new-one_2 x":             {Name: "new-one_2", Args: "x"},
		"/etc/passwd":              nil,
		"/ stop":                   nil,
		"//stop":                   nil,
		"/":                        nil,
		"/2":                       nil,
		" /stop":                   nil,
		"stop":                     nil,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			p := newPipe(strings.NewReader(text), nil)
			if err := p.term.Run(t.Context(), p.keep); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, p.inbounds[0].Command); diff != "" {
				t.Error(diff)
			}
			if got := p.inbounds[0].Text; got != text {
				t.Errorf("text %q, want %q", got, text)
			}
		})
	}
}

func TestPipeOffersAMessageUntilItIsStored(t *testing.T) {
	t.Parallel()
	const told = "Your message cannot be stored right now; trying again until it is.\nYour message is stored now.\n"
	tests := map[string]struct {
		failures int
		stderr   string
	}{
		"stored at once":     {0, ""},
		"stored second time": {1, told},
		"stored at last":     {60, told},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPipe(strings.NewReader("bad\ngood\n"), nil)
				tries := 0
				ids := map[channels.MessageID]bool{}
				err := p.term.Run(t.Context(), func(ctx context.Context, in *channels.Inbound) error {
					if in.Text == "good" {
						return p.keep(ctx, in)
					}
					tries++
					ids[in.ID] = true
					if tries <= tt.failures {
						return errors.New("disk full\n\x1b]0;x\x07[31m")
					}
					return nil
				})
				if err != nil {
					t.Errorf("Run: %v", err)
				}
				if tries != tt.failures+1 || len(ids) != 1 {
					t.Errorf("%d tries with %d ids, want %d with one", tries, len(ids), tt.failures+1)
				}
				if diff := cmp.Diff([]string{"good"}, p.texts()); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(tt.stderr, p.err.String()); diff != "" {
					t.Error(diff)
				}
				if p.out.String() != "" {
					t.Errorf("notices on Out: %q", p.out.String())
				}
			})
		})
	}
}

func TestPipeWaitsForItsAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p *pipe
		p = newPipe(strings.NewReader("question"), func(c *terminal.Config) {
			c.Drain = func(ctx context.Context) error {
				if len(p.inbounds) != 1 {
					t.Errorf("drained before the end: %d messages", len(p.inbounds))
				}
				time.Sleep(time.Hour)
				_, err := p.term.Send(ctx, &channels.Outbound{Text: "answer"})
				return err
			}
		})
		if err := p.term.Run(t.Context(), p.keep); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("answer\n", p.out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPipeDrainFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	p := newPipe(strings.NewReader(""), func(c *terminal.Config) {
		c.Drain = func(context.Context) error { return boom }
	})
	if err := p.term.Run(t.Context(), p.keep); !errors.Is(err, boom) {
		t.Errorf("Run: %v", err)
	}
}

func TestPipeStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	const lost = "Your message was not stored, so nobody will answer it. Please send it again.\n"
	tests := map[string]struct {
		in     string
		handle channels.Handler
		told   string
	}{
		"while it reads": {"", nil, ""},
		"while a message is stored": {"x\n", func(ctx context.Context, _ *channels.Inbound) error {
			<-ctx.Done()
			return ctx.Err()
		}, lost},
		"between two tries": {
			"x\n", func(context.Context, *channels.Inbound) error { return errors.New("busy") },
			"Your message cannot be stored right now; trying again until it is.\n" + lost,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				in, w := io.Pipe()
				defer w.Close()
				go func() { _, _ = io.WriteString(w, tt.in) }()
				p := newPipe(in, nil)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error)
				go func() { done <- p.term.Run(ctx, tt.handle) }()
				synctest.Wait()
				start := time.Now()
				cancel()
				if err := <-done; err != nil {
					t.Errorf("Run: %v", err)
				}
				if d := time.Since(start); d > 0 {
					t.Errorf("took %v", d)
				}
				if diff := cmp.Diff(tt.told, p.err.String()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestPipeStopsDrainingWhenCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newPipe(strings.NewReader(""), func(c *terminal.Config) {
			c.Drain = func(ctx context.Context) error {
				cancel()
				<-ctx.Done()
				return ctx.Err()
			}
		})
		if err := p.term.Run(ctx, p.keep); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

func TestPipeReportsABrokenInput(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	in := io.MultiReader(strings.NewReader("one\ntw"), failingReader{boom})
	p := newPipe(in, nil)
	if err := p.term.Run(t.Context(), p.keep); !errors.Is(err, boom) {
		t.Errorf("Run: %v", err)
	}
	if diff := cmp.Diff([]string{"one", "tw"}, p.texts()); diff != "" {
		t.Error(diff)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }
