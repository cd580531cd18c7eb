package terminal

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/leadhand/leadhand/channels"
)

// tickEvery is the pace of the spinner and of the clock in the status line.
const tickEvery = 120 * time.Millisecond

// startDelay is some frames long: where to print is known only once the first frame is drawn. Printing earlier would
// leave a gap on the screen, no more.
const startDelay = 50 * time.Millisecond

// Events are what the screen is told from outside its own loop.
type (
	message struct{ *channels.Outbound } // to print
	notice  struct{ text string }        // to print, from the program itself
	opened  struct{ id channels.MessageID }
	draft   struct {
		id channels.MessageID
		channels.Draft
	}
	closed struct{ id channels.MessageID }
	typing struct{}
)

// Messages of the loop itself.
type (
	readyMsg   struct{} // printing may begin
	eventsMsg  struct{} // there are events to take
	printedMsg struct{} // the last block is in the scrollback
	tickMsg    struct{}
	leaveMsg   struct{} // end, with everything printed
)

// actions are what the screen does to the outside. They never block.
type actions struct {
	submit func(text string)
	stop   func()
	events func() []any // takes the events that came since
}

// model is the state of the screen: what is being typed, what the bot is doing, and what is on its way to the
// scrollback.
type model struct {
	act     actions
	paint   painter
	size    tea.WindowSizeMsg
	ready   bool // the first frame stands and size is the screen's own; nothing is printed before
	editor  editor
	history history

	previews []*preview // in the order they were opened
	work     work
	ticking  bool

	scroll  scroll
	hint    string // one line under the editor, until the next key
	leaving bool
}

func newModel(act actions, paint painter) *model {
	return &model{
		act:    act,
		paint:  paint,
		size:   tea.WindowSizeMsg{Width: defaultWidth, Height: defaultHeight},
		editor: newEditor(),
	}
}

// Init waits for the first frame.
func (m *model) Init() tea.Cmd {
	return tea.Tick(startDelay, func(time.Time) tea.Msg { return readyMsg{} })
}

// Update takes one message of the loop.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = msg
	case readyMsg:
		m.ready = true
		m.take()
	case tea.KeyPressMsg:
		if !m.ready { // who types before that still reads first what was said first
			m.take()
		}
		if !m.leaving {
			cmd = m.key(msg)
		}
	case tea.PasteMsg:
		m.hint = ""
		m.editor.insert(sanitize(msg.Content))
	case eventsMsg:
		if m.ready {
			m.take()
		}
	case printedMsg:
		m.scroll.printed()
	case tickMsg:
		m.ticking = false
		m.work.frame++
	case leaveMsg:
		m.take()
		m.leaving = true
	}
	return m, tea.Batch(cmd, m.settle(time.Now()))
}

// settle starts what the new state asks for: printing, the clock, or the end.
func (m *model) settle(now time.Time) tea.Cmd {
	for _, p := range m.previews {
		p.refresh(m.paint, m.size.Width, now)
	}
	busy := m.work.update(now, m.running() != nil)
	var cmds []tea.Cmd
	if m.ready || m.leaving {
		cmds = append(cmds, m.scroll.next(m.size.Height))
	}
	if busy && !m.ticking && !m.leaving {
		m.ticking = true
		cmds = append(cmds, tea.Tick(tickEvery, func(time.Time) tea.Msg { return tickMsg{} }))
	}
	if m.leaving && m.scroll.idle() {
		cmds = append(cmds, tea.Quit)
	}
	return tea.Batch(cmds...)
}

// take applies what came from outside.
func (m *model) take() {
	for _, e := range m.act.events() {
		switch e := e.(type) {
		case message:
			m.work.answered()
			m.replacePreview(e.Edit)
			m.scroll.add(m.paint.message(e.Outbound, m.size.Width))
		case notice:
			m.scroll.add(fit(m.paint.faint(indent(e.text)), m.size.Width))
		case typing:
			m.work.typing = time.Now().Add(typingFor)
		case opened:
			m.work = work{since: time.Now(), frame: m.work.frame}
			m.dropClosed()
			m.previews = append(m.previews, &preview{id: e.id, open: true})
		case draft:
			if p := m.preview(e.id); p != nil {
				p.draft = e.Draft
			}
		case closed:
			m.close(e.id)
		}
	}
}

// replacePreview takes the preview away whose final text came. Another message than the expected one ends the wait
// of every closed preview: its answer comes, if at all, as a message of its own, and must not stand there twice.
func (m *model) replacePreview(edit channels.MessageID) {
	if m.preview(edit) == nil {
		m.dropClosed()
		return
	}
	m.previews = slices.DeleteFunc(m.previews, func(p *preview) bool { return p.id == edit })
}

func (m *model) dropClosed() {
	m.previews = slices.DeleteFunc(m.previews, func(p *preview) bool { return !p.open })
}

func (m *model) close(id channels.MessageID) {
	p := m.preview(id)
	if p == nil {
		return
	}
	p.open = false
	if strings.TrimSpace(p.draft.Text) == "" {
		m.replacePreview(id)
	}
}

func (m *model) preview(id channels.MessageID) *preview {
	i := slices.IndexFunc(m.previews, func(p *preview) bool { return p.id == id })
	if i < 0 {
		return nil
	}
	return m.previews[i]
}

// running is the newest preview that is still being written.
func (m *model) running() *preview {
	for _, p := range slices.Backward(m.previews) {
		if p.open {
			return p
		}
	}
	return nil
}

func (m *model) busy() bool { return !m.work.since.IsZero() }

// send submits what was typed and shows it as said.
func (m *model) send() {
	text := strings.TrimRight(m.editor.text(), " \t\n")
	if isFarewell(text) {
		m.leaving = true
		return
	}
	if text == "" {
		return
	}
	m.editor.clear()
	m.history.add(text)
	m.scroll.add(m.paint.said(text, m.size.Width))
	m.work.waiting = time.Now().Add(waitingFor)
	m.act.submit(text)
}

// stop asks for the end of what runs. It is said once; after that the person may leave.
func (m *model) stop() {
	m.work.stopping = true
	m.act.stop()
}
