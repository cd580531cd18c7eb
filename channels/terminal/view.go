package terminal

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// marker stands before what the person types; further lines are indented to match.
const marker = "› "

// placeholder is what an empty editor says.
const placeholder = "Write a message · /help · Alt+Enter for a new line"

func (m *model) editorWidth() int { return max(m.size.Width-ansi.StringWidth(marker)-1, 1) }

// View draws the living part of the screen: answers in the making, the status line and the editor. It never takes
// the rows that printing needs.
func (m *model) View() tea.View {
	if m.leaving {
		return tea.NewView("")
	}
	room := max(m.size.Height-reserve(m.size.Height), 1)
	editor, y, x := m.viewEditor(max(room/2, 1))
	room -= len(editor)

	below := m.viewHint()
	below = below[:min(len(below), max(room, 0))]
	room -= len(below)

	above := m.viewStatus()
	above = above[:min(len(above), max(room, 0))]
	room -= len(above)

	lines := m.viewPreviews(room)
	lines = append(lines, above...)
	y += len(lines)
	lines = append(append(lines, editor...), below...)

	view := tea.NewView(strings.Join(lines, "\n"))
	view.Cursor = tea.NewCursor(x, y)
	return view
}

// viewEditor shows at most limit rows of the text, those around the cursor, and says where the cursor stands.
func (m *model) viewEditor(limit int) (lines []string, y, x int) {
	indent := ansi.StringWidth(marker)
	if m.editor.empty() {
		rest := ansi.Truncate(placeholder, m.editorWidth(), "…")
		return []string{m.paint.accent(marker) + m.paint.faint(rest)}, 0, indent
	}
	rows := m.editor.rows(m.editorWidth())
	y, x = m.editor.cursor(rows)
	first := max(y-limit+1, 0)
	for i, r := range rows[first:min(first+limit, len(rows))] {
		lead := strings.Repeat(" ", indent)
		if first+i == 0 {
			lead = m.paint.accent(marker)
		}
		lines = append(lines, lead+m.editor.draw(r))
	}
	return lines, y - first, x + indent
}

func (m *model) viewHint() []string {
	if m.hint == "" {
		return nil
	}
	return []string{m.paint.faint(ansi.Truncate("  "+m.hint, max(m.size.Width-1, 1), "…"))}
}

func (m *model) viewStatus() []string {
	if !m.busy() {
		return nil
	}
	status := m.work.status(time.Now(), m.running())
	return []string{m.paint.faint(ansi.Truncate(status, max(m.size.Width-1, 1), "…"))}
}

// viewPreviews shows the end of the answers in the making, as far as there is room, and a blank line under each.
func (m *model) viewPreviews(room int) []string {
	var lines []string
	for _, p := range m.previews {
		if len(p.lines) > 0 {
			lines = append(append(lines, p.lines...), "")
		}
	}
	return lines[max(len(lines)-max(room, 0), 0):]
}
