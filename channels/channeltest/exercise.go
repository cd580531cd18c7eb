package channeltest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// patience is how long a case waits for one thing that must happen.
const patience = 15 * time.Second

// Exercise runs the suite; each case on a platform of its own.
func Exercise(t *testing.T, platform func(t *testing.T) *Platform) {
	for _, c := range cases() {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			p := platform(t)
			if c.needs != nil && !c.needs(p) {
				t.Skip("this messenger can't do that")
			}
			e := &exercise{
				T: t, p: p, got: make(chan *channels.Inbound, 1000), joined: map[channels.Conversation]bool{},
				known: map[string]bool{},
			}
			e.start()
			c.run(e)
		})
	}
}

type testCase struct {
	name  string
	needs func(p *Platform) bool
	run   func(e *exercise)
}

func cases() []testCase {
	topics := func(p *Platform) bool { return p.Topic.Chat != "" }
	room := func(p *Platform) bool { return p.Room.Chat != "" }
	return slices.Concat([]testCase{ // each with what it needs
		{"everything stays in its conversation", nil, (*exercise).places},
		{"topics are kept apart", topics, (*exercise).topics},
		{"mentions", room, (*exercise).mentions},
		{"follow-ups in joined topics", topics, (*exercise).followUps},
		{"threads that answers open", func(p *Platform) bool { return p.Threads.Chat != "" }, (*exercise).threads},
		{"what conversations are called", func(p *Platform) bool { return p.Names != nil }, (*exercise).names},
		{"who writes", room, (*exercise).people},
		{"replies", room, (*exercise).replies},
		{"other bots", room, (*exercise).bots},
		{"a bot that is trusted", func(p *Platform) bool { return p.Trusting != nil }, (*exercise).trusted},
		{"what people take back", func(p *Platform) bool { return p.Delete != nil }, (*exercise).deletions},
		{"a burst stays in order", nil, (*exercise).burst},
		{"files that come", room, (*exercise).filesIn},
		{"edits of people", func(p *Platform) bool { return p.Edit != nil }, (*exercise).edits},
		{"deliveries that come again", func(p *Platform) bool { return p.Again != nil }, (*exercise).again},
	}, sendCases(room), faultCases(room))
}

// exercise is one case.
type exercise struct {
	*testing.T
	p   *Platform
	ch  channels.Channel
	got chan *channels.Inbound

	mu     sync.Mutex
	known  map[string]bool // event keys that were stored
	joined map[channels.Conversation]bool
	refuse int // how many deliveries the program refuses
	stop   func()
}

// start makes the channel and runs it until the case ends or stop is called.
func (e *exercise) start() {
	e.Helper()
	e.ch = e.p.New(e.T, channels.Env{
		Log:   slog.New(slog.DiscardHandler),
		Own:   func(ctx context.Context, _ string, run func(context.Context) error) error { return run(ctx) },
		Moved: func(context.Context, channels.ChatID, channels.ChatID) error { return nil },
		Joined: func(_ context.Context, c channels.Conversation) (bool, error) {
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.joined[c], nil
		},
		Notice:   func(context.Context, string) {},
		Commands: []channels.CommandInfo{{Name: "stop", Help: "stop"}, {Name: "help", Help: "help"}},
	})
	ctx, cancel := context.WithCancel(e.Context())
	done := make(chan error, 1)
	go func() { done <- e.ch.Run(ctx, e.handle) }()
	e.stop = sync.OnceFunc(func() {
		cancel()
		begun := time.Now()
		select {
		case err := <-done:
			if err != nil {
				e.Errorf("Run: %v", err)
			}
		case <-time.After(patience):
			e.Error("Run does not end")
		}
		if took := time.Since(begun); took > 5*time.Second {
			e.Errorf("Run took %s to end", took)
		}
	})
	e.Cleanup(func() { e.stop() })
	if e.p.Ready != nil {
		e.p.Ready(e.T)
	}
}

var errDown = errors.New("the database is down")

func (e *exercise) handle(_ context.Context, in *channels.Inbound) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refuse > 0 {
		e.refuse--
		return errDown
	}
	if e.known[in.EventKey] { // a platform may tell the same in several ways
		return nil
	}
	e.known[in.EventKey] = true
	if in.Mentioned || in.Direct {
		e.joined[in.Conversation] = true
	}
	e.got <- in
	return nil
}

// say lets Ann write.
func (e *exercise) say(in channels.Conversation, text string) channels.MessageID {
	e.Helper()
	return e.p.Say(e.T, Said{In: in, Text: text, Mention: in != e.p.Direct})
}

// next is what the program is handed next.
func (e *exercise) next() *channels.Inbound {
	e.Helper()
	select {
	case in := <-e.got:
		return in
	case <-time.After(patience):
		e.Fatal("no message was received")
		return nil
	}
}

// quiet makes sure that nothing was received before what is written now.
func (e *exercise) quiet() {
	e.Helper()
	e.say(e.p.Direct, "the end")
	if in := e.next(); in.Text != "the end" {
		e.Errorf("received %q", in.Text)
	}
}

// talk is where several people talk; the chat with one person where there is nothing else.
func (e *exercise) talk() channels.Conversation {
	if e.p.Room.Chat == "" {
		return e.p.Direct
	}
	return e.p.Room
}

// everywhere are all places.
func (e *exercise) everywhere() []channels.Conversation {
	all := []channels.Conversation{e.p.Direct, e.p.Room, e.p.Topic, e.p.Other}
	return slices.DeleteFunc(all, func(c channels.Conversation) bool { return c.Chat == "" })
}

// must sends a message.
func (e *exercise) must(m *channels.Outbound) channels.MessageID {
	e.Helper()
	e.key(m)
	ctx, cancel := context.WithTimeout(e.Context(), patience)
	defer cancel()
	id, err := e.ch.Send(ctx, m)
	if err != nil {
		e.Fatalf("send: %v", err)
	}
	return id
}

// key gives a message the name by which repeats are known.
func (e *exercise) key(m *channels.Outbound) {
	if m.Key == "" {
		m.Key = fmt.Sprintf("key/%s/%d", e.Name(), time.Now().UnixNano())
	}
}

// texts are what people read of the bot in a conversation.
func (e *exercise) texts(in channels.Conversation) (texts []string) {
	e.Helper()
	for _, s := range e.p.Shown(e.T, in) {
		texts = append(texts, strings.TrimSpace(s.Text))
	}
	return texts
}

// wantTexts checks what people read of the bot in a conversation.
func (e *exercise) wantTexts(in channels.Conversation, want ...string) {
	e.Helper()
	if got := e.texts(in); !slices.Equal(got, want) {
		e.Errorf("%s shows %.300q, want %.300q", in, got, want)
	}
}
