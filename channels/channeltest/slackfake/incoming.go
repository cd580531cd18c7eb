package slackfake

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Incoming describes a message that a user sends.
type Incoming struct {
	Channel  string `json:"channel"`
	User     string `json:"user,omitempty"`
	Text     string `json:"text"`
	ThreadTS string `json:"thread_ts,omitempty"`
	// Files are ids from [Server.AddFile].
	Files []string `json:"files,omitempty"`
	// Extra fields are set on the message as they are.
	Extra fakekit.Object `json:"extra,omitempty"`
}

const defaultUser = "U0FAKEUSER1"

// user returns the id of a user who acts, and adds the user if need be.
func (s *Server) user(id string) string {
	if id == "" {
		id = defaultUser
	}
	if s.users[id] == nil {
		s.addUser(id, strings.ToLower(id))
	}
	return id
}

// SendMessage stores a user's message, delivers the events for it, and
// returns its ts.
func (s *Server) SendMessage(in Incoming) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[in.Channel]
	if c == nil {
		return "", fmt.Errorf("no channel %s", in.Channel)
	}
	m := fakekit.Object{
		"type": "message", "user": s.user(in.User), "team": c.team(), "text": in.Text, "ts": s.newTS(),
		"client_msg_id": s.newID("client-"),
	}
	if in.ThreadTS != "" {
		i := c.find(in.ThreadTS)
		if i < 0 {
			return "", fmt.Errorf("no message %s in channel %s", in.ThreadTS, in.Channel)
		}
		m["thread_ts"], m["parent_user_id"] = in.ThreadTS, c.messages[i]["user"]
		parent := maps.Clone(c.messages[i])
		parent["thread_ts"] = in.ThreadTS
		c.messages[i] = parent
	}
	if len(in.Files) > 0 {
		m["subtype"] = "file_share"
		var files []any
		for _, id := range in.Files {
			f := s.files[id]
			if f == nil || f.info == nil {
				return "", fmt.Errorf("no file %s", id)
			}
			files = append(files, f.info)
		}
		m["files"] = files
	}
	maps.Copy(m, in.Extra)
	s.store(c, m)
	return m["ts"].(string), nil
}

// EditMessage changes a user's message and delivers message_changed.
func (s *Server) EditMessage(channel, ts, text string) error {
	return s.change(channel, ts, func(c *conversation, i int) {
		old := c.messages[i]
		m := maps.Clone(old)
		m["text"], m["edited"] = text, fakekit.Object{"user": m["user"], "ts": s.newTS()}
		c.messages[i] = m
		s.emitChange(c, "message_changed", m, old)
	})
}

// DeleteMessage removes a user's message and delivers message_deleted. One that
// others have answered leaves a tombstone, and is changed.
func (s *Server) DeleteMessage(channel, ts string) error {
	return s.change(channel, ts, func(c *conversation, i int) {
		old := c.messages[i]
		if slices.ContainsFunc(c.messages, func(m fakekit.Object) bool { return m["thread_ts"] == ts && m["ts"] != ts }) {
			c.messages[i] = fakekit.Object{
				"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.",
				"hidden": true, "ts": ts, "thread_ts": ts,
			}
			s.emitChange(c, "message_changed", c.messages[i], old)
			return
		}
		c.messages = slices.Delete(slices.Clone(c.messages), i, i+1)
		s.emitChange(c, "message_deleted", nil, old)
	})
}

func (s *Server) change(channel, ts string, f func(*conversation, int)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil || c.find(ts) < 0 {
		return fmt.Errorf("no message %s in channel %s", ts, channel)
	}
	f(c, c.find(ts))
	return nil
}

// React delivers reaction_added for a user's reaction.
func (s *Server) React(channel, ts, name, user string) error {
	return s.change(channel, ts, func(c *conversation, i int) {
		if s.subscribed("reaction_added") {
			s.emit(fakekit.Object{
				"type": "reaction_added", "user": s.user(user), "reaction": name, "item_user": c.messages[i]["user"],
				"item": fakekit.Object{"type": "message", "channel": channel, "ts": ts}, "event_ts": s.newTS(),
			})
		}
	})
}
