package channeltest

import (
	"errors"
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
		{"buttons that nobody kept", func(p *Platform) bool { return p.Press != nil }, (*exercise).unkept},
		{"words for one person", func(p *Platform) bool { return p.Private != nil }, (*exercise).private},
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
		{Text: "Stop", Command: channels.Command{Name: "stop", Args: "all"}, Style: channels.Danger, Token: Token(1)},
		{Text: "Help", Command: channels.Command{Name: "help"}, Token: Token(2)},
	}}})
	keys := map[string]bool{}
	for range 2 {
		e.p.Press(e.T, e.p.Topic, id, "Stop")
		keys[e.wantPress(channels.Action{Token: Token(1)}).EventKey] = true
	}
	if len(keys) != 2 {
		e.Error("two presses have one key")
	}
}

// wantPress is the next that is received, which must be Bob's press in the topic.
func (e *exercise) wantPress(want channels.Action) *channels.Inbound {
	e.Helper()
	in := e.next()
	if in.Action == nil || *in.Action != want || in.Command != nil || in.Conversation != e.p.Topic || !named(in, "bob") {
		e.Errorf("received %+v with %+v, want %+v", in, in.Action, want)
	}
	return in
}

func (e *exercise) choices() {
	id := e.must(&channels.Outbound{Conversation: e.p.Topic, Text: "who?", Buttons: [][]channels.Button{{{
		Text: "Assign", Command: channels.Command{Name: "help", Args: "42"}, Token: Token(1),
		Options: []channels.Option{
			{Text: "Ann", Value: "u1"}, {Text: "Bob", Value: strings.Repeat("long", 100)}, {Text: "Cem", Value: "u3"},
		},
	}}}})
	e.p.Choose(e.T, e.p.Topic, id, "Assign", "Bob")
	e.wantPress(channels.Action{Token: Token(1), Choice: 2})
}

func (e *exercise) questions() {
	id := e.must(&channels.Outbound{Conversation: e.p.Topic, Text: "done?", Buttons: [][]channels.Button{{{
		Text: "Send back", Command: channels.Command{Name: "help", Args: "42"}, Ask: "Why?", Token: Token(1),
	}}}})
	e.p.Answer(e.T, e.p.Topic, id, "Send back", "it is too long")
	e.wantPress(channels.Action{Token: Token(1), Answer: "it is too long"})
}

// unkept: a button that nobody could press is not shown.
func (e *exercise) unkept() {
	m := &channels.Outbound{Conversation: e.p.Room, Text: "go on?", Buttons: [][]channels.Button{{
		{Text: "Stop", Command: channels.Command{Name: "stop"}},
	}}}
	e.key(m)
	_, err := e.ch.Send(e.Context(), m)
	if ce, ok := errors.AsType[*channels.Error](err); !ok || !ce.Terminal {
		e.Errorf("a button without a token: %v", err)
	}
}

// private: what is for one person is shown to that person, and to nobody else.
func (e *exercise) private() {
	id := e.must(&channels.Outbound{Conversation: e.p.Topic, Text: "go on?", Buttons: [][]channels.Button{{
		{Text: "Stop", Command: channels.Command{Name: "stop"}, Token: Token(1)},
	}}})
	e.p.Press(e.T, e.p.Topic, id, "Stop")
	in := e.next()
	e.must(&channels.Outbound{Conversation: in.Conversation, Via: in.Via, To: in.Sender.ID, Text: "not **you**"})
	if got := e.p.Private(e.T, e.p.Topic); len(got) != 1 || !strings.Contains(got[0], "not") {
		e.Errorf("Bob sees %q", got)
	}
	e.wantTexts(e.p.Topic, "go on?")
}

func (e *exercise) cards() {
	e.must(&channels.Outbound{Conversation: e.talk(), Card: &channels.Card{
		Title: "Task 42", Body: "Fix the *login*", Tone: channels.Busy,
		Fields: []channels.Field{{Name: "Owner", Value: "Ann"}, {Name: "Due", Value: "today"}},
	}, Buttons: [][]channels.Button{{
		{Text: "Help", Command: channels.Command{Name: "help"}, Token: Token(1)},
	}}})
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
