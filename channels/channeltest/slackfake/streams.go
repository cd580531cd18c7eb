package slackfake

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (s *Server) startStream(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.writable(call)
	if err != nil {
		return nil, err
	}
	if c.Kind != "im" {
		switch {
		case !call.Has("recipient_team_id"):
			return nil, errors.New("missing_recipient_team_id")
		case !call.Has("recipient_user_id"):
			return nil, errors.New("missing_recipient_user_id")
		}
	}
	m := s.botMessage()
	m["streaming_state"] = "in_progress"
	if err := streamInto(m, call.Params, true); err != nil {
		return nil, err
	}
	if err := s.thread(c, m, call); err != nil {
		return nil, err
	}
	delete(s.status, c.ID+fakekit.Text(m["thread_ts"])) // an answer clears the status
	s.store(c, m)
	return fakekit.Object{"channel": c.ID, "ts": m["ts"]}, nil
}

// streamInto appends the text of a stream call to a message.
func streamInto(m, params fakekit.Object, optional bool) error {
	c := &checker{}
	c.checkContent(params)
	if len(c.errs) > 0 {
		return &apiError{code: "invalid_chunks", messages: c.errs}
	}
	text := fakekit.Text(params["markdown_text"])
	chunks, ok := decode(params["chunks"])
	list, _ := chunks.([]any)
	for _, item := range list {
		chunk, _ := item.(fakekit.Object)
		if chunk["type"] == "markdown_text" {
			text += fakekit.Text(chunk["text"])
		} else {
			old, _ := m["chunks"].([]any)
			m["chunks"] = append(slices.Clone(old), chunk)
		}
	}
	if text == "" && !ok && !optional {
		return errNoText
	}
	m["text"] = fakekit.Text(m["text"]) + text
	return nil
}

func (s *Server) stream(call fakekit.Call, final bool) (fakekit.Object, error) {
	c, i, err := s.own(call, "message_not_owned_by_app")
	if err != nil {
		return nil, err
	}
	old := c.messages[i]
	if old["streaming_state"] == "stopped_by_user" {
		return nil, errors.New("stopped_by_user")
	}
	if old["streaming_state"] != "in_progress" {
		return nil, errNotStreaming
	}
	m := maps.Clone(old)
	if err := streamInto(m, call.Params, final); err != nil {
		return nil, err
	}
	if final {
		m["streaming_state"] = "completed"
		if blocks, ok := decode(call.Params["blocks"]); ok {
			m["blocks"] = blocks
		}
	}
	c.messages[i] = m
	return fakekit.Object{"channel": c.ID, "ts": m["ts"], "message": m}, nil
}

func (s *Server) appendStream(call fakekit.Call) (fakekit.Object, error) {
	return s.stream(call, false)
}

func (s *Server) stopStream(call fakekit.Call) (fakekit.Object, error) { return s.stream(call, true) }

// StopStreams makes the user stop all streams, so that appending fails with
// stopped_by_user.
func (s *Server) StopStreams(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		c.stopStreams(func(fakekit.Object) bool { return true })
	}
}

// stopStreams stops the streams that are chosen and returns their ts.
func (c *conversation) stopStreams(chosen func(m fakekit.Object) bool) []any {
	stopped := []any{}
	for i, m := range c.messages {
		if m["streaming_state"] == "in_progress" && chosen(m) {
			m = maps.Clone(m)
			m["streaming_state"] = "stopped_by_user"
			c.messages[i] = m
			stopped = append(stopped, m["ts"])
		}
	}
	return stopped
}

// StopSession makes a user stop what the app does in a thread: its streams are
// stopped, and agent_session_stopped is delivered.
func (s *Server) StopSession(channel, threadTS, user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil || c.find(threadTS) < 0 {
		return fmt.Errorf("no thread %s in channel %s", threadTS, channel)
	}
	stopped := c.stopStreams(func(m fakekit.Object) bool { return m["thread_ts"] == threadTS })
	if s.subscribed("agent_session_stopped") {
		s.emit(fakekit.Object{
			"type": "agent_session_stopped", "channel": channel, "thread_ts": threadTS, "user": s.user(user),
			"streaming_message_ts": stopped, "event_ts": s.newTS(),
		})
	}
	return nil
}

// OpenStreams returns how many streams have not been stopped.
func (s *Server) OpenStreams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.channels {
		for _, m := range c.messages {
			if m["streaming_state"] == "in_progress" {
				n++
			}
		}
	}
	return n
}
