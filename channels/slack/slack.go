// Package slack connects a Slack app.
//
// It calls the Web API through slack-go. Events, commands and presses come over sockets that the app opens (Socket
// Mode), over HTTP with signatures, or both, and are acknowledged only when they are stored. The sockets are its own:
// slack-go's client hides why Slack ends a connection and waits up to five minutes before the next. A conversation is a
// channel and a thread: a mention opens the thread of its own message, and everything about it stays there.
package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// PublicAPI is the base URL of Slack itself.
const PublicAPI = "https://slack.com"

// settings of one app in one workspace or organisation.
type settings struct {
	BotToken      string `yaml:"bot_token"`      // xoxb-…
	AppToken      string `yaml:"app_token"`      // xapp-…: receive over sockets
	SigningSecret string `yaml:"signing_secret"` // receive over HTTP
	APIURL        string `yaml:"api_url"`        // base URL of a server like Slack; Slack itself when empty
	// Bots are the ids (U… or B…) of other bots that are listened to.
	Bots []string `yaml:"bots"`
}

// Channel is one app of Slack.
type Channel struct {
	name    string
	env     channels.Env
	api     *client
	sockets bool  // receive over sockets
	hook    *hook // nil without a signing secret
	pace    pace
	bots    map[string]bool // that are listened to, by id

	me      atomic.Pointer[account] // nil until Slack told who the bot is
	handler atomic.Pointer[running] // nil while the channel does not run
	lanes   lanes
	memory
}

// memory is what a channel remembers while it runs. Nothing is lost with it but comfort.
type memory struct {
	names  names
	askers recent[asker]  // of the newest messages
	posted recent[bool]   // the newest messages of the bot
	teams  recent[string] // of the channels that were heard of last
	vias   vias
	signs  sync.Map // spots where the sign of Typing may be shown
	told   sync.Map // notices that were given, by what they are about
}

// running is what a channel hands messages to, from the start of Run to its end.
type running struct {
	done   <-chan struct{} // closed when Run ends
	handle channels.Handler

	mu    sync.Mutex
	ended bool
	tasks sync.WaitGroup // deliveries over HTTP, and what goes on behind acknowledgements
}

// begin counts a task that Run waits for, unless Run has ended.
func (r *running) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.tasks.Add(1)
	return true
}

// end waits for the tasks.
func (r *running) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.tasks.Wait()
}

// bound gives a ctx that ends with Run at the latest.
func (r *running) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-r.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// pace is how long things wait for each other.
type pace struct {
	retry, fault time.Duration // after a failed connection, and after a fault that nobody mends in a second
	append, edit time.Duration // between the states of a preview
	store        time.Duration // between attempts to store a message
}

var defaultPace = pace{
	retry: time.Second, fault: 5 * time.Second, append: 1500 * time.Millisecond, edit: 2 * time.Second,
	store: 100 * time.Millisecond,
}

var (
	_ channels.Channel  = (*Channel)(nil)
	_ channels.Streamer = (*Channel)(nil)
	_ channels.Typer    = (*Channel)(nil)
	_ channels.Marker   = (*Channel)(nil)
	_ channels.Fetcher  = (*Channel)(nil)
	_ channels.Namer    = (*Channel)(nil)
	_ channels.Webhook  = (*Channel)(nil)
)

// New is the channels.Factory of Slack. It makes no request: whether tokens and server are right shows in Run.
func New(name string, decode func(into any) error, env channels.Env) (channels.Channel, error) {
	var s settings
	if err := decode(&s); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	base, err := baseURL(s.APIURL)
	if err != nil {
		return nil, fmt.Errorf("api_url: %w", err)
	}
	c := &Channel{
		name: name, env: env, api: newClient(base, s), sockets: s.AppToken != "", pace: defaultPace, bots: map[string]bool{},
	}
	for _, id := range s.Bots {
		c.bots[id] = true
	}
	if s.SigningSecret != "" {
		c.hook = &hook{c: c, secret: s.SigningSecret}
	}
	return c, nil
}

// check finds the mistakes that people make with Slack's three secrets.
func (s *settings) check() error {
	for _, v := range []*string{&s.BotToken, &s.AppToken, &s.SigningSecret} {
		*v = strings.TrimSpace(*v)
	}
	const bot, app = "xoxb-", "xapp-"
	switch {
	case strings.HasPrefix(s.BotToken, app) && strings.HasPrefix(s.AppToken, bot):
		return errors.New("bot_token and app_token are swapped: bot_token starts with xoxb-, app_token with xapp-")
	case strings.HasPrefix(s.BotToken, app):
		return errors.New("bot_token holds an app-level token (xapp-): put it into app_token, and into bot_token " +
			"the Bot User OAuth Token (xoxb-) from OAuth & Permissions")
	case strings.HasPrefix(s.AppToken, bot):
		return errors.New("app_token holds a bot token (xoxb-): put it into bot_token, and into app_token " +
			"the app-level token (xapp-) from Basic Information")
	case s.BotToken == "":
		return errors.New("bot_token is missing; it is the Bot User OAuth Token (xoxb-) under OAuth & Permissions")
	case !strings.HasPrefix(s.BotToken, bot) || !printable(s.BotToken):
		return errors.New("bot_token must be the Bot User OAuth Token, which starts with xoxb-")
	case s.AppToken == "" && s.SigningSecret == "":
		return errors.New("app_token (xapp-, for Socket Mode) or signing_secret (for HTTP) is missing; " +
			"both are under Basic Information")
	case s.AppToken != "" && (!strings.HasPrefix(s.AppToken, app) || !printable(s.AppToken)):
		return errors.New("app_token must be an app-level token, which starts with xapp-")
	case strings.HasPrefix(s.SigningSecret, "x") && strings.Contains(s.SigningSecret, "-"):
		return errors.New("signing_secret holds a token; the Signing Secret is under Basic Information")
	}
	return checkBots(s.Bots)
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func baseURL(raw string) (string, error) {
	if raw == "" {
		return PublicAPI, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("it must be the base of a server like Slack, such as http://127.0.0.1:8082")
	}
	return strings.TrimSuffix(strings.TrimRight(raw, "/"), "/api"), nil
}

// Name implements channels.Channel.
func (c *Channel) Name() string { return c.name }

// Webhook implements channels.Webhook; nil without a signing secret.
func (c *Channel) Webhook() http.Handler {
	if c.hook == nil {
		return nil
	}
	return c.hook
}

// Run receives until ctx is done. Faults of the account, the network or the server are logged and tried again. Sockets
// need no lease: Slack gives each event to one of those that are open.
func (c *Channel) Run(ctx context.Context, h channels.Handler) error {
	c.introduce(ctx)
	if c.me.Load() == nil { // it was stopped before Slack answered
		return nil
	}
	r := &running{done: ctx.Done(), handle: h}
	c.handler.Store(r)
	if c.sockets {
		c.receive(ctx, r)
	}
	<-ctx.Done()
	c.handler.Store(nil)
	r.end()
	return nil
}

// notice tells whoever runs the bot what to see to, once.
func (c *Channel) notice(ctx context.Context, text string) {
	if _, again := c.told.LoadOrStore(text, true); !again && c.env.Notice != nil {
		c.env.Notice(ctx, c.name+": "+text)
	}
}
