package terminal_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

// chat is a terminal with the line editor whose loop the test drives itself.
func chat(t *testing.T, width, height int) (*terminal.Terminal, *terminal.Screen) {
	t.Helper()
	term := terminal.New(terminal.Config{
		In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
		Interactive: true, Name: "terminal", Environ: []string{"TERM=xterm", "NO_COLOR=1"},
	}, channels.Env{Log: slog.New(slog.DiscardHandler)})
	return term, terminal.NewScreen(term, width, height)
}

// named are the keys that have a name in the tests: "<left>".
var named = map[string]tea.Key{
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEsc},
	"bs": {Code: tea.KeyBackspace}, "del": {Code: tea.KeyDelete}, "altenter": {Code: tea.KeyEnter, Mod: tea.ModAlt},
	"wordleft": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "wordright": {Code: tea.KeyRight, Mod: tea.ModCtrl},
}

// press types keys: letters as they are, "<name>" for named keys, "^x" for ctrl+x and "~x" for alt+x.
func press(s *terminal.Screen, keys string) {
	for keys != "" {
		r := []rune(keys)
		switch r[0] {
		case '<':
			name, rest, _ := strings.Cut(keys[1:], ">")
			s.Update(tea.KeyPressMsg(named[name]))
			keys = rest
			continue
		case '^':
			s.Update(tea.KeyPressMsg{Code: r[1], Mod: tea.ModCtrl})
			r = r[1:]
		case '~':
			s.Update(tea.KeyPressMsg{Code: r[1], Mod: tea.ModAlt})
			r = r[1:]
		default:
			s.Update(tea.KeyPressMsg{Code: r[0], Text: string(r[0])})
		}
		keys = string(r[1:])
	}
}

func TestEditing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ keys, want string }{
		"typing":                          {"hello wörld", "hello wörld"},
		"insert in the middle":            {"held<left>lo wor", "hello word"},
		"backspace and delete":            {"abcd<left><bs><del>", "ab"},
		"backspace at the start":          {"a<home><bs>b", "ba"},
		"ctrl+d deletes forward":          {"abc<home>^d", "bc"},
		"start and end of the line":       {"bc^aa^ed", "abcd"},
		"ends are those of the line":      {"one<altenter>two^a>^e<", "one\n>two"},
		"kill to the end":                 {"hello there<wordleft>^k", "hello "},
		"kill at the end joins lines":     {"a<altenter>b<up><end>^k", "ab"},
		"kill to the start":               {"hello there<wordleft>^u", "there"},
		"kill a word":                     {"say foo-bar  ^w!", "say !"},
		"yank brings it back":             {"one two^w^a^y ", "two one "},
		"words by ctrl and alt":           {"one two three<wordleft><wordleft>~f!~b-", "one -two! three"},
		"kill a word forward":             {"one two^a~d", " two"},
		"an emoji is one character":       {"a👩‍👩‍👧b<left><bs>", "ab"},
		"a flag is one character":         {"🇩🇪🇫🇷<left><bs>", "🇫🇷"},
		"a combining accent joins":        {"e\u0301x<left><bs>", "x"},
		"wide characters":                 {"日本語<left><left><del>", "日語"},
		"a trailing backslash goes on":    {"one\\<enter>two", "one\ntwo"},
		"a text may begin with a break":   {"<altenter>a", "\na"},
		"moves stop at the ends":          {"<left><up><down>a<right><right>b", "ab"},
		"vertical keeps the column":       {"abcd<altenter>x<altenter>efgh<up><up>|", "abcd|\nx\nefgh"},
		"vertical from a column":          {"abcd<altenter>x<altenter>efgh<left><left><up><up>|", "ab|cd\nx\nefgh"},
		"ctrl letters are never inserted": {"a^g^t^xb", "ab"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := chat(t, 60, 24)
			press(s, tt.keys)
			if diff := cmp.Diff(tt.want, s.Text()); diff != "" {
				t.Error(diff)
			}
			if len(s.Submitted) > 0 {
				t.Errorf("submitted %q", s.Submitted)
			}
		})
	}
}

func TestCursorFollowsTheText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		keys string
		x, y int
	}{
		"empty":                      {"", 2, 0},
		"wide characters":            {"a日本", 7, 0},
		"inside wide characters":     {"a日本<left>", 5, 0},
		"a new line":                 {"abc<altenter>", 2, 1},
		"text that fills its line":   {"12345678", 2, 1},
		"text that goes on below":    {"123456789", 3, 1},
		"before the soft break":      {"123456789<left><left>", 9, 0},
		"a wide one doesn't fit":     {"1234567日", 4, 1},
		"end of a line that is full": {"12345678<altenter>x<up><end>", 10, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := chat(t, 11, 24) // eight columns beside the marker and the spare one
			press(s, tt.keys)
			if x, y := s.Cursor(); x != tt.x || y != tt.y {
				t.Errorf("cursor at %d,%d, want %d,%d in\n%s", x, y, tt.x, tt.y, s.View())
			}
		})
	}
}

func TestPasteKeepsLinesAndDropsControls(t *testing.T) {
	t.Parallel()
	_, s := chat(t, 60, 24)
	press(s, "say: ")
	s.Update(tea.PasteMsg{Content: "one\r\ttwo\x1b[31m\nthree\x07"})
	if diff := cmp.Diff("say: one\n\ttwo\nthree", s.Text()); diff != "" {
		t.Error(diff)
	}
	if len(s.Submitted) > 0 {
		t.Errorf("a paste was sent: %q", s.Submitted)
	}
}

func TestLongTextScrollsInTheEditor(t *testing.T) {
	t.Parallel()
	_, s := chat(t, 40, 12)
	s.Update(tea.PasteMsg{Content: strings.Repeat("line\n", 100) + "last"})
	view := s.View()
	if n := strings.Count(view, "\n") + 1; n > 9 {
		t.Errorf("view of %d rows leaves no room to print", n)
	}
	if !strings.HasSuffix(view, "last") {
		t.Errorf("cursor line not shown:\n%s", view)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	_, s := chat(t, 60, 24)
	press(s, "one<enter>two<altenter>lines<enter>draft")
	var got []string
	for _, key := range []string{"<up>", "<up>", "<up>", "<up>", "<down>", "<down>", "<down>", "^p", "^n"} {
		press(s, key)
		got = append(got, s.Text())
	}
	// From the two lines, up first moves inside them; down from their last row goes on.
	want := []string{"two\nlines", "two\nlines", "one", "one", "two\nlines", "draft", "draft", "two\nlines", "draft"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"one", "two\nlines"}, s.Submitted); diff != "" {
		t.Error(diff)
	}
}
