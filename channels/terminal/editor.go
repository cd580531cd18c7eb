package terminal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// editor is the text that a person is typing. It counts in what they see as one character (a grapheme cluster), so
// that the cursor never stops inside an emoji or an accented letter.
type editor struct {
	cells  []string
	at     int      // the cursor stands before cells[at]
	killed []string // what ctrl+k, ctrl+u and ctrl+w took last, for ctrl+y
	column int      // where up and down want to go; -1 after any other move
}

func newEditor() editor { return editor{column: -1} }

func (e *editor) text() string { return strings.Join(e.cells, "") }
func (e *editor) empty() bool  { return len(e.cells) == 0 }

func (e *editor) set(text string) {
	e.cells = split(text)
	e.move(len(e.cells))
}

func (e *editor) clear() {
	e.cells = nil
	e.move(0)
}

// insert puts text before the cursor. Its ends may join with their neighbours, as a combining accent does.
func (e *editor) insert(text string) {
	from, to := max(e.at-1, 0), min(e.at+1, len(e.cells))
	before := strings.Join(e.cells[from:e.at], "") + text
	joined := split(before + strings.Join(e.cells[e.at:to], ""))
	e.cells = slices.Replace(e.cells, from, to, joined...)
	end := from
	for n := 0; n < len(before) && end < len(e.cells); end++ {
		n += len(e.cells[end])
	}
	e.move(end)
}

func (e *editor) move(to int) {
	e.at = min(max(to, 0), len(e.cells))
	e.column = -1
}

// remove deletes what is between the cursor and another position, and keeps it for yank if it was a kill.
func (e *editor) remove(other int, kill bool) {
	other = min(max(other, 0), len(e.cells))
	from, to := min(e.at, other), max(e.at, other)
	if from == to {
		return
	}
	if kill {
		e.killed = slices.Clone(e.cells[from:to])
	}
	e.cells = slices.Delete(e.cells, from, to)
	e.move(from)
}

func (e *editor) yank() { e.insert(strings.Join(e.killed, "")) }

// lineStart and lineEnd are the ends of the typed line at the cursor, whatever the width of the screen.
func (e *editor) lineStart() int {
	i := e.at
	for i > 0 && e.cells[i-1] != "\n" {
		i--
	}
	return i
}

func (e *editor) lineEnd() int {
	i := e.at
	for i < len(e.cells) && e.cells[i] != "\n" {
		i++
	}
	return i
}

// wordLeft and wordRight are where a move by one word ends.
func (e *editor) wordLeft() int {
	i := e.at
	for i > 0 && !isWord(e.cells[i-1]) {
		i--
	}
	for i > 0 && isWord(e.cells[i-1]) {
		i--
	}
	return i
}

func (e *editor) wordRight() int {
	i := e.at
	for i < len(e.cells) && !isWord(e.cells[i]) {
		i++
	}
	for i < len(e.cells) && isWord(e.cells[i]) {
		i++
	}
	return i
}

// blankLeft is where ctrl+w stops: words are what blanks separate, as in a shell.
func (e *editor) blankLeft() int {
	i := e.at
	for i > 0 && strings.TrimSpace(e.cells[i-1]) == "" {
		i--
	}
	for i > 0 && strings.TrimSpace(e.cells[i-1]) != "" {
		i--
	}
	return i
}

func isWord(cell string) bool {
	r, _ := utf8.DecodeRuneInString(cell)
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// split cuts text into grapheme clusters.
func split(text string) []string {
	var cells []string
	for text != "" {
		cell, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if cell == "" {
			break
		}
		cells = append(cells, cell)
		text = text[len(cell):]
	}
	return cells
}
