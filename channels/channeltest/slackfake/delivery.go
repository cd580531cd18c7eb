package slackfake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Kinds of deliveries, named as in Socket Mode.
const (
	kindEvent       = "events_api"
	kindCommand     = "slash_commands"
	kindInteraction = "interactive"
)

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

// deliver sends something to the app and, for events, again until it is
// acknowledged or the retries are used up.
func (s *Server) deliver(kind string, payload fakekit.Object, done func(fakekit.Object)) {
	d := &delivery{envelope: s.newID("env-"), kind: kind, payload: payload, done: done}
	s.deliveries[d.envelope] = d
	if s.closed {
		return
	}
	if s.target(d) != "" {
		s.background.Go(func() { s.transmit(d) })
		return
	}
	// Sockets get things in the order in which they happened.
	before, sent := s.lastSent, make(chan struct{})
	s.lastSent = sent
	s.background.Go(func() {
		defer close(sent)
		if before != nil {
			<-before
		}
		s.transmit(d)
	})
}

// target is the endpoint that a delivery is posted to, "" when it goes over a socket.
func (s *Server) target(d *delivery) string {
	switch d.kind {
	case kindEvent:
		return s.endpoints.Events
	case kindCommand:
		return s.endpoints.Commands
	case kindInteraction:
		return s.endpoints.Interactions
	}
	return ""
}

func (s *Server) transmit(d *delivery) {
	s.mu.Lock()
	if s.closed || d.acked {
		s.mu.Unlock()
		return
	}
	target := s.target(d)
	if target == "" {
		k := s.nextSocket()
		if k == nil {
			s.pending = append(s.pending, d)
			s.mu.Unlock()
			return
		}
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
	s.Violate(d.kind, "%s was not acknowledged within %v: %s (attempt %d)",
		describe(d), s.opts.ackTimeout, reason, d.attempt)
	if d.kind != kindEvent || d.attempt >= len(s.opts.retryDelays) {
		s.mu.Unlock()
		return
	}
	delay := s.opts.retryDelays[d.attempt]
	d.attempt++
	d.reason = reason
	s.background.Go(func() {
		select {
		case <-time.After(delay):
			s.transmit(d)
		case <-s.ctx.Done():
		}
	})
	s.mu.Unlock()
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
		s.background.Go(func() { s.transmit(again) })
		return nil
	}
	return fmt.Errorf("no event was delivered yet")
}
