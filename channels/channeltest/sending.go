package channeltest

import (
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

func sendCases(room func(p *Platform) bool) []testCase {
	return []testCase{
		{"long answers", nil, (*exercise).longAnswers},
		{"very long answers", room, (*exercise).veryLongAnswers},
		{"words are kept", nil, (*exercise).words},
		{"files that go", room, (*exercise).filesOut},
		{"changes of answers", room, (*exercise).changes},
		{"previews", nil, (*exercise).previews},
		{"buttons", func(p *Platform) bool { return p.Press != nil }, (*exercise).buttons},
		{"choices", func(p *Platform) bool { return p.Choose != nil }, (*exercise).choices},
		{"questions", func(p *Platform) bool { return p.Answer != nil }, (*exercise).questions},
		{"cards", nil, (*exercise).cards},
		{"signs", nil, (*exercise).signs},
	}
}

// longAnswers: code survives being divided.
func (e *exercise) longAnswers() {
	line := "fmt.Println(\"a < b && c > d\")\n"
	for _, c := range e.everywhere() {
		text := "Look:\n\n```go\n" + strings.Repeat(line, 100) + "```\n\nThat was it."
		e.must(&channels.Outbound{Conversation: c, Text: text})
		all := strings.Join(e.texts(c), "\n")
		if n := strings.Count(all, strings.TrimSpace(line)); n != 100 || !strings.Contains(all, "That was it.") {
			e.Errorf("%s shows %d of 100 lines", c, n)
		}
	}
}

// veryLongAnswers: what would fill many messages is a file.
func (e *exercise) veryLongAnswers() {
	e.must(&channels.Outbound{Conversation: e.p.Room, Text: strings.Repeat("word ", 30_000)})
	shown := e.p.Shown(e.T, e.p.Room)
	files := 0
	for _, s := range shown {
		files += len(s.Files)
	}
	if files != 1 || len(shown) > 3 {
		e.Errorf("%d messages with %d files", len(shown), files)
	}
}

// words: what a model writes is what people read.
func (e *exercise) words() {
	for _, text := range []string{
		"snake_case_name --flag a<b && c>d", "an unbalanced ` backtick", "5 * 3 * 2 = 30", "https://a.example/x_y_z?a=1&b=2",
		"emoji 👩‍👩‍👧‍👦 and نص and 漢字",
	} {
		e.must(&channels.Outbound{Conversation: e.p.Direct, Text: text})
		all := e.texts(e.p.Direct)
		if got := all[len(all)-1]; got != text {
			e.Errorf("people read %q of %q", got, text)
		}
	}
}

func (e *exercise) filesOut() {
	e.must(&channels.Outbound{Conversation: e.p.Room, Text: "here", Attachments: []channels.Attachment{
		{Name: "a.txt", MediaType: "text/plain", Data: []byte("one")},
		{Name: "b.csv", MediaType: "text/csv", Data: []byte("two,three")},
	}})
	var files []string
	for _, s := range e.p.Shown(e.T, e.p.Room) {
		files = append(files, s.Files...)
	}
	all := strings.Join(e.texts(e.p.Room), " ")
	if !slices.Equal(files, []string{"a.txt", "b.csv"}) || !strings.Contains(all, "here") {
		e.Errorf("shown %v beside %q", files, e.texts(e.p.Room))
	}
}

func (e *exercise) changes() {
	id := e.must(&channels.Outbound{Conversation: e.p.Room, Text: "working"})
	for range 2 { // the second changes nothing
		if got := e.must(&channels.Outbound{Conversation: e.p.Room, Text: "done", Edit: id}); got != id {
			e.Errorf("the change is in message %s, not %s", got, id)
		}
	}
	e.wantTexts(e.p.Room, "done")
}

// previews: an answer takes the place of what was shown while it was written.
func (e *exercise) previews() {
	s, ok := e.ch.(channels.Streamer)
	if !ok {
		e.Skip("this messenger shows no answers in the making")
	}
	for _, c := range e.everywhere() {
		e.say(c, "a question")
		in := e.next()
		st, err := s.Stream(e.Context(), channels.Preview{Conversation: in.Conversation, ReplyTo: in.ID})
		if err != nil {
			e.Fatal(err)
		}
		for _, d := range []channels.Draft{{Step: "reading a file"}, {Text: "**so"}, {Text: "**so far** ```go\nx"}} {
			if err := st.Show(e.Context(), d); err != nil {
				e.Fatal(err)
			}
		}
		id, err := st.Close(e.Context())
		if err != nil {
			e.Fatal(err)
		}
		e.must(&channels.Outbound{Conversation: in.Conversation, ReplyTo: in.ID, Text: "the answer", Edit: id})
		e.wantTexts(in.Conversation, "the answer")
	}
}

func (e *exercise) buttons() {
	id := e.must(&channels.Outbound{Conversation: e.p.Topic, Text: "go on?", Buttons: [][]channels.Button{{
		{Text: "Stop", Command: channels.Command{Name: "stop", Args: "all"}, Style: channels.Danger},
		{Text: "Help", Command: channels.Command{Name: "help"}},
	}}})
	keys := map[string]bool{}
	for range 2 {
		e.p.Press(e.T, e.p.Topic, id, "Stop")
		in := e.next()
		want := channels.Command{Name: "stop", Args: "all"}
		if in.Command == nil || *in.Command != want || in.Conversation != e.p.Topic ||
			!named(in, "bob") {
			e.Errorf("received %+v", in)
		}
		keys[in.EventKey] = true
	}
	if len(keys) != 2 {
		e.Error("two presses have one key")
	}
}

func (e *exercise) choices() {
	id := e.must(&channels.Outbound{Conversation: e.p.Topic, Text: "who?", Buttons: [][]channels.Button{{{
		Text: "Assign", Command: channels.Command{Name: "help", Args: "42"},
		Options: []channels.Option{{Text: "Ann", Value: "u1"}, {Text: "Bob", Value: "u2"}, {Text: "Cem", Value: "u3"}},
	}}}})
	e.p.Choose(e.T, e.p.Topic, id, "Assign", "Bob")
	if in := e.next(); in.Command == nil || *in.Command != (channels.Command{Name: "help", Args: "42 u2"}) ||
		in.Conversation != e.p.Topic {
		e.Errorf("received %+v", in)
	}
}

func (e *exercise) questions() {
	id := e.must(&channels.Outbound{Conversation: e.p.Topic, Text: "done?", Buttons: [][]channels.Button{{{
		Text: "Send back", Command: channels.Command{Name: "help", Args: "42"}, Ask: "Why?",
	}}}})
	e.p.Answer(e.T, e.p.Topic, id, "Send back", "it is too long")
	want := channels.Command{Name: "help", Args: "42 it is too long"}
	if in := e.next(); in.Command == nil || *in.Command != want || in.Conversation != e.p.Topic ||
		!named(in, "bob") {
		e.Errorf("received %+v", in)
	}
}

func (e *exercise) cards() {
	e.must(&channels.Outbound{Conversation: e.talk(), Card: &channels.Card{
		Title: "Task 42", Body: "Fix the *login*", Tone: channels.Busy,
		Fields: []channels.Field{{Name: "Owner", Value: "Ann"}, {Name: "Due", Value: "today"}},
	}, Buttons: [][]channels.Button{{{Text: "Help", Command: channels.Command{Name: "help"}}}}})
	all := strings.Join(e.texts(e.talk()), "\n")
	for _, want := range []string{"Task 42", "login", "Owner", "Ann", "Due", "today"} {
		if !strings.Contains(all, want) {
			e.Errorf("the card does not say %q: %q", want, all)
		}
	}
}

// signs: typing and marking are never an error, wherever they are asked for.
func (e *exercise) signs() {
	for _, c := range e.everywhere() {
		id := e.say(c, "a question")
		e.next()
		if t, ok := e.ch.(channels.Typer); ok {
			if err := t.Typing(e.Context(), c); err != nil {
				e.Errorf("typing in %s: %v", c, err)
			}
		}
		if m, ok := e.ch.(channels.Marker); ok {
			for range 2 {
				if err := m.MarkSeen(e.Context(), c, id); err != nil {
					e.Errorf("mark in %s: %v", c, err)
				}
			}
		}
	}
}
