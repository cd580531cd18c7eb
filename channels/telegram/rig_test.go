package telegram_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
	"github.com/leadhand/leadhand/channels/telegram"
)

const (
	forum   = -1001
	group   = -2002
	ann     = 501
	patient = 10 * time.Second
)

// rig is a channel that runs against a fake Telegram with a forum (topics 7 "ops" and 9 "docs"), a plain group and Ann's
// private chat.
type rig struct {
	*testing.T
	fake *telegramfake.Server
	ch   channels.Channel
	got  chan *channels.Inbound
	log  *logged

	mu    sync.Mutex
	fail  func(in *channels.Inbound) error // what the handler answers; nil: stored
	moves []string
	added []string
	told  []string // notices
}

// settings decode like the configuration file.
type settings map[string]any

func (s settings) decode(into any) error {
	return decodeYAML(s, into)
}

func newRig(t *testing.T, opts ...telegramfake.Option) *rig {
	t.Helper()
	fake := telegramfake.New(t, append([]telegramfake.Option{
		telegramfake.WithBot(fakekit.Object{"id": int64(999), "username": "opsbot"}), telegramfake.WithToken("999:CANARY"),
	}, opts...)...)
	fake.AddForum(forum, "Ops", telegramfake.Topic{ID: 7, Name: "ops"}, telegramfake.Topic{ID: 9, Name: "docs"})
	fake.AddChat(telegramfake.Chat{ID: group, Type: "supergroup", Title: "Plain"})
	fake.AddUser(ann, "Ann", "ann")
	return &rig{T: t, fake: fake, got: make(chan *channels.Inbound, 1000), log: &logged{}}
}

// start makes the channel and runs it until the test ends.
func (r *rig) start(more settings) *rig {
	r.Helper()
	s := settings{"bot_token": r.fake.Token, "api_url": r.fake.URL}
	for k, v := range more {
		s[k] = v
	}
	r.make(s)
	r.run()
	return r
}

func (r *rig) make(s settings) {
	r.Helper()
	ch, err := telegram.New("tg", s.decode, channels.Env{
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Own: func(ctx context.Context, _ string, run func(context.Context) error) error { return run(ctx) },
		Moved: func(_ context.Context, from, to channels.ChatID) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.moves = append(r.moves, fmt.Sprintf("%s to %s", from, to))
			return nil
		},
		Added: func(_ context.Context, key string, c channels.Conversation, by channels.Sender) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if key != "" {
				r.added = append(r.added, fmt.Sprintf("%s by %s", c, by.Name))
			}
			return nil
		},
		Notice: func(_ context.Context, text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, text)
		},
		Commands: []channels.CommandInfo{
			{Name: "new", Help: "start anew"}, {Name: "stop", Help: "stop"},
			{Name: "topic", Help: "how I work here", Admins: true},
		},
	})
	if err != nil {
		r.Fatal(err)
	}
	telegram.Hurry(ch, 3*time.Second)
	r.ch = ch
}

// run runs the channel until the test ends or stop is called.
func (r *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.ch.Run(ctx, r.handle) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			r.Errorf("Run: %v", err)
		}
	})
	r.Cleanup(func() {
		stop()
		if strings.Contains(r.log.String(), "CANARY") {
			r.Errorf("the token is in the log:\n%s", r.log)
		}
		if r.Failed() {
			r.Logf("the log:\n%s", r.log)
		}
	})
	return stop
}

func (r *rig) handle(_ context.Context, in *channels.Inbound) error {
	r.mu.Lock()
	fail := r.fail
	r.mu.Unlock()
	if fail != nil {
		if err := fail(in); err != nil {
			return err
		}
	}
	r.got <- in
	return nil
}

func (r *rig) failing(fail func(in *channels.Inbound) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = fail
}

// says lets a person write.
func (r *rig) says(in telegramfake.Incoming) fakekit.Object {
	r.Helper()
	if in.From == nil {
		in.From = telegramfake.User(ann, "Ann", "ann")
	}
	m, err := r.fake.SendMessage(in)
	if err != nil {
		r.Fatal(err)
	}
	return m
}

// next is what the program is handed next.
func (r *rig) next() *channels.Inbound {
	r.Helper()
	select {
	case in := <-r.got:
		return in
	case <-time.After(patient):
		r.Fatal("no message was received")
		return nil
	}
}

// nothingBefore makes sure that nothing was received before a marker, which is written now.
func (r *rig) nothingBefore() {
	r.Helper()
	r.says(telegramfake.Incoming{ChatID: ann, Text: "marker"})
	if in := r.next(); in.Text != "marker" {
		r.Errorf("received %q", in.Text)
	}
}

func topic(name string) channels.Conversation { return at(forum, name) }

func at(chat int64, topic string) channels.Conversation {
	return channels.Conversation{Channel: "tg", Chat: channels.ChatID(fmt.Sprint(chat)), Topic: channels.TopicID(topic)}
}

func (r *rig) send(m *channels.Outbound) (channels.MessageID, error) {
	return r.ch.Send(r.Context(), m)
}

func (r *rig) mustSend(m *channels.Outbound) channels.MessageID {
	r.Helper()
	id, err := r.send(m)
	if err != nil {
		r.Fatalf("send: %v", err)
	}
	return id
}

// methods lists what was called for showing something, in order.
func (r *rig) methods() []string {
	var names []string
	for _, pattern := range []string{"*"} {
		for _, c := range r.fake.Calls(pattern) {
			if strings.HasPrefix(c.Method, "send") || strings.HasPrefix(c.Method, "edit") || strings.HasPrefix(c.Method, "delete") {
				names = append(names, c.Method)
			}
		}
	}
	return names
}

// refusal is the *channels.Error of a failed send.
func refusal(t *testing.T, err error) *channels.Error {
	t.Helper()
	e, ok := errors.AsType[*channels.Error](err)
	if !ok {
		t.Fatalf("got %v, want a *channels.Error", err)
	}
	return e
}

type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// waitFor waits until the log holds a text.
func (r *rig) waitFor(text string) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), patient)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(r.log.String(), text) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.Fatalf("the log never says %q", text)
		}
	}
}

func number(t *testing.T, id channels.MessageID) int {
	t.Helper()
	n, err := strconv.Atoi(string(id))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
