package telegramfake

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Delivery to webhooks: an answer is waited for so long, and a refused update
// is sent again after growing delays that begin with the first.
const (
	webhookTimeout = 30 * time.Second
	firstRetry     = 50 * time.Millisecond
)

type webhook struct {
	url, secret, lastError string
	lastErrorDate          int64
	maxConnections         int
}

func (s *Server) setWebhook(call fakekit.Call) (any, error) {
	s.updates.setAllowed(call)
	if call.Bool("drop_pending_updates") {
		s.updates.pending = nil
	}
	hook := webhook{
		url: call.String("url"), secret: call.String("secret_token"), maxConnections: int(call.Int("max_connections")),
	}
	if hook.url != "" {
		u, err := url.Parse(hook.url)
		// The real API takes https only; loopback is let through for tests.
		local := err == nil && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost")
		if err != nil || u.Host == "" || u.Scheme != "https" && !local {
			return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
		}
	}
	if strings.Trim(hook.secret, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return nil, badRequest("secret token contains unallowed characters")
	}
	s.webhook = hook
	s.startWebhookLocked()
	return true, nil
}

func (s *Server) deleteWebhook(call fakekit.Call) (any, error) {
	if call.Bool("drop_pending_updates") {
		s.updates.pending = nil
	}
	s.webhook = webhook{}
	s.startWebhookLocked()
	return true, nil
}

func (s *Server) getWebhookInfo(fakekit.Call) (any, error) {
	info := fakekit.Object{
		"url": s.webhook.url, "has_custom_certificate": false, "pending_update_count": len(s.updates.pending),
	}
	if s.webhook.lastErrorDate != 0 {
		info["last_error_date"], info["last_error_message"] = s.webhook.lastErrorDate, s.webhook.lastError
	}
	if s.webhook.maxConnections != 0 {
		info["max_connections"] = s.webhook.maxConnections
	}
	if s.updates.allowed != nil {
		info["allowed_updates"] = s.updates.allowed
	}
	return info, nil
}

// startWebhookLocked begins delivering the queue to the webhook, in order and
// one at a time, and retries an update until it is accepted.
func (s *Server) startWebhookLocked() {
	if s.webhookCancel != nil {
		s.webhookCancel()
		s.webhookCancel = nil
	}
	if s.webhook.url == "" {
		return
	}
	s.updates.stopPoller()
	ctx, cancel := context.WithCancel(context.Background())
	s.webhookCancel = cancel
	hook := s.webhook
	s.background.Go(func() { s.deliver(ctx, hook) })
}

func (s *Server) deliver(ctx context.Context, hook webhook) {
	// A client of its own has no connections left over from other servers.
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: webhookTimeout}
	delay := firstRetry
	for ctx.Err() == nil {
		s.mu.Lock()
		arrived := s.updates.arrived
		next := s.updates.batch(1)
		s.mu.Unlock()
		if len(next) == 0 {
			select {
			case <-arrived:
			case <-ctx.Done():
			}
			continue
		}
		err := s.post(ctx, client, hook, next[0])
		s.webhookResult(next[0], err)
		if err == nil {
			delay = firstRetry
			continue
		}
		fakekit.Pause(ctx, fakekit.Duration(delay))
		delay = min(2*delay, time.Second)
	}
}

// webhookResult confirms a delivered update or notes why it failed.
func (s *Server) webhookResult(update fakekit.Object, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.webhook.lastError, s.webhook.lastErrorDate = err.Error(), time.Now().Unix()
		return
	}
	delivered := updateID(update)
	s.updates.confirm(func(id int) bool { return id == delivered })
}

func (s *Server) post(ctx context.Context, client *http.Client, hook webhook, update fakekit.Object) error {
	data, err := json.Marshal(update)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if hook.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", hook.secret)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, fakekit.MaxBody))
	if resp.StatusCode/100 != 2 {
		return worded("Wrong response from the webhook: %s", resp.Status)
	}
	s.webhookReply(resp.Header, body)
	return nil
}

// webhookReply carries out a method call that the bot put in its answer.
func (s *Server) webhookReply(header http.Header, body []byte) {
	if len(bytes.TrimSpace(body)) == 0 {
		return
	}
	params := fakekit.Object{}
	if strings.HasPrefix(header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return
		}
		for k := range values {
			params[k] = values.Get(k)
		}
	} else if v, err := fakekit.DecodeJSON(body); err == nil {
		if obj, ok := v.(fakekit.Object); ok {
			params = obj
		}
	}
	method := fakekit.Text(params["method"])
	if method == "" {
		return
	}
	delete(params, "method")
	call := fakekit.Call{
		Time: time.Now(), Method: s.canonical(method), Verb: "REPLY", Path: "webhook reply", Params: params,
		Status: http.StatusOK,
	}
	s.validate(&call)
	if _, err := s.dispatch(context.Background(), call); err != nil {
		call.Violations = append(call.Violations, "webhook reply failed: "+err.Error())
	}
	s.Add(call)
}
