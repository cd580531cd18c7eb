package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels"
)

// client makes requests.
type client struct {
	rest      *discordgo.Session // makes requests; it is never opened
	transport http.RoundTripper  // to the API
	direct    http.RoundTripper  // to wherever the URL says
	base      *url.URL           // nil for Discord's own servers
	token     string
	limits    limits
	guard     guard
	secrets   ring[struct{}] // tokens of interactions
}

const (
	maxConns     = 64 // to the server, so that conversations don't wait for each other
	dialTimeout  = 10 * time.Second
	idleTimeout  = 90 * time.Second
	maxAnswer    = 16 << 20 // bytes of one answer
	callTimeout  = 15 * time.Second
	budgetWait   = 10 * time.Second // the longest wait for a budget of requests; more is told to the caller
	noAnswerWait = 5 * time.Second  // after a 429 that names no wait
)

func newClient(base *url.URL, token string) (*client, error) {
	rest, err := newSession(token)
	if err != nil {
		return nil, err
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = maxConns, maxConns
	t.TLSHandshakeTimeout, t.IdleConnTimeout = dialTimeout, idleTimeout
	return &client{rest: rest, transport: redirect{base, t}, direct: t, base: base, token: token}, nil
}

// newSession is a session that logs nothing and repeats nothing by itself.
func newSession(token string) (*discordgo.Session, error) {
	dg, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	dg.LogLevel = discordgo.LogError - 1
	dg.ShouldReconnectOnError, dg.ShouldRetryOnRateLimit, dg.MaxRestRetries = false, false, 0
	dg.StateEnabled, dg.SyncEvents = false, true
	return dg, nil
}

// redirect sends requests to another server, if there is one.
type redirect struct {
	base *url.URL
	next http.RoundTripper
}

func (t redirect) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.base != nil {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = t.base.Scheme, t.base.Host, t.base.Host
	}
	return t.next.RoundTrip(r)
}

// request is one request to be made.
type request struct {
	op    string // what is being done, for errors
	verb  string
	url   string
	chat  string // the channel that it acts in, if any
	body  any    // sent as JSON, unless nil
	files []file
	// answers marks a part of an answer to an interaction, which has its own right, and which limits of the bot don't hold
	// back.
	answers bool
}

// file is a file to send.
type file struct {
	name, mediaType string
	data            []byte
}

// route is what Discord counts requests by.
func (r *request) route() string { return r.verb + " " + r.op + " " + r.chat }

// call makes a request and decodes its result into into, unless that is nil. Its errors are *failure. It does not
// begin while Discord wants to be left alone.
func (c *client) call(ctx context.Context, r request, into any) error {
	if f := c.held(ctx, &r); f != nil {
		return f
	}
	contentType, body, err := r.encode()
	if err != nil {
		return &failure{op: r.op, text: err.Error()}
	}
	x := &exchange{next: c.transport}
	raw, err := c.rest.RequestWithLockedBucket(r.verb, r.url, contentType, body,
		discordgo.NewRatelimiter().LockBucket(""), 0, // one of its own: the library would sleep with a shared one
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0),
		discordgo.WithClient(&http.Client{Transport: x, CheckRedirect: stay}))
	if !r.answers && x.status != 0 && x.status < http.StatusInternalServerError {
		c.guard.answered(x.status == http.StatusUnauthorized)
	}
	if !r.answers {
		c.limits.spend(r.route(), x.header)
	}
	if err != nil {
		return c.judge(ctx, &r, x, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return &failure{op: r.op, status: x.status, text: "unreadable result: " + err.Error(), written: true}
	}
	return nil
}

// held tells why a request must not be made now; nil when it may. It waits for a short time if that helps.
func (c *client) held(ctx context.Context, r *request) *failure {
	if !r.answers {
		if left := c.guard.left(); left > 0 {
			return &failure{
				op: r.op, status: http.StatusUnauthorized, retryAfter: left, text: "Discord does not know the bot token",
			}
		}
	}
	var wait time.Duration
	if !r.answers { // each has its own
		wait = c.limits.budget(r.route())
	}
	if wait > 0 && wait <= budgetWait {
		channels.Sleep(ctx, wait)
		wait = 0
	}
	if !r.answers {
		wait = max(wait, c.limits.left(r.chat))
	}
	if wait > 0 {
		return &failure{
			op: r.op, status: http.StatusTooManyRequests, retryAfter: wait, text: "Discord asked to wait",
		}
	}
	if err := context.Cause(ctx); err != nil {
		return &failure{op: r.op, text: err.Error(), err: err}
	}
	return nil
}

func (r *request) encode() (contentType string, body []byte, err error) {
	if len(r.files) > 0 {
		var files []*discordgo.File
		for _, f := range r.files {
			files = append(files, &discordgo.File{Name: f.name, ContentType: f.mediaType, Reader: bytes.NewReader(f.data)})
		}
		return discordgo.MultipartBodyWithJSON(r.body, files)
	}
	if r.body == nil {
		return "", nil, nil
	}
	body, err = json.Marshal(r.body)
	return "application/json", body, err
}

// judge makes a failure of what the library returned. For some answers it forgets the status.
func (c *client) judge(ctx context.Context, r *request, x *exchange, err error) *failure {
	f := &failure{op: r.op, status: x.status, written: x.written.Load(), err: context.Cause(ctx)}
	if x.status == http.StatusTooManyRequests {
		f.text, f.retryAfter = "Discord asked to wait", x.retryAfter()
		if limited, ok := errors.AsType[*discordgo.RateLimitError](err); ok && limited.RetryAfter > 0 {
			f.retryAfter = limited.RetryAfter
		}
		c.limits.wait(r.chat, f.retryAfter, x.header.Get("X-RateLimit-Global") != "")
		return f
	}
	if refused, ok := errors.AsType[*discordgo.RESTError](err); ok && refused.Message != nil {
		if x.status < http.StatusInternalServerError { // otherwise it says nothing about what was asked for
			f.code = refused.Message.Code
		}
		f.text = c.hide(refused.Message.Message + details(refused.ResponseBody))
		return f
	}
	if x.status != 0 {
		f.text = http.StatusText(x.status) + " without a readable answer"
		return f
	}
	if ue, ok := errors.AsType[*url.Error](err); ok { // its text holds the URL, which may hold an interaction's token
		err = ue.Err
	}
	f.text = c.hide(err.Error())
	return f
}

// details tells in short which fields of a request Discord found wrong.
func details(body []byte) string {
	var answer struct {
		Errors json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Errors) == 0 {
		return ""
	}
	return ": " + cut(string(answer.Errors), maxDetails)
}

const maxDetails = 500

// hide takes the tokens of the bot and of interactions out of a text.
func (c *client) hide(s string) string {
	s = strings.ReplaceAll(s, c.token, "TOKEN")
	for _, secret := range c.secrets.names() {
		s = strings.ReplaceAll(s, secret, "TOKEN")
	}
	return s
}

// stay keeps redirects from being followed.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// exchange is the HTTP side of one request.
type exchange struct {
	next    http.RoundTripper
	written atomic.Bool // the request went out whole: it may have had its effect
	status  int         // of the answer; 0 when there was none
	header  http.Header // of the answer
}

// RoundTrip implements http.RoundTripper.
func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		x.written.Store(info.Err == nil)
	}}
	resp, err := x.next.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err != nil {
		return nil, err
	}
	x.status, x.header = resp.StatusCode, resp.Header
	resp.Header = http.Header{} // the library would make errors of limits that it can't read
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

// retryAfter is the wait that the headers of a 429 name.
func (x *exchange) retryAfter() time.Duration {
	if d, ok := seconds(x.header.Get("Retry-After")); ok && d > 0 {
		return d
	}
	return noAnswerWait
}
