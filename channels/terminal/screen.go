package terminal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/leadhand/leadhand/channels"
)

// stopCommand is what Esc and ctrl+c send while something runs.
const stopCommand = "/stop"

// The size of a screen that doesn't tell its own.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// leaveWithin bounds how long the program stays when the person has left and a message is still being stored.
const leaveWithin = 5 * time.Second

// screen is the conversation with the line editor.
type screen struct {
	cfg    *Config
	log    *slog.Logger
	paint  painter
	events *queue[any]

	mu    sync.Mutex
	width int // of the screen when the editor ended
}

func newScreen(cfg *Config, log *slog.Logger) *screen {
	s := &screen{
		cfg:    cfg,
		log:    log,
		paint:  painter{color: cfg.environ("NO_COLOR") == ""},
		events: newQueue[any](),
		width:  defaultWidth,
	}
	if cfg.Greeting != "" {
		s.events.put(message{&channels.Outbound{Text: cfg.Greeting}})
	}
	return s
}

// send has the editor print m. When there is no editor any more it prints m itself.
func (s *screen) send(m *channels.Outbound) error {
	if s.events.put(message{m}) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.print(s.paint.message(m, s.width))
}

func (s *screen) openPreview(id channels.MessageID) channels.Stream {
	s.events.put(opened{id})
	return &previewStream{screen: s, id: id}
}

// run shows the editor until the person leaves or ctx is done.
func (s *screen) run(ctx context.Context, h channels.Handler) error {
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	in := newHangup(s.cfg.In)
	c := &crew{screen: s, handle: h, typed: newQueue[string](), gone: in.gone, left: make(chan struct{})}
	view := newModel(actions{
		submit: func(text string) { c.typed.put(text) },
		stop:   func() { c.start(func() { c.submit(work, stopCommand) }) },
		events: func() []any { events, _ := s.events.take(); return events },
	}, s.paint)
	program := tea.NewProgram(view,
		tea.WithInput(in.input()),
		tea.WithOutput(s.cfg.Out),
		tea.WithEnvironment(s.cfg.Environ),
		tea.WithWindowSize(defaultWidth, defaultHeight), // where Out can't tell
		tea.WithoutSignalHandler(),                      // signals are the program's affair; they end ctx
	)
	c.quit = func() { program.Send(leaveMsg{}) }
	c.start(func() { c.tell(ctx, program) })
	c.start(func() { c.deliver(work) })

	_, err := program.Run()
	c.leave(cancel)
	if rest := s.finish(view); err == nil {
		err = rest
	}
	c.rethrow()
	if err != nil {
		return fmt.Errorf("run editor: %w", err)
	}
	return nil
}

// finish prints what the editor had no time for, and lets later messages be printed directly.
func (s *screen) finish(view *model) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.width = view.size.Width
	s.events.close()
	view.take()
	lines := view.scroll.lines
	if len(lines) == 0 {
		return nil
	}
	return s.print(lines[:len(lines)-1])
}

// print writes a block and a blank line below it; mu is held.
func (s *screen) print(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	if _, err := io.WriteString(s.cfg.Out, strings.Join(lines, "\n")+"\n\n"); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// crew are the goroutines beside the editor: one tells it of events, one hands messages to the bot in order, and each
// stop has its own, since it must not wait behind a message.
type crew struct {
	screen *screen
	handle channels.Handler
	typed  *queue[string]
	quit   func()        // ends the editor
	gone   chan struct{} // closed at the end of the input
	left   chan struct{} // closed when the editor has ended
	wg     sync.WaitGroup

	mu    sync.Mutex
	panic string // what a handler's panic said, to be said again once the terminal is restored
}

// start runs work beside the editor. A panic in it must not end the process while the terminal is in raw mode.
func (c *crew) start(work func()) {
	c.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				c.mu.Lock()
				c.panic = fmt.Sprintf("%v\n\n%s", r, debug.Stack())
				c.mu.Unlock()
				c.quit()
			}
		}()
		work()
	})
}

// tell wakes the editor when there are events, and ends it when ctx is done or nobody types any more.
func (c *crew) tell(ctx context.Context, program *tea.Program) {
	for {
		select {
		case <-c.screen.events.wake:
			program.Send(eventsMsg{})
		case <-ctx.Done():
			program.Send(leaveMsg{})
			return
		case <-c.gone:
			program.Send(leaveMsg{})
			return
		case <-c.left:
			return
		}
	}
}

// deliver hands what was typed to the bot, one message after the other.
func (c *crew) deliver(ctx context.Context) {
	for open := true; open; {
		select {
		case <-c.typed.wake:
		case <-ctx.Done():
		}
		var texts []string
		texts, open = c.typed.take()
		for _, text := range texts {
			c.submit(ctx, text)
		}
		open = open && ctx.Err() == nil
	}
}

func (c *crew) submit(ctx context.Context, text string) {
	if err := c.screen.cfg.submit(ctx, c.handle, text, submitTries, nil); err != nil {
		c.screen.log.Error("message not stored", "err", err)
		c.screen.events.put(notice{notStored})
	}
}

// leave waits for the messages that were typed before the end, and after a while gives up on them by cancel.
func (c *crew) leave(cancel context.CancelFunc) {
	close(c.left)
	c.typed.close()
	timer := time.AfterFunc(leaveWithin, cancel)
	defer timer.Stop()
	c.wg.Wait()
}

// rethrow lets a panic of the handler take its course now that the terminal is restored.
func (c *crew) rethrow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.panic != "" {
		panic(c.panic)
	}
}
