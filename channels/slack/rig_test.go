package slack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/slack"
)

const (
	general = "C0GENERAL01"
	other   = "C0OTHER0001"
	dm      = "D0ANN000001"
	ann     = "U0ANN000001"
	bob     = "U0BOB000001"
	bot     = "<@" + slackfake.BotUserID + ">"
	patient = 10 * time.Second
)

// rig is a channel that runs against a fake Slack with two channels and Ann's chat with the bot.
type rig struct {
	*testing.T
	fake *slackfake.Server
	ch   channels.Channel
	got  chan *channels.Inbound
	log  *logged

	mu     sync.Mutex
	fail   func(in *channels.Inbound) error // what the handler answers; nil: stored
	joined map[channels.Conversation]bool
	told   []string // notices
	added  []string
}

// settings decode like the configuration file.
type settings map[string]any

func (s settings) decode(into any) error { return decodeYAML(s, into) }

func newRig(t *testing.T, opts ...slackfake.Option) *rig {
	t.Helper()
	fake := slackfake.New(t, opts...)
	fake.AddUser(ann, "ann")
	fake.AddUser(bob, "bob")
	fake.AddChannel(general, "general")
	fake.AddChannel(other, "other")
	fake.AddDM(dm, ann)
	return &rig{T: t, fake: fake, got: make(chan *channels.Inbound, 1000), log: &logged{}, joined: map[channels.Conversation]bool{}}
}

// start makes the channel, in Socket Mode, and runs it until the test ends.
func (r *rig) start() *rig {
	r.Helper()
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": r.fake.URL})
	r.run()
	r.fake.Wait("socket")
	return r
}

// startHTTP makes the channel that receives over HTTP, and runs it until the test ends.
func (r *rig) startHTTP() *rig {
	r.Helper()
	r.make(settings{"bot_token": slackfake.BotToken, "signing_secret": slackfake.SigningSecret, "api_url": r.fake.URL})
	app := httptest.NewServer(r.ch.(channels.Webhook).Webhook())
	r.Cleanup(app.Close)
	r.run()
	r.fake.Wait("auth.test")
	r.waitFor("connected to Slack")
	hook := app.URL + "/hooks/sl"
	r.fake.SetEndpoints(slackfake.Endpoints{Events: hook, Commands: hook, Interactions: hook})
	return r
}

func (r *rig) env() channels.Env {
	return channels.Env{
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Own: func(ctx context.Context, _ string, run func(context.Context) error) error { return run(ctx) },
		Joined: func(_ context.Context, c channels.Conversation) (bool, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.joined[c], nil
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
		Commands: []channels.CommandInfo{{Name: "new", Help: "start anew"}, {Name: "stop", Help: "stop what runs"}},
	}
}

func (r *rig) make(s settings) {
	r.Helper()
	ch, err := slack.New("sl", s.decode, r.env())
	if err != nil {
		r.Fatal(err)
	}
	slack.Hurry(ch)
	r.ch = ch
}

// run runs the channel until the test ends or stop is called.
func (r *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.ch.Run(ctx, r.handle) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				r.Errorf("Run: %v", err)
			}
		case <-time.After(3 * time.Second):
			r.Error("Run does not end")
		}
	})
	r.Cleanup(func() {
		stop()
		for _, secret := range []string{slackfake.BotToken, slackfake.AppToken, slackfake.SigningSecret, "ticket=", "/response/"} {
			if strings.Contains(r.log.String(), secret) {
				r.Errorf("a secret is in the log:\n%s", r.log)
			}
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

// join lets the bot take part in a conversation.
func (r *rig) join(c channels.Conversation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.joined[c] = true
}

func (r *rig) notices() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.told...)
}

// says lets a person write and returns the message's ts.
func (r *rig) says(in slackfake.Incoming) string {
	r.Helper()
	if in.User == "" {
		in.User = ann
	}
	ts, err := r.fake.SendMessage(in)
	if err != nil {
		r.Fatal(err)
	}
	return ts
}

// event delivers an event as it is.
func (r *rig) event(e fakekit.Object) {
	r.Helper()
	if _, err := r.fake.Event(e); err != nil {
		r.Fatal(err)
	}
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

// nothingBefore makes sure that nothing was received of a channel before a marker, which is written there now.
func (r *rig) nothingBefore(channel string) {
	r.Helper()
	r.says(slackfake.Incoming{Channel: channel, Text: "marker"})
	if in := r.next(); in.Text != "marker" {
		r.Errorf("received %+v", in)
	}
}

func at(chat, thread string) channels.Conversation {
	return channels.Conversation{Channel: "sl", Chat: channels.ChatID(chat), Topic: channels.TopicID(thread)}
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

// shown are the bot's messages in a channel.
func (r *rig) shown(channel string) []fakekit.Object {
	var out []fakekit.Object
	for _, m := range r.fake.Messages(channel) {
		if m["bot_id"] == slackfake.BotID {
			out = append(out, m)
		}
	}
	return out
}

// refusal is the *channels.Error of a failed send.
func refusal(t *testing.T, err error) *channels.Error {
	t.Helper()
	e, ok := errors.AsType[*channels.Error](err)
	if !ok {
		t.Fatalf("got %v, want a *channels.Error", err)
	}
	for _, secret := range []string{slackfake.BotToken, slackfake.AppToken, "/response/"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("a secret is in the error %v", err)
		}
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
	r.until(func() bool { return strings.Contains(r.log.String(), text) }, "the log says "+text)
}

// until waits until something is so.
func (r *rig) until(so func() bool, what string) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), patient)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.Fatalf("it never came about that %s", what)
		}
	}
}
