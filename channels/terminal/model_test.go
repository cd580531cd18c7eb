package terminal_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

func say(t *testing.T, term *terminal.Terminal, m *channels.Outbound) {
	t.Helper()
	id, err := term.Send(t.Context(), m)
	if err != nil || id == "" {
		t.Fatalf("Send: %q, %v", id, err)
	}
}

func stream(t *testing.T, term *terminal.Terminal) channels.Stream {
	t.Helper()
	s, err := term.Stream(t.Context(), channels.Preview{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func show(t *testing.T, s channels.Stream, d channels.Draft) {
	t.Helper()
	if err := s.Show(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func closeStream(t *testing.T, s channels.Stream) channels.MessageID {
	t.Helper()
	id, err := s.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestSentTextIsEchoed(t *testing.T) {
	t.Parallel()
	_, s := chat(t, 60, 24)
	press(s, "  hi<altenter>there \n<enter>")
	if diff := cmp.Diff([]string{"  hi\nthere"}, s.Submitted); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"›   hi", "  there", ""}, s.Printed()); diff != "" {
		t.Error(diff)
	}
	press(s, "<enter>   <enter>")
	if len(s.Submitted) != 1 {
		t.Errorf("blank text was sent: %q", s.Submitted)
	}
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		keys string
		left bool
	}{
		"ctrl+d on an empty line":          {"^d", true},
		"ctrl+d in text":                   {"ab<left>^d", false},
		"exit":                             {"exit<enter>", true},
		"quit with blanks and capitals":    {" Quit <enter>", true},
		"exit in a sentence":               {"exit now<enter>", false},
		"ctrl+c once":                      {"^c", false},
		"ctrl+c twice":                     {"^c^c", true},
		"ctrl+c empties the editor first":  {"abc^c", false},
		"ctrl+c, a key, ctrl+c":            {"^ca^c", false},
		"esc at rest":                      {"<esc><esc>", false},
		"ctrl+c in a run stops, no more":   {"run<enter>^c", false},
		"a run that doesn't stop is left":  {"run<enter>^c^c^c", true},
		"two ctrl+c in a run don't leave":  {"run<enter>^c^c", false},
		"esc and two ctrl+c leave as well": {"run<enter><esc>^c^c", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := chat(t, 60, 24)
			press(s, tt.keys)
			if s.Left != tt.left {
				t.Errorf("left %v, want %v", s.Left, tt.left)
			}
			if s.Left && s.View() != "" {
				t.Errorf("the editor stays on the screen: %q", s.View())
			}
		})
	}
}

func TestStopIsSentOnce(t *testing.T) {
	t.Parallel()
	term, s := chat(t, 60, 24)
	press(s, "<esc>")
	if s.Stops != 0 {
		t.Errorf("stop at rest: %d", s.Stops)
	}
	st := stream(t, term)
	s.Wake()
	press(s, "<esc><esc>^c")
	if s.Stops != 1 {
		t.Errorf("stops: %d, want 1", s.Stops)
	}
	if !strings.Contains(s.View(), "stopping…") {
		t.Errorf("not shown:\n%s", s.View())
	}
	closeStream(t, st)
	stream(t, term) // the next run can be stopped again
	s.Wake()
	s.Tick()
	press(s, "<esc>")
	if s.Stops != 2 {
		t.Errorf("stops: %d, want one for each run", s.Stops)
	}
}

func TestPreviewIsReplacedByTheAnswer(t *testing.T) {
	t.Parallel()
	term, s := chat(t, 60, 24)
	st := stream(t, term)
	show(t, st, channels.Draft{Text: "Half an ans"})
	s.Wake()
	if !strings.Contains(s.View(), "  Half an ans\n\n⠋ writing… 0 s · Esc stops\n› ") {
		t.Errorf("preview:\n%s", s.View())
	}
	id := closeStream(t, st)
	s.Wake()
	if !strings.Contains(s.View(), "Half an ans") || strings.Contains(s.View(), "Esc stops") {
		t.Errorf("closed preview:\n%s", s.View())
	}
	say(t, term, &channels.Outbound{Edit: id, Text: "Half an answer."})
	s.Wake()
	if strings.Contains(s.View(), "Half") {
		t.Errorf("the preview stayed:\n%s", s.View())
	}
	if diff := cmp.Diff([]string{"  Half an answer.", ""}, s.Printed()); diff != "" {
		t.Error(diff)
	}
}

func TestPreviewIsReplacedWhateverTheOrder(t *testing.T) {
	t.Parallel()
	final := func(id channels.MessageID) *channels.Outbound { return &channels.Outbound{Edit: id, Text: "done"} }
	tests := map[string]func(t *testing.T, term *terminal.Terminal, st channels.Stream){
		"while the preview is open": func(t *testing.T, term *terminal.Terminal, st channels.Stream) {
			say(t, term, final(terminal.PreviewID(st)))
			show(t, st, channels.Draft{Text: "late frame"})
			closeStream(t, st)
		},
		"as a message of its own": func(t *testing.T, term *terminal.Terminal, st channels.Stream) {
			closeStream(t, st)
			say(t, term, final(""))
		},
		"behind a notice": func(t *testing.T, term *terminal.Terminal, st channels.Stream) {
			id := closeStream(t, st)
			say(t, term, &channels.Outbound{})
			say(t, term, final(id))
		},
		"while the next one is open": func(t *testing.T, term *terminal.Terminal, st channels.Stream) {
			id := closeStream(t, st)
			stream(t, term)
			say(t, term, final(id))
		},
	}
	for name, order := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term, s := chat(t, 60, 24)
			st := stream(t, term)
			show(t, st, channels.Draft{Text: "do"})
			s.Wake()
			order(t, term, st)
			s.Wake()
			if strings.Contains(s.View(), "  do") || strings.Contains(s.View(), "late") {
				t.Errorf("the preview stayed:\n%s", s.View())
			}
			if diff := cmp.Diff([]string{"  done", ""}, s.Printed()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term, s := chat(t, 60, 24)
		status := func() string {
			s.Tick()
			line, _, ok := strings.Cut(s.View(), "\n›")
			if !ok {
				return ""
			}
			lines := strings.Split(line, "\n")
			_, text, _ := strings.Cut(lines[len(lines)-1], " ")
			return text
		}
		check := func(want string) {
			t.Helper()
			if got := status(); got != want {
				t.Errorf("status %q, want %q", got, want)
			}
		}
		check("")
		press(s, "hello<enter>")
		time.Sleep(2 * time.Second)
		check("waiting for an answer… 2 s · Esc stops")
		if err := term.Typing(t.Context(), channels.Conversation{}); err != nil {
			t.Fatal(err)
		}
		s.Wake()
		check("thinking… 2 s · Esc stops")
		st := stream(t, term)
		show(t, st, channels.Draft{Text: "x", Step: "writing a\x1b[2J\nfile..."})
		s.Wake()
		time.Sleep(61 * time.Second)
		check("writing a file… 1 min 01 s · Esc stops")
		show(t, st, channels.Draft{Text: "x"})
		s.Wake()
		check("writing… 1 min 01 s · Esc stops")
		closeStream(t, st)
		s.Wake()
		check("")
		press(s, "again<enter>")
		time.Sleep(59 * time.Second)
		check("waiting for an answer… 59 s · Esc stops")
		time.Sleep(2 * time.Second)
		check("")
	})
}

func TestFramesAreThinnedOutButTheLastIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term, s := chat(t, 60, 24)
		st := stream(t, term)
		for i := range 3 {
			show(t, st, channels.Draft{Text: fmt.Sprintf("frame %d", i)})
			s.Wake()
		}
		if !strings.Contains(s.View(), "frame 0") {
			t.Errorf("drawn too often:\n%s", s.View())
		}
		time.Sleep(100 * time.Millisecond)
		s.Tick()
		if !strings.Contains(s.View(), "frame 2") {
			t.Errorf("the newest frame is missing:\n%s", s.View())
		}
	})
}

func TestViewLeavesRoomAndFits(t *testing.T) {
	t.Parallel()
	for _, size := range []tea.WindowSizeMsg{
		{Width: 1, Height: 1}, {Width: 2, Height: 2}, {Width: 10, Height: 3}, {Width: 20, Height: 5},
		{Width: 80, Height: 24}, {Width: 200, Height: 60},
	} {
		t.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(t *testing.T) {
			t.Parallel()
			term, s := chat(t, size.Width, size.Height)
			for range 2 {
				show(t, stream(t, term), channels.Draft{Text: strings.Repeat("word\n", 100), Step: "reading a file"})
			}
			s.Wake()
			press(s, "^c")
			press(s, "a<altenter>b<altenter>c 日本 and a long line")
			lines := strings.Split(s.View(), "\n")
			if size.Height > 1 && len(lines) >= size.Height {
				t.Errorf("%d rows", len(lines))
			}
			if x, y := s.Cursor(); y >= len(lines) || x > max(size.Width, 4) {
				t.Errorf("cursor outside: %d,%d", x, y)
			}
		})
	}
}

func TestResizeLaysPreviewsOutAnew(t *testing.T) {
	t.Parallel()
	term, s := chat(t, 80, 24)
	show(t, stream(t, term), channels.Draft{Text: "alpha beta gamma delta"})
	s.Wake()
	s.Update(tea.WindowSizeMsg{Width: 22, Height: 24})
	if !strings.HasPrefix(s.View(), "  alpha beta gamma\n  delta\n") {
		t.Errorf("not laid out for the new width:\n%s", s.View())
	}
}

func TestAttachmentsAreListed(t *testing.T) {
	t.Parallel()
	term, s := chat(t, 80, 24)
	say(t, term, &channels.Outbound{
		Text:        "Here it is:",
		Attachments: []channels.Attachment{{Name: "chart.png", Data: make([]byte, 2048)}, {Name: "a.txt"}},
	})
	s.Wake()
	want := []string{
		"  Here it is:",
		"",
		"  File: chart.png (2.0 kB), kept in your workspace",
		"  File: a.txt (0 B), kept in your workspace",
		"",
	}
	if diff := cmp.Diff(want, s.Printed()); diff != "" {
		t.Error(diff)
	}
}

func TestElapsed(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0 s", 59*time.Second + 900*time.Millisecond: "59 s", time.Minute: "1 min 00 s", 2 * time.Hour: "120 min 00 s",
	} {
		if got := terminal.Elapsed(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
