package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	slackgo "github.com/slack-go/slack"
)

// client calls the methods of the Web API.
type client struct {
	*slackgo.Client
	base    string // without a slash at the end
	http    *http.Client
	token   string
	secrets *strings.Replacer
	waits   waits
}

const (
	maxConns      = 64 // to the server, so that conversations don't wait for each other
	dialTimeout   = 10 * time.Second
	idleTimeout   = 90 * time.Second
	callTimeout   = 15 * time.Second
	uploadTimeout = 5 * time.Minute
	limitedWait   = 10 * time.Second // when Slack does not say how long
)

func newClient(base string, s settings) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = maxConns, maxConns
	t.TLSHandshakeTimeout, t.IdleConnTimeout = dialTimeout, idleTimeout
	c := &client{base: base, token: s.BotToken, http: &http.Client{
		Transport: t,
		// A redirected call would take the token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	var hidden []string
	for _, secret := range []string{s.BotToken, s.AppToken, s.SigningSecret} {
		if secret != "" {
			hidden = append(hidden, secret, "TOKEN", url.QueryEscape(secret), "TOKEN")
		}
	}
	c.secrets = strings.NewReplacer(hidden...)
	c.Client = slackgo.New(s.BotToken, slackgo.OptionAPIURL(base+"/api/"), slackgo.OptionAppLevelToken(s.AppToken),
		slackgo.OptionHTTPClient(c.http))
	return c
}

// call makes one call of a method, in a chat or in none, unless Slack asked to wait. Its errors are *failure.
func (c *client) call(ctx context.Context, method, chat string, request func(ctx context.Context) error) error {
	return c.within(ctx, callTimeout, method, chat, request)
}

func (c *client) within(
	ctx context.Context, patience time.Duration, method, chat string, request func(ctx context.Context) error,
) error {
	if left := c.waits.left(method, chat); left > 0 {
		return &failure{
			method: method, status: http.StatusTooManyRequests, text: "Slack asked to wait", retryAfter: left,
		}
	}
	var written atomic.Bool
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := request(httptrace.WithClientTrace(limited, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) { written.Store(info.Err == nil) },
	}))
	if err == nil {
		return nil
	}
	f := c.judge(method, err)
	f.written = written.Load()
	f.err = context.Cause(ctx)
	if f.retryAfter > 0 {
		c.waits.wait(method, chat, f.retryAfter)
	}
	return f
}

// judge makes a failure of what the library returned.
func (c *client) judge(method string, err error) *failure {
	f := &failure{method: method}
	if e, ok := errors.AsType[slackgo.SlackErrorResponse](err); ok {
		f.status, f.code, f.needed = http.StatusOK, e.Err, e.Needed
		f.text = c.hide(strings.Join(append([]string{e.Err}, e.ResponseMetadata.Messages...), "; "))
		if f.is("ratelimited", "rate_limited", "message_limit_exceeded") {
			f.retryAfter = limitedWait
		}
		return f
	}
	if e, ok := errors.AsType[*slackgo.RateLimitedError](err); ok {
		f.status, f.text = http.StatusTooManyRequests, "Slack asked to wait"
		f.retryAfter = max(e.RetryAfter, time.Second)
		return f
	}
	if e, ok := errors.AsType[slackgo.StatusCodeError](err); ok {
		f.status, f.text = e.Code, http.StatusText(e.Code)
		if e.Code == http.StatusTooManyRequests {
			f.retryAfter = limitedWait
		}
		return f
	}
	if e, ok := errors.AsType[*url.Error](err); ok { // its text holds the URL, which may be for this program alone
		f.text = c.hide(e.Err.Error())
		return f
	}
	_, badJSON := errors.AsType[*json.SyntaxError](err)
	if _, otherJSON := errors.AsType[*json.UnmarshalTypeError](err); badJSON || otherJSON {
		f.status = http.StatusOK
	}
	f.text = c.hide(fmt.Sprintf("unusable answer: %v", err))
	return f
}

// hide takes the secrets out of a text.
func (c *client) hide(s string) string { return c.secrets.Replace(s) }
