package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// row is one screen line of the editor: cells from start up to end, without the newline that may follow.
type row struct{ start, end int }

// tabCells is how wide a tab is drawn.
const tabCells = 4

// rows lays the text out for lines of width columns. There is always at least one row, and always one to hold the
// cursor: text that fills its last line, or ends in a newline, is followed by an empty row.
func (e *editor) rows(width int) []row {
	var rows []row
	start, used := 0, 0
	for i, cell := range e.cells {
		w := cellWidth(cell)
		if cell != "\n" && used+w > width && i > start {
			rows = append(rows, row{start, i})
			start, used = i, 0
		}
		used += w
		if cell == "\n" {
			rows = append(rows, row{start, i})
			start, used = i+1, 0
		}
	}
	rows = append(rows, row{start, len(e.cells)})
	if used >= width {
		rows = append(rows, row{len(e.cells), len(e.cells)})
	}
	return rows
}

// cursor finds the row and the column of the cursor. At a soft break it belongs to the row that follows.
func (e *editor) cursor(rows []row) (y, x int) {
	y = len(rows) - 1
	for y > 0 && rows[y].start > e.at {
		y--
	}
	return y, e.width(rows[y].start, e.at)
}

func (e *editor) width(from, to int) int {
	n := 0
	for _, cell := range e.cells[from:to] {
		n += cellWidth(cell)
	}
	return n
}

// vertical moves the cursor by rows of the screen and keeps its column over short ones. It returns false at the
// first or last row.
func (e *editor) vertical(by, width int) bool {
	rows := e.rows(width)
	y, x := e.cursor(rows)
	target := y + by
	if target < 0 || target >= len(rows) {
		return false
	}
	column := max(e.column, x)
	if e.column < 0 {
		column = x
	}
	at, used := rows[target].start, 0
	for at < rows[target].end && used+cellWidth(e.cells[at]) <= column {
		used += cellWidth(e.cells[at])
		at++
	}
	e.move(at)
	e.column = column
	return true
}

// draw is the text of one row.
func (e *editor) draw(r row) string {
	var b strings.Builder
	for _, cell := range e.cells[r.start:r.end] {
		if cell == "\t" {
			cell = strings.Repeat(" ", tabCells)
		}
		b.WriteString(cell)
	}
	return b.String()
}

func cellWidth(cell string) int {
	switch cell {
	case "\n":
		return 0
	case "\t":
		return tabCells
	}
	return ansi.StringWidth(cell)
}
