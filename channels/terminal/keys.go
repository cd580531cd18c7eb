package terminal

import (
	tea "charm.land/bubbletea/v2"
)

// leaveHint is what the first ctrl+c at rest says; the second one, with nothing between, leaves.
const leaveHint = "Press Ctrl+C again to leave"

// key handles one key press.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	hint := m.hint
	m.hint = ""
	name := k.Keystroke()
	switch name {
	case "ctrl+c":
		m.interrupt(hint == leaveHint)
		return nil
	case "esc":
		if m.busy() && !m.work.stopping {
			m.stop()
		}
		return nil
	case "ctrl+d":
		if m.editor.empty() {
			m.leaving = true
			return nil
		}
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+z":
		return tea.Suspend
	}
	if m.typed(name) || m.moved(name) || m.deleted(name) {
		return nil
	}
	if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		m.editor.insert(sanitize(k.Text))
	}
	return nil
}

// interrupt is ctrl+c: it stops what runs; at rest it first empties the editor and then, pressed again, leaves.
func (m *model) interrupt(again bool) {
	switch {
	case m.busy() && !m.work.stopping:
		m.stop()
	case again:
		m.leaving = true
	default:
		m.editor.clear()
		m.hint = leaveHint
	}
}

// typed handles the keys that end a line or call one back.
func (m *model) typed(name string) bool {
	e := &m.editor
	switch name {
	case "enter", "kpenter":
		if e.at == len(e.cells) && e.at > 0 && e.cells[e.at-1] == `\` {
			e.remove(e.at-1, false)
			e.insert("\n")
			return true
		}
		m.send()
	case "alt+enter", "shift+enter", "ctrl+enter", "ctrl+j":
		e.insert("\n")
	case "up":
		if !e.vertical(-1, m.editorWidth()) {
			m.recall(-1)
		}
	case "down":
		if !e.vertical(1, m.editorWidth()) {
			m.recall(1)
		}
	case "ctrl+p":
		m.recall(-1)
	case "ctrl+n":
		m.recall(1)
	default:
		return false
	}
	return true
}

func (m *model) recall(by int) {
	if text, ok := m.history.step(by, m.editor.text()); ok {
		m.editor.set(text)
	}
}

// moved handles the keys that only move the cursor.
func (m *model) moved(name string) bool {
	e := &m.editor
	switch name {
	case "left", "ctrl+b":
		e.move(e.at - 1)
	case "right", "ctrl+f":
		e.move(e.at + 1)
	case "ctrl+left", "alt+left", "alt+b":
		e.move(e.wordLeft())
	case "ctrl+right", "alt+right", "alt+f":
		e.move(e.wordRight())
	case "home", "ctrl+a":
		e.move(e.lineStart())
	case "end", "ctrl+e":
		e.move(e.lineEnd())
	case "ctrl+home":
		e.move(0)
	case "ctrl+end":
		e.move(len(e.cells))
	default:
		return false
	}
	return true
}

// deleted handles the keys that take text away, and the one that brings it back.
func (m *model) deleted(name string) bool {
	e := &m.editor
	switch name {
	case "backspace", "shift+backspace", "ctrl+h":
		e.remove(e.at-1, false)
	case "delete", "ctrl+d":
		e.remove(e.at+1, false)
	case "ctrl+k":
		e.remove(max(e.lineEnd(), min(e.at+1, len(e.cells))), true)
	case "ctrl+u":
		e.remove(e.lineStart(), true)
	case "ctrl+w":
		e.remove(e.blankLeft(), true)
	case "alt+backspace", "ctrl+backspace":
		e.remove(e.wordLeft(), true)
	case "alt+d", "ctrl+delete", "alt+delete":
		e.remove(e.wordRight(), true)
	case "ctrl+y":
		e.yank()
	default:
		return false
	}
	return true
}
