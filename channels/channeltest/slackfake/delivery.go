package slackfake

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Kinds of deliveries, named as in Socket Mode.
const (
	kindEvent       = "events_api"
	kindCommand     = "slash_commands"
	kindInteraction = "interactive"
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

// delivery is one event, command or interaction on its way to the app.
type delivery struct {
	envelope string
	kind     string
	payload  fakekit.Object
	attempt  int
	reason   string
	acked    bool
	timer    *time.Timer
	done     func(ack fakekit.Object) // handles the payload of the acknowledgement
}

type socket struct {
	ws *websocket.Conn
	mu sync.Mutex
}

func (k *socket) send(v any) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ws.SetWriteDeadline(time.Now().Add(5 * time.Second)) //nolint:errcheck // the write fails then
	return k.ws.WriteJSON(v)
}

func (s *Server) openConnection(fakekit.Call) (fakekit.Object, error) {
	ticket := s.newID("ticket")
	s.tickets[ticket] = true
	return fakekit.Object{"url": "ws" + strings.TrimPrefix(s.URL, "http") + "/link/?ticket=" + ticket + "&app_id=" + AppID}, nil
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	valid := s.tickets[ticket] && !s.closed
	delete(s.tickets, ticket) // a URL works once
	s.mu.Unlock()
	if !valid {
		s.Violate("socket", "connected with an unknown or used ticket")
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	k := &socket{ws: ws}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		ws.Close()
		return
	}
	s.sockets = append(s.sockets, k)
	count := len(s.sockets)
	s.background.Add(2)
	s.mu.Unlock()
	s.Add(fakekit.Call{Time: time.Now(), Method: "socket", Verb: r.Method, Path: r.URL.Path, Status: http.StatusSwitchingProtocols})
	k.send(fakekit.Object{ //nolint:errcheck // the reader notices
		"type": "hello", "num_connections": count, "connection_info": fakekit.Object{"app_id": AppID},
		"debug_info": fakekit.Object{"host": "applink-fake", "build_number": 1, "approximate_connection_time": 18060},
	})
	done := make(chan struct{})
	go func() {
		defer s.background.Done()
		s.ping(k, done)
	}()
	// What waited for a connection is sent now.
	s.mu.Lock()
	waiting := s.pending
	s.pending = nil
	s.mu.Unlock()
	for _, d := range waiting {
		s.transmit(d)
	}
	defer s.background.Done()
	s.readSocket(k)
	close(done)
	ws.Close()
	s.mu.Lock()
	s.sockets = slices.DeleteFunc(s.sockets, func(other *socket) bool { return other == k })
	s.mu.Unlock()
}

func (s *Server) ping(k *socket, done chan struct{}) {
	for {
		k.mu.Lock()
		k.ws.WriteControl(websocket.PingMessage, []byte("ping"), time.Now().Add(time.Second)) //nolint:errcheck // the reader notices
		k.mu.Unlock()
		select {
		case <-time.After(s.opts.pingInterval):
		case <-done:
			return
		}
	}
}

func (s *Server) readSocket(k *socket) {
	for {
		_, data, err := k.ws.ReadMessage()
		if err != nil {
			return
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(data, &ack); err != nil || ack.EnvelopeID == "" {
			s.Violate("socket", "message without envelope_id: %.80s", data)
			continue
		}
		if len(data) >= 20*1024 {
			s.Violate("socket", "acknowledgement of %d bytes, 20 KiB and more is dropped", len(data))
			continue
		}
		s.acknowledge(ack.EnvelopeID, http.StatusOK, ack.Payload)
	}
}

// Sockets returns how many Socket Mode connections are open.
func (s *Server) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}

// Disconnect asks the app to renew its connections, with a reason such as
// "refresh_requested", "warning" or "link_disabled".
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	socks := slices.Clone(s.sockets)
	s.mu.Unlock()
	for _, k := range socks {
		k.send(fakekit.Object{"type": "disconnect", "reason": reason, "debug_info": fakekit.Object{"host": "applink-fake"}}) //nolint:errcheck // closing
	}
}

// DropSockets closes the TCP connections.
func (s *Server) DropSockets() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sockets {
		k.ws.Close()
	}
	s.sockets = nil
}

// deliver sends something to the app and, for events, again until it is
// acknowledged or the retries are used up.
func (s *Server) deliver(kind string, payload fakekit.Object, done func(fakekit.Object)) string {
	d := &delivery{envelope: s.newID("env-"), kind: kind, payload: payload, done: done}
	s.deliveries[d.envelope] = d
	if s.closed {
		return d.envelope
	}
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		s.transmit(d)
	}()
	return d.envelope
}

func (s *Server) transmit(d *delivery) {
	s.mu.Lock()
	if s.closed || d.acked {
		s.mu.Unlock()
		return
	}
	target := ""
	switch d.kind {
	case kindEvent:
		target = s.endpoints.Events
	case kindCommand:
		target = s.endpoints.Commands
	case kindInteraction:
		target = s.endpoints.Interactions
	}
	if target == "" {
		if len(s.sockets) == 0 {
			s.pending = append(s.pending, d)
			s.mu.Unlock()
			return
		}
		k := s.sockets[s.next%len(s.sockets)]
		s.next++
		d.timer = time.AfterFunc(s.opts.ackTimeout, func() { s.timeout(d, "timeout") })
		s.mu.Unlock()
		k.send(fakekit.Object{ //nolint:errcheck // the timeout notices
			"envelope_id": d.envelope, "type": d.kind, "payload": d.payload, "accepts_response_payload": d.kind != kindEvent,
			"retry_attempt": d.attempt, "retry_reason": d.reason,
		})
		return
	}
	s.mu.Unlock()
	status, body, err := s.postSigned(target, d)
	switch {
	case err != nil && strings.Contains(err.Error(), "deadline exceeded"):
		s.timeout(d, "http_timeout")
	case err != nil:
		s.timeout(d, "connection_failed")
	case status/100 != 2:
		s.timeout(d, "http_error")
	default:
		s.acknowledge(d.envelope, status, body)
	}
}

// timeout handles a delivery that was not acknowledged.
func (s *Server) timeout(d *delivery, reason string) {
	s.mu.Lock()
	if d.acked || s.closed {
		s.mu.Unlock()
		return
	}
	s.Violate(d.kind, "%s was not acknowledged within %v: %s (attempt %d)", describe(d), s.opts.ackTimeout, reason, d.attempt)
	if d.kind != kindEvent || d.attempt >= len(s.opts.retryDelays) {
		s.mu.Unlock()
		return
	}
	delay := s.opts.retryDelays[d.attempt]
	d.attempt++
	d.reason = reason
	s.background.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.background.Done()
		select {
		case <-time.After(delay):
			s.transmit(d)
		case <-s.ctx.Done():
		}
	}()
}

func describe(d *delivery) string {
	switch d.kind {
	case kindEvent:
		return fakekit.Text(d.payload["event_id"])
	case kindCommand:
		return fakekit.Text(d.payload["command"])
	default:
		return fakekit.Text(d.payload["type"])
	}
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
	d := &delivery{kind: kindEvent, payload: fakekit.Object{"token": "fake", "type": "url_verification", "challenge": s.newID("challenge")}}
	s.mu.Unlock()
	status, body, err := s.postSigned(target, d)
	if err != nil {
		return err
	}
	challenge := d.payload["challenge"].(string)
	var answer struct{ Challenge string }
	if status != http.StatusOK || strings.TrimSpace(string(body)) != challenge && (json.Unmarshal(body, &answer) != nil || answer.Challenge != challenge) {
		return fmt.Errorf("challenge %q answered with %d %q", challenge, status, body)
	}
	return nil
}

// acknowledge handles the answer to a delivery. It is recorded as a call of
// the method "ack:" and the kind.
func (s *Server) acknowledge(envelope string, status int, body []byte) {
	call := fakekit.Call{Time: time.Now(), Status: status, Params: fakekit.Object{"envelope_id": envelope}}
	s.mu.Lock()
	d := s.deliveries[envelope]
	if d == nil {
		s.mu.Unlock()
		s.Violate("socket", "acknowledgement of unknown envelope %q", envelope)
		return
	}
	first := !d.acked
	d.acked = true
	if d.timer != nil {
		d.timer.Stop()
	}
	call.Method = "ack:" + d.kind
	for _, k := range []string{"event_id", "command", "type"} {
		if v, ok := d.payload[k]; ok {
			call.Params[k] = v
		}
	}
	call.Params["attempt"] = d.attempt
	var ack fakekit.Object
	if v, err := fakekit.DecodeJSON(body); err == nil {
		ack, _ = v.(fakekit.Object)
	} else if text := strings.TrimSpace(string(body)); text != "" && d.kind == kindCommand {
		ack = fakekit.Object{"text": text} // plain text is shown as it is
	}
	if ack != nil {
		call.Params["payload"] = ack
		call.Violations = checkAck(d, ack)
	}
	if first && ack != nil && d.done != nil {
		d.done(ack)
	}
	s.mu.Unlock()
	s.Add(call)
}

func checkAck(d *delivery, ack fakekit.Object) []string {
	c := &checker{}
	switch {
	case d.kind == kindCommand, d.kind == kindInteraction && d.payload["type"] == "block_actions":
		if blocks := ack["blocks"]; blocks != nil {
			c.checkBlocks("message", blocks)
		}
		if t := fakekit.Text(ack["response_type"]); t != "" && t != "ephemeral" && t != "in_channel" {
			c.errorf("response_type %q", t)
		}
	case d.payload["type"] == "view_submission":
		switch action := fakekit.Text(ack["response_action"]); action {
		case "", "clear":
		case "errors":
			if e, _ := ack["errors"].(fakekit.Object); len(e) == 0 {
				c.errorf("response_action errors without errors")
			}
		case "update", "push":
			c.checkView(ack["view"])
		default:
			c.errorf("unknown response_action %q", action)
		}
	}
	return c.errs
}

// Redeliver sends the last event again, as Slack does when an acknowledgement
// is lost. The event_id stays the same.
func (s *Server) Redeliver() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, envelope := range slices.Backward(slices.Sorted(maps.Keys(s.deliveries))) {
		d := s.deliveries[envelope]
		if d.kind != kindEvent {
			continue
		}
		again := &delivery{envelope: s.newID("env-"), kind: d.kind, payload: d.payload, attempt: 1, reason: "timeout"}
		s.deliveries[again.envelope] = again
		s.background.Add(1)
		go func() {
			defer s.background.Done()
			s.transmit(again)
		}()
		return nil
	}
	return fmt.Errorf("no event was delivered yet")
}

func (s *Server) newResponseURL(kind, channel, ts, user string) string {
	id := s.newID("r")
	s.responseURLs[id] = &responseURL{channel: channel, ts: ts, user: user, created: time.Now()}
	return s.URL + "/response/" + kind + "/" + TeamID + "/" + id
}

func (s *Server) serveResponseURL(w http.ResponseWriter, r *http.Request) {
	body, err := fakekit.ReadBody(r)
	call := fakekit.Call{Time: time.Now(), Method: "response_url", Verb: r.Method, Path: r.URL.Path, Params: body.Params, Header: r.Header, Status: http.StatusOK}
	if err != nil {
		call.Violations = append(call.Violations, err.Error())
	}
	if body.Type != "application/json" {
		call.Violations = append(call.Violations, "content type "+strconv.Quote(body.Type)+", want application/json")
	}
	c := &checker{}
	c.checkContent(call.Params)
	if t := call.String("response_type"); t != "" && t != "ephemeral" && t != "in_channel" {
		c.errorf("response_type %q", t)
	}
	call.Violations = append(call.Violations, c.errs...)
	if fault, ok := s.TakeFault(call.Method); ok {
		call.Fault = fault.Name()
		time.Sleep(time.Duration(fault.Delay))
		if fault.Drop {
			call.Status = 0
			s.Add(call)
			fakekit.Drop(w)
			return
		}
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter.Seconds()))
			fault.Status = http.StatusTooManyRequests
		}
		if fault.Status != 0 {
			call.Status = fault.Status
			s.Add(call)
			w.WriteHeader(fault.Status)
			return
		}
	}
	code := s.respond(call)
	if code != "" {
		call.Status = http.StatusNotFound
		call.Violations = append(call.Violations, code)
		s.Add(call)
		fakekit.WriteJSON(w, call.Status, fakekit.Object{"ok": false, "error": code})
		return
	}
	s.Add(call)
	io.WriteString(w, "ok") //nolint:errcheck // the client is gone
}

// respond carries out a use of a response URL and returns an error code.
func (s *Server) respond(call fakekit.Call) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.responseURLs[call.Path[strings.LastIndexByte(call.Path, '/')+1:]]
	switch {
	case u == nil:
		return "expired_url"
	case time.Since(u.created) > 30*time.Minute:
		return "expired_url"
	case u.uses >= MaxResponseURL:
		return "used_url"
	}
	u.uses++
	c := s.channels[u.channel]
	if c == nil {
		return ""
	}
	switch i := c.find(u.ts); {
	case call.Bool("delete_original") && i >= 0:
		c.messages = slices.Delete(slices.Clone(c.messages), i, i+1)
	case call.Bool("replace_original") && i >= 0:
		m := maps.Clone(c.messages[i])
		delete(m, "blocks")
		fill(m, call.Params) //nolint:errcheck // recorded as violations
		c.messages[i] = m
	case call.String("response_type") == "in_channel":
		m := s.botMessage()
		if thread := call.String("thread_ts"); thread != "" {
			m["thread_ts"] = thread
		}
		fill(m, call.Params) //nolint:errcheck // recorded as violations
		s.store(c, m)
	}
	return ""
}
