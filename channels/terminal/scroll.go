package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// scroll is what is on its way to the scrollback. Printing above a living screen is asynchronous and one print may
// overtake another, so the next lines go only when the ones before are known to be there. That also tells, at the
// end, what has not been shown.
type scroll struct {
	lines    []string
	printing int // how many of lines are being printed
}

// add queues one block, followed by a blank line.
func (s *scroll) add(block []string) {
	if len(block) > 0 {
		s.lines = append(append(s.lines, block...), "")
	}
}

func (s *scroll) idle() bool { return len(s.lines) == 0 }

// next prints as many lines as a screen of the given height has room for above the view. More would push blank lines
// into the scrollback.
func (s *scroll) next(height int) tea.Cmd {
	if s.printing > 0 || s.idle() {
		return nil
	}
	s.printing = min(len(s.lines), reserve(height))
	text := strings.Join(s.lines[:s.printing], "\n")
	if text == "" {
		text = " " // printing nothing would print no line at all
	}
	return tea.Sequence(tea.Println(text), func() tea.Msg { return printedMsg{} })
}

func (s *scroll) printed() {
	s.lines = s.lines[s.printing:]
	s.printing = 0
}

// reserve is how many rows of a screen the view leaves free for printing.
func reserve(height int) int { return max(height/4, 1) }
