package render

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// widestColumn bounds the padding of a table's columns, in display cells. A longer cell is shown whole and pushes only
// its own row to the right.
const widestColumn = 40

// Grid writes a table as text with aligned columns for a fixed-width font:
//
//	Name  | Count
//	------+------
//	apple |     3
func Grid(table Block) string {
	widths := make([]int, len(table.Align))
	rows := make([][]string, len(table.Rows))
	for r, row := range table.Rows {
		rows[r] = make([]string, len(widths))
		for c := range min(len(row), len(widths)) {
			rows[r][c] = strings.ReplaceAll(row[c].String(), "\n", " ")
			if w := displaywidth.String(rows[r][c]); w <= widestColumn {
				widths[c] = max(widths[c], w)
			}
		}
	}
	var b strings.Builder
	for r, row := range rows {
		if r > 0 {
			b.WriteByte('\n')
		}
		gridRow(&b, row, widths, table.Align)
		if r == 0 {
			b.WriteByte('\n')
			gridRule(&b, widths)
		}
	}
	return b.String()
}

func gridRow(b *strings.Builder, row []string, widths []int, align []Align) {
	var line strings.Builder
	for c, cell := range row {
		if c > 0 {
			line.WriteString(" | ")
		}
		gap := max(0, widths[c]-displaywidth.String(cell))
		left := 0
		switch align[c] {
		case AlignRight:
			left = gap
		case AlignCenter:
			left = gap / 2
		}
		line.WriteString(strings.Repeat(" ", left) + cell + strings.Repeat(" ", gap-left))
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
}

func gridRule(b *strings.Builder, widths []int) {
	for c, w := range widths {
		if c > 0 {
			b.WriteString("-+-")
		}
		b.WriteString(strings.Repeat("-", max(w, 1)))
	}
}
