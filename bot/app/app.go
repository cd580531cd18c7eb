// Package app is the composition root: it puts the parts together, starts them, and stops them.
package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/prompt"
	"github.com/leadhand/leadhand/agent/skill"
	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/bot/command"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/web"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/scrub"
	"github.com/leadhand/leadhand/tools/workspace"
)

// tenant is the one organisation of an installation.
const tenant = "default"

// Options are what the caller of New adds to the configuration.
type Options struct {
	Env Environ
	Log *slog.Logger
	// Channels are added to the configured ones: the terminal, fakes in tests.
	Channels []func(env channels.Env) channels.Channel
	// Owner names the channel whose people are owners: the terminal's.
	Owner string
	// Queue makes every message of these channels wait for a turn of its own.
	Queue []string
	// Model answers for the lead agent instead of what is configured: the demo's, a scripted one in tests.
	Model llm.Provider
	// Tell shows a person at a terminal what the start waits for; nil tells nobody.
	Tell func(text string)
	// Pressed is told who pressed the button that shows that buttons work; nil tells nobody.
	Pressed func(*access.Person)
	// NoHTTP leaves the HTTP server out.
	NoHTTP bool
}

// App is a bot that is put together.
type App struct {
	cfg     *Config
	log     *slog.Logger
	db      *store.DB
	member  *store.Member
	metrics *metrics
	hide    *scrub.Scrubber

	env     Environ
	specs   map[string]*agent.Spec
	given   llm.Provider         // the model that answers whatever is configured; may be nil
	pressed func(*access.Person) // may be nil

	rulebook
	engine
}

// rulebook is who people are, what is set, and what may be used.
type rulebook struct {
	people access.People
	codes  access.Codes
	book   *place.Book
	rules  *place.Rules
	verbs  *command.Registry
	tools  tools.Source
	skills *skill.Library
	files  workspace.Store
	audit  *audit.Log
}

// engine is what runs.
type engine struct {
	channels []channels.Channel
	inbox    *inbox.Inbox
	outbox   *outbox.Outbox
	router   *bot.Router
	signs    *bot.Signs
	jobs     *job.Jobs
	web      *web.Server // nil without HTTP
}

// New opens the database, brings its schema up to date, and makes everything. A database that cannot be reached is
// tried again until ctx is done.
func New(ctx context.Context, cfg *Config, opts Options) (_ *App, err error) {
	agents := map[string]*agent.Spec{lead: {Name: lead, Model: opts.Model}}
	if opts.Model == nil {
		if agents, err = specs(cfg, opts.Env, opts.Log); err != nil {
			return nil, err
		}
	}
	hide := scrubber(cfg, opts.Env)
	opts.Log = slog.New(hide.Handler(opts.Log.Handler()))
	a := &App{
		cfg: cfg, log: opts.Log, hide: hide, metrics: newMetrics(), specs: agents,
		env: opts.Env, given: opts.Model, pressed: opts.Pressed,
	}
	if a.db, err = openDatabase(ctx, cfg.Database, opts); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.db.Close())
		}
	}()
	if err := a.migrate(ctx); err != nil {
		return nil, err
	}
	a.member = store.NewMember(a.db)
	a.makePeople()
	if err := a.makeChannels(opts); err != nil {
		return nil, err
	}
	a.makeEngine(opts)
	if a.jobs, err = job.New(a.jobConfig()); err != nil {
		return nil, err
	}
	if opts.NoHTTP {
		return a, nil
	}
	a.web, err = web.Listen(ctx, web.Config{
		Addr: cfg.Listen, Metrics: a.metrics.registry, Log: opts.Log,
		Ready: []web.Check{{Name: "database", Run: a.db.Ping}}, Hooks: a.hooks(),
	})
	return a, err
}

// migrate brings the schema up to date. On SQLite this process has the file alone, so leases found are dead.
func (a *App) migrate(ctx context.Context) error {
	n, err := a.db.Migrate(ctx, job.Migrate)
	if err != nil {
		return err
	}
	if n > 0 {
		a.log.Info("database schema brought up to date", "migrations", n)
	}
	if a.db.Postgres() {
		return nil
	}
	return a.db.ReleaseDead(ctx, "")
}

// makeEngine wires messages in, turns, and replies out.
func (a *App) makeEngine(opts Options) {
	var served []string
	for _, ch := range a.channels {
		served = append(served, ch.Name())
	}
	a.outbox = outbox.New(outbox.Config{
		Store: store.NewOutbox(a.db, served...), Sender: a.channel, Owner: a.member.ID, Log: a.log,
		Undeliverable: a.undeliverable, Hide: a.hide.Text,
	})
	runner := agent.NewRunner(agent.Config{
		Specs:    func(name string) (*agent.Spec, bool) { s, ok := a.specs[name]; return s, ok },
		Sections: append(prompt.Default(), a.cfg.Team, place.Section{Book: a.book}, skill.Section{Library: a.skills}),
		Planner:  a.planner(a.tools), Pipeline: a.pipeline(), Log: a.log, Hide: a.hide.Text,
	})
	a.signs = bot.NewSigns(a.channel, a.log)
	who := a.access(opts.Owner)
	buttons := store.NewButtons(a.db)
	turns := bot.NewTurns(bot.TurnsConfig{
		Run: runner.Run, Channel: a.channel, Admit: who.Admit, Files: a.files, Buttons: buttons, Zone: a.zone(),
		Ended: a.metrics.ended, Model: a.chosen,
		Log: a.log, Steers: a.steers(opts.Queue), Notice: a.notice, Begun: a.signs.Begun, Sending: a.outbox.Sending,
		Hide: a.hide,
	})
	a.inbox = inbox.New(inbox.Config{
		Store: store.NewInbox(a.db, served...), Handler: turns.Handle, Out: a.outbox.Engine(), Owner: a.member.ID,
		Log: a.log, Slots: a.cfg.Limits.Turns, Waiting: a.cfg.Limits.Waiting,
	})
	a.router = bot.NewRouter(bot.RouterConfig{
		Tenant: tenant, Lead: lead, Access: who, Places: a.book, Verbs: a.verbs, Inbox: a.inbox,
		Outbox: a.outbox, Revisions: a.revisions(), Log: a.log, Waits: a.signs.Waits, Accepted: a.metrics.accepted,
		Hide: a.hide, Redeemed: a.recordCode,
		Keep: bot.Keep{
			Sessions: store.NewSessions(a.db), Commands: store.NewCommands(a.db), Talk: store.NewTalk(a.db), Buttons: buttons,
		},
	})
	a.metrics.watch("leadhand_turns_running", "Turns being worked.", a.inbox.Engine())
	a.metrics.watch("leadhand_sends_running", "Messages being sent.", a.outbox.Engine())
}

// steers tells where messages join a running turn.
func (a *App) steers(queue []string) func(context.Context, channels.Conversation) (bool, error) {
	return func(ctx context.Context, c channels.Conversation) (bool, error) {
		if slices.Contains(queue, c.Channel) {
			return false, nil
		}
		e, err := a.book.At(ctx, c)
		if err != nil {
			return false, err
		}
		return e.Steers(a.cfg.Steering == "steer"), nil
	}
}

func (a *App) zone() *time.Location {
	loc, err := time.LoadLocation(a.cfg.TimeZone)
	if err != nil { // Load checked it
		return time.UTC
	}
	return loc
}

func (a *App) workspaceLimits() store.WorkspaceLimits {
	l := store.DefaultWorkspaceLimits
	if n := a.cfg.Limits.WorkspaceBytes; n > 0 {
		l.Quota = n
	}
	if n := a.cfg.Limits.FileBytes; n > 0 {
		l.MaxFile = n
	}
	return l
}

// defaultRetention is how long worked messages are kept when the configuration does not say.
const defaultRetention = 30 * 24 * time.Hour

func (a *App) jobConfig() job.Config {
	age := defaultRetention
	if d := a.cfg.Limits.RetentionDays; d > 0 {
		age = time.Duration(d) * 24 * time.Hour
	}
	sweep := func(ctx context.Context) error {
		n, err := a.db.Sweep(ctx, age)
		if n > 0 {
			a.log.Info("old messages deleted", "rows", n)
		}
		return err
	}
	return job.Config{
		Pool: a.db.SQL(), Postgres: a.db.Postgres(), Log: a.log,
		Periodic: []job.Periodic{{Name: "retention", Every: time.Hour, Run: sweep}},
		Tasks:    []job.Task{{Name: checkup, Run: a.checkup}},
	}
}

// Addr is where the HTTP server listens; empty without one.
func (a *App) Addr() string {
	if a.web == nil {
		return ""
	}
	return a.web.Addr()
}

// Run works until ctx is done or a part fails for good, then stops everything within five seconds: first nothing is
// received and no turn begun any more, and running turns get some seconds to end; then what they said is sent. What is
// left goes on at the next start.
func (a *App) Run(ctx context.Context) error {
	if err := a.member.Join(ctx); err != nil {
		a.log.Error("this replica is not known to the others yet", "err", err)
	}
	late, stopLate := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLate()
	var behind errgroup.Group
	behind.Go(func() error { return a.outbox.Engine().Run(late) })
	behind.Go(func() error { return a.member.Run(late, a.loseMembership) })
	behind.Go(func() error { return a.db.Listen(late, a.news()) })

	front, ctx := errgroup.WithContext(ctx)
	front.Go(func() error { return a.inbox.Engine().Run(ctx) })
	front.Go(func() error { return a.jobs.Run(ctx) })
	front.Go(func() error { return a.signs.Run(ctx) })
	if a.web != nil {
		front.Go(func() error { return a.web.Run(ctx) })
	}
	for _, ch := range a.channels {
		front.Go(func() error { return a.runChannel(ctx, ch) })
	}
	err := front.Wait()
	stopLate()
	if errors.Is(err, errDone) {
		err = nil
	}
	return errors.Join(err, behind.Wait(), a.db.Close())
}

// ErrElsewhere means that another process holds what RunAlone needs alone.
var ErrElsewhere = errors.New("another chat of yours is open on this database: leave that one first")

// alonePatience is how long RunAlone waits for another process to let go: one that was killed is gone at once.
const alonePatience = 2 * time.Second

// RunAlone is Run, unless another process runs under the same name: then it returns ErrElsewhere.
func (a *App) RunAlone(ctx context.Context, name string) error {
	if err := a.member.Join(ctx); err != nil {
		return errors.Join(err, a.db.Close())
	}
	for begun := time.Now(); ; {
		alone, err := a.member.Alone(ctx, name)
		if err == nil && !alone && time.Since(begun) > alonePatience {
			err = ErrElsewhere
		}
		if err != nil {
			return errors.Join(err, a.db.Close())
		}
		if alone {
			return a.Run(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(alonePatience / 10):
		}
	}
}

func (a *App) loseMembership() {
	a.inbox.Engine().CancelAll(lane.ErrLost)
	a.outbox.Engine().CancelAll(lane.ErrLost)
}

func (a *App) news() store.News {
	return store.News{
		Wake: func() {
			a.inbox.Engine().Wake()
			a.outbox.Engine().Wake()
		},
		Stop: func(session string) { a.inbox.Engine().Cancel(session, inbox.ErrStopped) },
	}
}

const (
	drainPoll  = 20 * time.Millisecond // how often Drain looks
	drainRetry = time.Second           // and how often while the database fails
)

// Drain waits until a channel has nothing queued, running or unsent. A database that fails is asked again.
func (a *App) Drain(ctx context.Context, channel string) error {
	for {
		wait := drainPoll
		busy, err := a.db.Busy(ctx, channel)
		if err != nil && ctx.Err() == nil {
			a.log.Error("ask whether all is answered", "err", err)
			wait = drainRetry
		} else if err == nil && !busy {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}
