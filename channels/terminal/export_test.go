package terminal

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/leadhand/leadhand/channels"
)

// What the tests see of the inside: the loop of the screen without a terminal, and the pure functions.

var (
	Sanitize     = sanitize
	SanitizeLine = sanitizeLine
	Tail         = tail
	Elapsed      = elapsed
	Describe     = describe
)

func Markdown(text string, width int, color bool) []string {
	return painter{color: color}.markdown(text, width)
}

// Screen drives the model of a terminal as its loop would.
type Screen struct {
	Submitted []string
	Stops     int
	Left      bool

	model *model
	term  *Terminal
}

func NewScreen(t *Terminal, width, height int) *Screen {
	s := &Screen{term: t}
	s.model = newModel(actions{
		submit: func(text string) { s.Submitted = append(s.Submitted, text) },
		stop:   func() { s.Stops++ },
		events: func() []any { events, _ := t.edit.events.take(); return events },
	}, t.edit.paint)
	s.Update(tea.WindowSizeMsg{Width: width, Height: height})
	s.Update(readyMsg{})
	return s
}

// Update hands msg to the model. What it wants printed counts as printed at once.
func (s *Screen) Update(msg tea.Msg) {
	s.model.Update(msg)
	s.model.settle(time.Now())
	s.Left = s.model.leaving
}

// Wake has the model look at what came from outside.
func (s *Screen) Wake() { s.Update(eventsMsg{}) }

// Tick moves the spinner.
func (s *Screen) Tick() { s.Update(tickMsg{}) }

// View is what the living part of the screen shows.
func (s *Screen) View() string { return s.model.View().Content }

// Cursor is where the cursor stands in View.
func (s *Screen) Cursor() (x, y int) {
	c := s.model.View().Cursor
	return c.X, c.Y
}

// Printed takes what went to the scrollback.
func (s *Screen) Printed() []string {
	var lines []string
	for !s.model.scroll.idle() {
		lines = append(lines, s.model.scroll.lines[:s.model.scroll.printing]...)
		s.Update(printedMsg{})
	}
	return lines
}

// Text is what the editor holds.
func (s *Screen) Text() string { return s.model.editor.text() }

func PreviewID(s channels.Stream) channels.MessageID { return s.(*previewStream).id }
