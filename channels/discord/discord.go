// Package discord connects a Discord bot.
//
// Events come over the gateway, kept open by discordgo under a supervisor of this package's own: that library alone may
// reconnect for ever, lock up, or forget events. Requests go through discordgo too, but one by one and without its
// waiting, which no context ends. Discord does not wait for messages to be acknowledged, so they queue here, per
// channel, until they are stored. A conversation is a channel, or a channel and a thread (a forum post) in it; a
// mention in a channel is answered there, by a reply, or in a thread that the answer opens. What is used (commands,
// buttons, forms) is acknowledged at once and can then be answered by a right of its own for a quarter of an hour, see
// via and route.
package discord

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// settings of one bot.
type settings struct {
	Token  string `yaml:"bot_token"`
	APIURL string `yaml:"api_url"` // base URL of a server like Discord; Discord itself when empty
	Guild  string `yaml:"guild"`   // the only server that gets the commands, for trying them; all when empty
	// Bots are the ids of other bots that are listened to. Two that answer each other may never stop.
	Bots []string `yaml:"bots"`
}

// Channel is one bot.
type Channel struct {
	name   string
	env    channels.Env
	api    *client
	conf   settings
	timing timing

	me atomic.Pointer[identity] // nil until the gateway told who the bot is
	memory
}

// memory is what is remembered of what happened. It is lost at a restart, and bounded.
type memory struct {
	places    places
	threads   threads
	texts     texts
	mine      ring[struct{}] // the bot's own messages
	originals originals
	recent    recent
	signs     signs
	told      told
}

// identity is who the bot is.
type identity struct {
	user        string
	application string
}

// timing is how long the channel waits for what.
type timing struct {
	edit   time.Duration // between states of a preview; Discord allows 5 edits in 5 s
	open   time.Duration // for a connection to be made, and again for a session to begin
	redial time.Duration // before the first of attempts to connect again
	fatal  time.Duration // the same, when a person has to mend something
	retry  time.Duration // before the first of attempts to store a message
	answer time.Duration // for an interaction to be answered; Discord waits 3 s
	via    time.Duration // for what is answered to an interaction after that; Discord takes it for 15 minutes
	look   time.Duration // between looks at whether a connection still lives
	zombie time.Duration // without an acknowledged heartbeat, after which it does not; they come every 41 s
}

var defaultTiming = timing{
	edit: 1300 * time.Millisecond, open: 30 * time.Second, redial: time.Second, fatal: 30 * time.Second,
	retry: 250 * time.Millisecond, answer: 2700 * time.Millisecond, via: 14 * time.Minute, look: 10 * time.Second,
	zombie: 100 * time.Second,
}

var (
	_ channels.Channel  = (*Channel)(nil)
	_ channels.Streamer = (*Channel)(nil)
	_ channels.Typer    = (*Channel)(nil)
	_ channels.Marker   = (*Channel)(nil)
	_ channels.Fetcher  = (*Channel)(nil)
	_ channels.Namer    = (*Channel)(nil)
)

var tokenForm = regexp.MustCompile(`^[0-9A-Za-z._-]+$`)

// New is the channels.Factory of Discord. It makes no request: whether token and server are right shows in Run.
func New(name string, decode func(into any) error, env channels.Env) (channels.Channel, error) {
	var s settings
	if err := decode(&s); err != nil {
		return nil, err
	}
	s.Token = strings.TrimPrefix(strings.TrimSpace(s.Token), "Bot ")
	switch {
	case s.Token == "":
		return nil, errors.New("bot_token is missing; the developer portal gives one under Bot, Reset Token")
	case !tokenForm.MatchString(s.Token):
		return nil, errors.New("bot_token holds characters that no token has")
	case s.Guild != "" && !isID(s.Guild):
		return nil, errors.New("guild must be the number of a server; Copy Server ID shows it in developer mode")
	case slices.ContainsFunc(s.Bots, func(id string) bool { return !isID(id) }):
		return nil, errors.New("bots must be the numbers of bots; Copy User ID shows them in developer mode")
	}
	base, err := baseURL(s.APIURL)
	if err != nil {
		return nil, fmt.Errorf("api_url: %w", err)
	}
	api, err := newClient(base, s.Token)
	if err != nil {
		return nil, err
	}
	return &Channel{
		name: name, env: env, api: api, conf: s, timing: defaultTiming, memory: memory{texts: newTexts()},
	}, nil
}

// baseURL is nil for Discord's own servers.
func baseURL(raw string) (*url.URL, error) {
	if raw == "" {
		return nil, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, errors.New("it must be scheme and host of a server like Discord, such as http://127.0.0.1:8083")
	}
	return u, nil
}

// Name implements channels.Channel.
func (c *Channel) Name() string { return c.name }

// Run receives until ctx is done. Faults of the account, the network or the server are logged and tried again.
func (c *Channel) Run(ctx context.Context, h channels.Handler) error {
	return c.env.Own(ctx, "channel/"+c.name, func(ctx context.Context) error {
		in := newIntake(c, h)
		defer in.finish()
		c.listen(ctx, in)
		return nil
	})
}
