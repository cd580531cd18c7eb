package slackfake

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Endpoints are the URLs of an app that does not use Socket Mode.
type Endpoints struct {
	Events       string `json:"events"`
	Commands     string `json:"commands"`
	Interactions string `json:"interactions"`
}

// SetEndpoints makes the server deliver over HTTP, signed with
// [SigningSecret]. The zero value goes back to Socket Mode.
func (s *Server) SetEndpoints(e Endpoints) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoints = e
}

// postSigned sends a delivery over HTTP.
func (s *Server) postSigned(target string, d *delivery) (int, []byte, error) {
	var (
		body        []byte
		contentType = "application/x-www-form-urlencoded"
	)
	switch d.kind {
	case kindEvent:
		body, _ = json.Marshal(d.payload)
		contentType = "application/json"
	case kindCommand:
		form := url.Values{}
		for k, v := range d.payload {
			form.Set(k, fakekit.Text(v))
		}
		body = []byte(form.Encode())
	case kindInteraction:
		payload, _ := json.Marshal(d.payload)
		body = []byte(url.Values{"payload": {string(payload)}}.Encode())
	}
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	Sign(req.Header, body, time.Now())
	if d.attempt > 0 {
		req.Header.Set("X-Slack-Retry-Num", strconv.Itoa(d.attempt))
		req.Header.Set("X-Slack-Retry-Reason", d.reason)
	}
	client := http.Client{Timeout: s.opts.ackTimeout}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, fakekit.MaxBody))
	if resp.StatusCode/100 != 2 && resp.Header.Get("X-Slack-No-Retry") == "1" {
		s.mu.Lock()
		d.attempt = len(s.opts.retryDelays)
		s.mu.Unlock()
	}
	return resp.StatusCode, answer, err
}

// Sign adds Slack's signature of a body to a header.
func Sign(h http.Header, body []byte, at time.Time) {
	ts := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(SigningSecret))
	fmt.Fprintf(mac, "v0:%s:%s", ts, body)
	h.Set("X-Slack-Request-Timestamp", ts)
	h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
}

// VerifyURL does the URL verification handshake with the events endpoint.
func (s *Server) VerifyURL() error {
	s.mu.Lock()
	target := s.endpoints.Events
	d := &delivery{
		kind:    kindEvent,
		payload: fakekit.Object{"token": "fake", "type": "url_verification", "challenge": s.newID("challenge")},
	}
	s.mu.Unlock()
	status, body, err := s.postSigned(target, d)
	if err != nil {
		return err
	}
	challenge := d.payload["challenge"].(string)
	var answer struct{ Challenge string }
	if json.Unmarshal(body, &answer) != nil {
		answer.Challenge = strings.TrimSpace(string(body))
	}
	if status != http.StatusOK || answer.Challenge != challenge {
		return fmt.Errorf("challenge %q answered with %d %q", challenge, status, body)
	}
	return nil
}
