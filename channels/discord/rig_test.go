package discord_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/discord"
)

const (
	guildID  = "1080000000000000100"
	roomID   = "1080000000000000101"
	threadID = "1080000000000000102"
	forumID  = "1080000000000000103"
	postID   = "1080000000000000104"
	otherID  = "1080000000000000105"
	mutedID  = "1080000000000000106"
	directID = "1080000000000000200"

	annID   = "501"
	patient = 30 * time.Second

	posts = "POST /channels/{channel_id}/messages"
	edits = "PATCH /channels/{channel_id}/messages/{message_id}"
	acks  = "POST /interactions/{interaction_id}/{interaction_token}/callback"
)

// rig is a channel that runs against a fake Discord with a server of a room (which has a thread), a forum (with a
// post), another room and one in which the bot may not write, and Ann's direct chat.
type rig struct {
	*testing.T
	fake *discordfake.Server
	ch   channels.Channel
	got  chan *channels.Inbound
	log  *logged

	mu     sync.Mutex
	fail   func(in *channels.Inbound) error // what the handler answers; nil: stored
	joined map[channels.TopicID]bool
	told   []string // notices
	added  chan string
	leases []string

	// Of the environment; set before the channel is made.
	talked    []channels.Conversation
	talkedErr error
	complete  func(ctx context.Context, in *channels.Inbound) []channels.Option
}

// settings decode like the configuration file.
type settings map[string]any

func (s settings) decode(into any) error { return decodeYAML(s, into) }

func newRig(t *testing.T, opts ...discordfake.Option) *rig {
	t.Helper()
	fake := discordfake.New(t, append([]discordfake.Option{discordfake.WithToken("MTA4.CANARY.tok"), discordfake.WithAckTimeout(patient)}, opts...)...)
	fake.AddGuild(discordfake.Guild{ID: guildID, Name: "Ops", Channels: []discordfake.Channel{
		{ID: roomID, Name: "general"}, {ID: forumID, Name: "incidents", Type: discordfake.ForumChannel},
		{ID: otherID, Name: "other"}, {ID: mutedID, Name: "news", ReadOnly: true},
	}})
	for id, parent := range map[string]string{threadID: roomID, postID: forumID} {
		if err := fake.AddThread(parent, id, "thread"); err != nil {
			t.Fatal(err)
		}
	}
	fake.AddDM(directID, ann())
	return &rig{T: t, fake: fake, got: make(chan *channels.Inbound, 3000), log: &logged{}, added: make(chan string, 10)}
}

func ann() fakekit.Object {
	u := discordfake.User(annID, "ann")
	u["global_name"] = "Ann"
	return u
}

// start makes the channel and runs it until the test ends.
func (r *rig) start(more settings) *rig {
	r.Helper()
	r.make(more)
	r.run()
	r.fake.Wait("GATEWAY identify")
	r.waitFor("connected to Discord")
	return r
}

func (r *rig) make(more settings) {
	r.Helper()
	s := settings{"bot_token": r.fake.Token, "api_url": r.fake.URL}
	for k, v := range more {
		s[k] = v
	}
	ch, err := discord.New("dc", s.decode, channels.Env{
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Own: func(ctx context.Context, name string, run func(context.Context) error) error {
			r.mu.Lock()
			r.leases = append(r.leases, name)
			r.mu.Unlock()
			return run(ctx)
		},
		Joined: func(_ context.Context, c channels.Conversation) (bool, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.joined[c.Topic], nil
		},
		Talked:   func(context.Context) ([]channels.Conversation, error) { return r.talked, r.talkedErr },
		Complete: r.complete,
		Added: func(_ context.Context, key string, c channels.Conversation, by channels.Sender) error {
			r.added <- key + " " + c.String() + by.Name
			return nil
		},
		Notice: func(_ context.Context, text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, text)
		},
		Commands: []channels.CommandInfo{{Name: "new", Help: "start anew"}, {Name: "stop", Help: "stop"}},
	})
	if err != nil {
		r.Fatal(err)
	}
	discord.Hurry(ch)
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
		case <-time.After(patient):
			r.Error("Run does not end")
		}
	})
	r.Cleanup(func() {
		stop()
		if log := r.log.String(); strings.Contains(log, "CANARY") || strings.Contains(log, "interaction-token") {
			r.Errorf("a token is in the log:\n%s", log)
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

// joins lets the bot take part in threads.
func (r *rig) joins(topics ...channels.TopicID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.joined = map[channels.TopicID]bool{}
	for _, t := range topics {
		r.joined[t] = true
	}
}

func (r *rig) notices() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.told...)
}

// says lets Ann write.
func (r *rig) says(channel, content string) fakekit.Object {
	r.Helper()
	return r.sends(discordfake.Incoming{ChannelID: channel, Content: content})
}

func (r *rig) sends(in discordfake.Incoming) fakekit.Object {
	r.Helper()
	if in.Author == nil {
		in.Author = ann()
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

// nothingFrom makes sure that nothing is received from a channel before a marker, which is written there now.
func (r *rig) nothingFrom(channel string) {
	r.Helper()
	r.says(channel, "marker")
	if in := r.next(); in.Text != "marker" {
		r.Errorf("received %+v", in)
	}
}

func (r *rig) bot() string { return "<@" + r.fake.AppID() + ">" }

func at(chat, topic string) channels.Conversation {
	return channels.Conversation{Channel: "dc", Chat: channels.ChatID(chat), Topic: channels.TopicID(topic)}
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

// shown lists what the bot shows in a channel, in order.
func (r *rig) shown(channel string) []string {
	var texts []string
	for _, m := range r.fake.Messages(channel) {
		if m["author"].(fakekit.Object)["id"] == r.fake.AppID() {
			texts = append(texts, m["content"].(string))
		}
	}
	return texts
}

// find is a message of a channel.
func (r *rig) find(channel string, id channels.MessageID) fakekit.Object {
	r.Helper()
	for _, m := range r.fake.Messages(channel) {
		if m["id"] == string(id) {
			return m
		}
	}
	r.Fatalf("there is no message %s in %s", id, channel)
	return nil
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
	r.until("the log says "+text, func() bool { return strings.Contains(r.log.String(), text) })
}

// until waits until something is so.
func (r *rig) until(what string, so func() bool) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), patient)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.Fatalf("it never came to this: %s", what)
		}
	}
}
