package telegram

import (
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

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

type params = tgbotapi.Params

// client calls the methods of the Bot API.
type client struct {
	bot   tgbotapi.BotAPI // a copy with a Client of its own makes each call
	base  string
	token string
	http  *http.Client
	waits waits
}

const (
	maxConns     = 64 // to the server, so that conversations don't wait for each other
	dialTimeout  = 10 * time.Second
	idleTimeout  = 90 * time.Second
	maxAnswer    = 64 << 20 // bytes of one answer
	callTimeout  = 15 * time.Second
	probeTimeout = 5 * time.Second
)

func newClient(base, token string) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = maxConns, maxConns
	t.TLSHandshakeTimeout, t.IdleConnTimeout = dialTimeout, idleTimeout
	c := &client{base: base, token: token, http: &http.Client{Transport: t, CheckRedirect: stay}}
	c.bot = tgbotapi.BotAPI{Token: token}
	c.bot.SetAPIEndpoint(strings.ReplaceAll(base, "%", "%%") + "/bot%s/%s")
	return c
}

// stay follows no redirect: the request that follows one names the token in its Referer, to whatever host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// call calls a method and decodes its result into into, unless that is nil. Its errors are *failure.
func (c *client) call(ctx context.Context, method string, p params, into any) error {
	return c.do(ctx, p, into, func(b *tgbotapi.BotAPI) (*tgbotapi.APIResponse, error) {
		return b.MakeRequest(method, p)
	})
}

// upload is call with files.
func (c *client) upload(ctx context.Context, method string, p params, files []tgbotapi.RequestFile, into any) error {
	return c.do(ctx, p, into, func(b *tgbotapi.BotAPI) (*tgbotapi.APIResponse, error) {
		return b.UploadFiles(method, p, files)
	})
}

func (c *client) do(
	ctx context.Context, p params, into any,
	request func(*tgbotapi.BotAPI) (*tgbotapi.APIResponse, error),
) error {
	chat := p["chat_id"]
	if left := c.waits.left(chat); left > 0 {
		return &failure{code: http.StatusTooManyRequests, text: "Telegram asked to wait", retryAfter: left}
	}
	x := &exchange{ctx: ctx, http: c.http}
	b := c.bot
	b.Client = x
	resp, err := request(&b)
	if err != nil {
		f := c.judge(x, err)
		if f.retryAfter > 0 {
			c.waits.wait(chat, f.retryAfter)
		}
		return f
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(resp.Result, into); err != nil {
		text := c.hide(fmt.Sprintf("unreadable result: %v", err))
		return &failure{code: x.status, text: text, written: true}
	}
	return nil
}

// judge makes a failure of what the library returned. For uploads the library forgets the code.
func (c *client) judge(x *exchange, err error) *failure {
	f := &failure{code: x.status, written: x.written.Load(), err: context.Cause(x.ctx)}
	if e, ok := errors.AsType[*tgbotapi.Error](err); ok {
		if e.Code != 0 {
			f.code = e.Code
		}
		f.text = c.hide(e.Message)
		f.retryAfter = time.Duration(e.RetryAfter) * time.Second
		f.migrateTo = e.MigrateToChatID
		return f
	}
	if x.status != 0 && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		f.text = http.StatusText(x.status) + " without a readable answer"
		return f
	}
	f.text = c.hide(err.Error())
	return f
}

// hide takes the token out of a text, also as it stands in URLs.
func (c *client) hide(s string) string {
	escaped := url.QueryEscape(c.token)
	return strings.NewReplacer(c.token, "TOKEN", escaped, "TOKEN", strings.ReplaceAll(escaped, "%3A", "%3a"), "TOKEN").
		Replace(s)
}

// exchange is the HTTP side of one call.
type exchange struct {
	ctx     context.Context // the library hands requests over without one
	http    *http.Client
	written atomic.Bool // the request went out whole: it may have had its effect
	status  int         // of the answer; 0 when there was none
}

// Do implements tgbotapi.HTTPClient.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		x.written.Store(info.Err == nil)
	}}
	resp, err := x.http.Do(req.WithContext(httptrace.WithClientTrace(x.ctx, trace)))
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok { // its text holds the URL, which holds the token
			err = ue.Err
		}
		return nil, err
	}
	x.status = resp.StatusCode
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}
