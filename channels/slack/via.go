package slack

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"
)

const (
	viaAge    = 29 * time.Minute // somewhat below Slack's half an hour
	viaUses   = 5                // that Slack allows
	viaMethod = "response_url"   // what errors call it
	hooksHost = "hooks.slack.com"
)

// via is a response URL. Slack gives one with each command and press; what is posted to it is shown to the person
// behind that alone, also where the bot is no member.
type via struct {
	user  string
	until time.Time
	url   string
}

// viaOf keeps a response URL as a text; empty when it leads elsewhere than to Slack.
func (c *Channel) viaOf(user, responseURL string) string {
	if user == "" || !c.api.answerable(responseURL) {
		return ""
	}
	return fmt.Sprintf("%s %d %s", user, time.Now().Add(viaAge).Unix(), responseURL)
}

// readVia reads what viaOf wrote; ok is false when it can't be used any more.
func (c *Channel) readVia(text string) (v via, ok bool) {
	parts := strings.Split(text, " ")
	if len(parts) != 3 {
		return via{}, false
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	v = via{user: parts[0], until: time.Unix(seconds, 0), url: parts[2]}
	return v, err == nil && time.Now().Before(v.until) && c.api.answerable(v.url) && c.vias.left(v) > 0
}

// answerable tells whether a response URL is one of Slack's, or of the server that is called anyway. What people
// wrote must not go anywhere else.
func (c *client) answerable(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || strings.Contains(raw, " ") {
		return false
	}
	if u.Scheme == "https" && strings.EqualFold(u.Host, hooksHost) {
		return true
	}
	base, err := url.Parse(c.base)
	return err == nil && u.Scheme == base.Scheme && strings.EqualFold(u.Host, base.Host)
}

// respond posts to a response URL. The token does not go with it.
func (c *Channel) respond(ctx context.Context, to spot, v via, a aside) error {
	m := &slackgo.WebhookMessage{
		ResponseType: slackgo.ResponseTypeEphemeral, Text: a.text, ThreadTimestamp: to.thread,
	}
	if blocks := a.blocks(); blocks != nil {
		m.Blocks = &slackgo.Blocks{BlockSet: blocks}
	}
	c.vias.take(v)
	return c.api.call(ctx, viaMethod, to.chat, func(ctx context.Context) error {
		return slackgo.PostWebhookCustomHTTPContext(ctx, v.url, c.api.http, m)
	})
}

// spent tells whether a response URL can't be used any more, from how a use failed.
func (f *failure) spent() bool {
	return f.method == viaMethod && f.retryAfter == 0 && f.status >= 300 && f.status < 500
}

// vias counts how often response URLs were used. The zero value is ready to use.
type vias struct {
	mu   sync.Mutex
	used map[string]*viaUse // by URL
}

type viaUse struct {
	until time.Time
	times int
	shown map[string]int // how many parts were shown, by the key of the message
}

// of is what is kept of a response URL. The caller holds the lock.
func (u *vias) of(v via) *viaUse {
	if u.used == nil {
		u.used = map[string]*viaUse{}
	}
	kept := u.used[v.url]
	if kept == nil {
		for url, k := range u.used { // those that nobody can use any more
			if time.Now().After(k.until) {
				delete(u.used, url)
			}
		}
		kept = &viaUse{until: v.until, shown: map[string]int{}}
		u.used[v.url] = kept
	}
	return kept
}

func (u *vias) left(v via) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return max(viaUses-u.of(v).times, 0)
}

func (u *vias) take(v via) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.of(v).times++
}

// shown is how many parts of a message were shown.
func (u *vias) shown(v via, key string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of(v).shown[key]
}

// note keeps that one more part of a message was shown.
func (u *vias) note(v via, key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if key != "" {
		u.of(v).shown[key]++
	}
}
