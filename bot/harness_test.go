package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/command"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/fs"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// patience is how long a test waits for one thing that must happen.
const patience = 30 * time.Second

// setup says how a world differs from the usual one, in which everybody may talk and messages join a running turn.
type setup struct {
	model    *llmtest.Script // echo when nil
	fast     llm.Provider    // that can be chosen in its place
	queue    bool            // messages wait for turns of their own
	closed   bool            // nobody may talk
	streams  *streamer       // shows previews too
	fetch    error           // what fetching the file "bad" gives; the messenger has no files without
	answers  place.Answer
	waits    func(in *channels.Inbound)
	waiting  int // messages that may wait in a session
	attempts int
	send     func(m *channels.Outbound) error // before a message counts as sent
	inbox    func(s inbox.Store) inbox.Store
	tools    []tools.Tool
	gates    []tools.Gate

	revisions map[string]bot.Revision
	file      []place.Setting // what the configuration file sets
	policy    tools.Rules
}

func (s *setup) placesInFile() []place.Setting {
	if s.answers == "" {
		return s.file
	}
	return append(s.file, place.Setting{Key: place.KeyAnswer, Value: string(s.answers)})
}

// world is a whole bot but for its composition root: real database, engines, agent and router.
type world struct {
	*testing.T
	model  *llmtest.Script
	db     *store.DB
	router *bot.Router
	runner *agent.Runner
	inbox  *inbox.Inbox
	outbox *outbox.Outbox
	sent   chan channels.Outbound
	lost   chan string // keys of messages that could not be delivered
	log    *lockedBuffer
	stop   func() // as at the end of the program
	n      int
}

func newWorld(t *testing.T, url string, s setup) *world {
	t.Helper()
	w := &world{
		T: t, model: s.model, sent: make(chan channels.Outbound, 1000), lost: make(chan string, 10), log: &lockedBuffer{},
	}
	if w.model == nil {
		w.model = llmtest.New(t).Otherwise(echo)
	}
	var err error
	log := slog.New(slog.NewTextHandler(w.log, nil))
	if w.db, err = store.Open(t.Context(), url, log); err != nil {
		t.Fatal(err)
	}
	owner := func() string { return "this process" }
	var sender channels.Channel = &messenger{w.sent, s.send}
	if s.fetch != nil {
		sender = &fetcher{&messenger{w.sent, s.send}, s.fetch}
	}
	if s.streams != nil {
		s.streams.messenger = &messenger{w.sent, s.send}
		sender = s.streams
	}
	find := func(name string) (channels.Channel, bool) { return sender, name == sender.Name() }
	out := outbox.New(outbox.Config{
		Store: store.NewOutbox(w.db, "fake"), Sender: find, Owner: owner, Log: log,
		Undeliverable: func(_ context.Context, r *outbox.Row, _ error) { w.lost <- r.Message.Key },
	})
	files := store.NewWorkspaces(w.db, store.DefaultWorkspaceLimits)
	book := place.NewBook("default", store.NewPlaces(w.db), s.placesInFile(), []string{"lead", "writer"}, log)
	rules := &place.Rules{Tenant: "default", Book: book, Grants: store.NewGrants(w.db), Zone: time.UTC}
	planner := func(lifts ...tools.Exception) *tools.Planner {
		return &tools.Planner{
			Source: tools.Fixed(append(fs.Tools(files), s.tools...)),
			Gates: func(ctx context.Context, scope tools.Scope) ([]tools.Gate, error) {
				role := access.DefaultRoleRules().Gate(access.Role(scope.Role))
				gates, err := rules.Gates(ctx, scope, role, lifts...)
				return append(append([]tools.Gate{tools.Policy{Global: s.policy}.Gate()}, gates...), s.gates...), err
			},
		}
	}
	runner := agent.NewRunner(agent.Config{
		Specs: func(string) (*agent.Spec, bool) {
			return &agent.Spec{Name: "lead", Model: w.model, Choices: map[string]llm.Provider{"fast": s.fast}}, true
		},
		Planner:  planner(),
		Pipeline: &tools.Pipeline{}, Log: log,
	})
	people, codes := store.NewPeople(w.db), store.NewCodes(w.db)
	gate := &access.Gate{Tenant: "default", People: people, Open: !s.closed, Door: book.Door}
	sessions := store.NewSessions(w.db)
	turns := bot.NewTurns(bot.TurnsConfig{
		Admit: gate.Admit,
		Model: func(ctx context.Context, s tools.Scope) (string, error) {
			model, err := sessions.Model(ctx, s.Tenant, s.Agent, s.Conversation)
			if model != "" || err != nil {
				return model, err
			}
			e, err := book.At(ctx, s.Conversation)
			if err != nil {
				return "", err
			}
			return e.Model(), nil
		},
		Run: runner.Run, Channel: find, Files: files, Buttons: store.NewButtons(w.db), Log: log,
		Steers: func(context.Context, channels.Conversation) (bool, error) { return !s.queue, nil },
	})
	var keep inbox.Store = store.NewInbox(w.db, "fake")
	if s.inbox != nil {
		keep = s.inbox(keep)
	}
	in := inbox.New(inbox.Config{
		Store: keep, Handler: turns.Handle, Out: out.Engine(), Owner: owner, Log: log, Attempts: s.attempts,
		Waiting: s.waiting,
	})
	lead := func(context.Context, channels.Conversation) (string, error) { return "lead", nil }
	say := func(ctx context.Context, m channels.Outbound) error { return out.Post(ctx, "default", "", m) }
	scope := func(_ context.Context, req *bot.Request) (tools.Scope, error) {
		return tools.Scope{
			Tenant: "default", Agent: "lead", User: req.Person.ID, Role: string(req.Person.Role), Conversation: req.In.Conversation,
		}, nil
	}
	kind, revision := command.GrantRevision("default", rules.Grants)
	if s.revisions == nil {
		s.revisions = map[string]bot.Revision{}
	}
	s.revisions[kind] = revision
	chooser := command.Chooser{
		Tenant: "default", Book: book, Agent: lead, Sessions: sessions, Zone: time.UTC,
		Choices: func(string) []command.Choice {
			return []command.Choice{{Name: "usual", Model: "script"}, {Name: "fast", Model: "script:fast", Price: "$0.25 in, $2 out"}}
		},
	}
	w.router = bot.NewRouter(bot.RouterConfig{
		Tenant: "default", Lead: "lead", Inbox: in, Outbox: out, Log: log, Waits: s.waits, Revisions: s.revisions,
		Access: bot.Access{Admit: gate.Admit, People: people, Codes: codes},
		Places: book,
		Keep: bot.Keep{
			Sessions: sessions, Commands: store.NewCommands(w.db), Talk: store.NewTalk(w.db), Buttons: store.NewButtons(w.db),
		},
		Verbs: command.New(
			command.Fresh("default", sessions, lead), command.Resume("default", sessions, lead, time.UTC),
			command.Usage(command.Meter{Tenant: "default", Spent: store.NewUsage(w.db).Spent, People: people}),
			command.Model(chooser), command.Stop("default", sessions, in.Stop),
			command.Status("default", sessions), command.WhoAmI("default", people), command.Link("default", codes, people),
			command.Topic(command.Topics{
				Book: book, Agents: []string{"lead", "writer"}, Steers: !s.queue, Tenant: "default", People: people, Zone: time.UTC,
				Skills: func() ([]string, error) { return []string{"deploy", "hire"}, nil },
			}),
			command.Ask(), command.Mute(book), command.Unmute(book),
			command.Tools(command.Toolbox{
				Tenant: "default", Book: book, Grants: rules.Grants, People: people, Scope: scope, Say: say, Zone: time.UTC,
				Name: bot.Naming(find).Of,
				Plan: func(ctx context.Context, scope tools.Scope, lifts ...tools.Exception) (*tools.Plan, error) {
					return planner(lifts...).Plan(ctx, scope)
				},
			}),
			command.Member(command.Members{Tenant: "default", People: people, Codes: codes, Say: say}),
		),
	})
	w.outbox, w.inbox, w.runner = out, in, runner
	w.run(in, out)
	return w
}

// run starts the engines and makes stop.
func (w *world) run(in *inbox.Inbox, out *outbox.Outbox) {
	ctx, cancel := context.WithCancel(w.Context())
	var engines sync.WaitGroup
	engines.Go(func() { _ = in.Engine().Run(ctx) })
	engines.Go(func() { _ = out.Engine().Run(ctx) })
	w.stop = sync.OnceFunc(func() {
		cancel()
		engines.Wait()
		if err := w.db.Close(); err != nil {
			w.Error(err)
		}
	})
	w.Cleanup(func() {
		w.stop()
		if w.Failed() {
			w.Logf("the program's log:\n%s", w.log)
		}
	})
}

// messenger is a channel that shows what it is given to the test.
type messenger struct {
	sent chan channels.Outbound
	try  func(m *channels.Outbound) error
}

func (*messenger) Name() string { return "fake" }

func (*messenger) Run(ctx context.Context, _ channels.Handler) error {
	<-ctx.Done()
	return nil
}

func (m *messenger) Send(_ context.Context, out *channels.Outbound) (channels.MessageID, error) {
	if m.try != nil {
		if err := m.try(out); err != nil {
			return "", err
		}
	}
	m.sent <- *out
	return channels.MessageID("sent-" + out.Key), nil
}

// room is the conversation in which tests talk unless they say otherwise.
func room() channels.Conversation {
	return channels.Conversation{Channel: "fake", Chat: "C01", Topic: "1700.0001"}
}

// message is the next one of a person in a conversation; its id counts them.
func (w *world) message(c channels.Conversation, person, text string) *channels.Inbound {
	w.n++
	id := fmt.Sprintf("m%d", w.n)
	return &channels.Inbound{
		ID: channels.MessageID(id), EventKey: "event-" + id, Conversation: c, Mentioned: true, Text: text,
		Sender: channels.Sender{ID: channels.UserID(person), Name: "Name of " + person}, SentAt: time.Now(),
	}
}

// says delivers a message of a person in the room and returns its id.
func (w *world) says(person, text string) channels.MessageID {
	w.Helper()
	return w.deliver(w.message(room(), person, text))
}

// commands delivers a command in the room.
func (w *world) commands(name, args string) channels.MessageID {
	w.Helper()
	in := w.message(room(), "501", "/"+name)
	in.Command = &channels.Command{Name: name, Args: args}
	return w.deliver(in)
}

func (w *world) deliver(in *channels.Inbound) channels.MessageID {
	w.Helper()
	if err := w.router.Handle(w.Context(), in); err != nil {
		w.Fatalf("deliver %s: %v", in.EventKey, err)
	}
	return in.ID
}

// shown is the next message that people see.
func (w *world) shown() channels.Outbound {
	w.Helper()
	return receive(w.T, w.sent, "a message to be sent")
}

// wantShown checks the text of the next message that people see and what it replies to.
func (w *world) wantShown(replyTo channels.MessageID, text string) {
	w.Helper()
	m := w.shown()
	if m.Text != text || m.ReplyTo != replyTo || m.Conversation != room() {
		w.Fatalf("shown %q in %s in reply to %q, want %q in reply to %q", m.Text, m.Conversation, m.ReplyTo, text, replyTo)
	}
}

// wantQuiet checks that nothing is left to be shown: a last message in the room is answered next.
func (w *world) wantQuiet() {
	w.Helper()
	before := w.model.Left()
	if before != 0 {
		w.Errorf("%d steps of the script were not played", before)
	}
	w.model.Otherwise(echo)
	id := w.says("501", "anything-left")
	w.wantShown(id, "re: anything-left")
}

func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("waited too long for %s", what)
		panic("unreachable")
	}
}

// heard is what people wrote to the bot since the last answer in words, one string a message, without the header line.
func heard(req *llm.Request) []string {
	var texts []string
	for i := range req.Messages {
		m := &req.Messages[i]
		switch {
		case m.Role == llm.Assistant && len(m.Calls()) == 0:
			texts = nil
		case m.Role == llm.User:
			said := m.Text()
			if _, own, ok := strings.Cut(said, "[program] The message for you:\n"); ok {
				said = own
			}
			_, text, _ := strings.Cut(said, "\n")
			texts = append(texts, text)
		}
	}
	return texts
}

// echo answers everything that was not answered.
func echo(_ context.Context, req *llm.Request) (*llm.Answer, error) {
	return &llm.Answer{
		Message: llm.AssistantText("re: " + strings.Join(heard(req), " | ")), Finish: llm.Stop,
	}, nil
}

// gated is a step that reports its begin and goes on to next when the test opens it.
type gated struct{ begun, open chan struct{} }

func newGate() gated { return gated{make(chan struct{}), make(chan struct{})} }

func (g gated) then(next llmtest.Step) llmtest.Step {
	return func(ctx context.Context, req *llm.Request) (*llm.Answer, error) {
		close(g.begun)
		select {
		case <-g.open:
			return next(ctx, req)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var errDisk = errors.New("no space left on device")

// NameOf makes the messenger a channels.Namer: chats have names, topics have none.
func (*messenger) NameOf(_ context.Context, c channels.Conversation) (string, error) {
	if c.Topic != "" {
		return "", nil
	}
	return "#" + strings.ToLower(string(c.Chat)), nil
}
