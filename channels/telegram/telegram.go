// Package telegram connects a Telegram bot account.
//
// It speaks the Bot API through telegram-bot-api, with types of its own for what that library does not know: forum
// topics, topics in private chats, drafts, reactions. Updates come by long polling or to a webhook and are confirmed
// only when they are stored. A conversation is a chat and a forum topic; the General topic of a forum has a name of its
// own, and a thread of replies in a plain group is not a topic.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// PublicAPI is the base URL of Telegram's own Bot API server.
const PublicAPI = "https://api.telegram.org"

// settings of one account.
type settings struct {
	Token   string          `yaml:"bot_token"`
	APIURL  string          `yaml:"api_url"` // base URL of a Bot API server; Telegram's own when empty
	Webhook webhookSettings `yaml:"webhook"` // without a URL updates are polled
}

// Channel is one bot account.
type Channel struct {
	name string
	env  channels.Env
	api  *client
	hook *hook // nil when updates are polled
	pace pace
	// giveUp is how long an update may fail while others can be stored.
	giveUp time.Duration

	me       atomic.Pointer[user] // nil until Telegram told who the bot is
	noDrafts atomic.Bool          // the server does not know drafts

	behind sync.WaitGroup // answers to presses
	names  names

	mu    sync.Mutex
	moved map[int64]int64 // chats that got another id, by their old one
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

var tokenForm = regexp.MustCompile(`^[0-9A-Za-z:_-]+$`)

// New is the channels.Factory of Telegram. It makes no request: whether token and server are right shows in Run.
func New(name string, decode func(into any) error, env channels.Env) (channels.Channel, error) {
	var s settings
	if err := decode(&s); err != nil {
		return nil, err
	}
	s.Token = strings.TrimSpace(s.Token)
	switch {
	case s.Token == "":
		return nil, errors.New("bot_token is missing; @BotFather gives one")
	case !tokenForm.MatchString(s.Token):
		return nil, errors.New("bot_token holds characters that no token has")
	}
	base, err := baseURL(s.APIURL)
	if err != nil {
		return nil, fmt.Errorf("api_url: %w", err)
	}
	c := &Channel{
		name: name, env: env, api: newClient(base, s.Token), pace: defaultPace, giveUp: giveUp, moved: map[int64]int64{},
		names: newNames(),
	}
	if s.Webhook.URL != "" {
		if c.hook, err = newHook(c, s.Webhook); err != nil {
			return nil, fmt.Errorf("webhook: %w", err)
		}
	}
	return c, nil
}

func baseURL(raw string) (string, error) {
	if raw == "" {
		return PublicAPI, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("it must be the base of a Bot API server, such as http://127.0.0.1:8081")
	}
	return strings.TrimRight(raw, "/"), nil
}

// Name implements channels.Channel.
func (c *Channel) Name() string { return c.name }

// Webhook implements channels.Webhook; nil when updates are polled.
func (c *Channel) Webhook() http.Handler {
	if c.hook == nil {
		return nil
	}
	return c.hook
}

// Run receives until ctx is done. Faults of the account, the network or the server are logged and tried again.
func (c *Channel) Run(ctx context.Context, h channels.Handler) error {
	defer c.behind.Wait()
	c.introduce(ctx)
	if c.me.Load() == nil { // it was stopped before Telegram answered
		return nil
	}
	if c.hook != nil {
		c.hook.open(h)
		defer c.hook.close()
	}
	return c.env.Own(ctx, "channel/"+c.name, func(ctx context.Context) error {
		c.registerCommands(ctx)
		if c.hook != nil {
			c.announceHook(ctx)
			<-ctx.Done()
			return nil
		}
		c.forgetHook(ctx)
		c.poll(ctx, h)
		return nil
	})
}

// follow remembers that a chat got another id, and moves what is kept under the old one.
func (c *Channel) follow(ctx context.Context, from, to int64) error {
	c.mu.Lock()
	known := c.moved[from] == to
	c.moved[from] = to
	c.mu.Unlock()
	if known {
		return nil
	}
	c.env.Log.Info("the group became a supergroup with another id", "from", from, "to", to)
	if err := c.env.Moved(ctx, chatID(from), chatID(to)); err != nil {
		c.mu.Lock()
		delete(c.moved, from)
		c.mu.Unlock()
		return fmt.Errorf("move chat %d to %d: %w", from, to, err)
	}
	return nil
}

// current is the id that a chat has now.
func (c *Channel) current(chat int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to, ok := c.moved[chat]; ok {
		return to
	}
	return chat
}
