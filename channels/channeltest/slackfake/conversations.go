package slackfake

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// conversation finds the channel of a call by its id; for methods that post, a
// user id opens the direct message.
func (s *Server) conversation(call fakekit.Call) (*conversation, error) {
	id := call.String("channel")
	if c := s.channels[id]; c != nil {
		return c, nil
	}
	if strings.HasPrefix(call.Method, "chat.") && s.users[id] != nil {
		return s.dm(id), nil
	}
	return nil, errChannelNotFound
}

func (s *Server) dm(user string) *conversation {
	for _, c := range s.channels {
		if c.Kind == "im" && c.User == user {
			return c
		}
	}
	c := &conversation{ID: s.newID("D"), Kind: "im", User: user, Member: true, reactions: map[string]bool{}}
	s.channels[c.ID] = c
	return c
}

func (s *Server) conversationInfo(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call)
	if err != nil {
		return nil, err
	}
	return fakekit.Object{"channel": c.object()}, nil
}

func (s *Server) conversationList(call fakekit.Call) (fakekit.Object, error) {
	var list []any
	for _, id := range slices.Sorted(maps.Keys(s.channels)) {
		c := s.channels[id]
		types := call.String("types")
		private := c.Kind == "group" && strings.Contains(types, "private_channel")
		if c.Kind == "channel" || private || strings.Contains(types, c.Kind) {
			list = append(list, c.object())
		}
	}
	return fakekit.Object{"channels": list, "response_metadata": fakekit.Object{"next_cursor": ""}}, nil
}

func (s *Server) members(call fakekit.Call) (fakekit.Object, error) {
	if _, err := s.conversation(call); err != nil {
		return nil, err
	}
	return fakekit.Object{
		"members": slices.Sorted(maps.Keys(s.users)), "response_metadata": fakekit.Object{"next_cursor": ""},
	}, nil
}

func (s *Server) history(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call)
	if err != nil {
		return nil, err
	}
	if err := c.closed(); err != nil {
		return nil, err
	}
	limit := 100
	if n := int(call.Int("limit")); n > 0 {
		limit = n
	}
	var list []any
	for _, m := range c.messages {
		if listed(m, call) {
			list = append(list, m)
		}
	}
	if call.Method == "conversations.replies" {
		if len(list) == 0 {
			return nil, errThreadNotFound
		}
	} else {
		slices.Reverse(list) // history is newest first, replies oldest first
	}
	more := len(list) > limit
	list = list[:min(limit, len(list))]
	if list == nil {
		list = []any{}
	}
	return fakekit.Object{"messages": list, "has_more": more, "response_metadata": fakekit.Object{"next_cursor": ""}}, nil
}

// listed reports whether conversations.history or conversations.replies, with
// their bounds, list a message.
func listed(m fakekit.Object, call fakekit.Call) bool {
	ts, thread := m["ts"].(string), fakekit.Text(m["thread_ts"])
	if call.Method == "conversations.replies" {
		if root := call.String("ts"); ts != root && thread != root {
			return false
		}
	} else if thread != "" && thread != ts && m["subtype"] != "thread_broadcast" {
		return false
	}
	oldest, latest, inclusive := call.String("oldest"), call.String("latest"), call.Bool("inclusive")
	if oldest != "" && (ts < oldest || ts == oldest && !inclusive) {
		return false
	}
	return latest == "" || ts < latest || ts == latest && inclusive
}

func (s *Server) openDM(call fakekit.Call) (fakekit.Object, error) {
	if id := call.String("channel"); id != "" {
		c, err := s.conversation(call)
		if err != nil {
			return nil, err
		}
		return fakekit.Object{"channel": c.object()}, nil
	}
	user, _, several := strings.Cut(call.String("users"), ",")
	if several {
		c := &conversation{ID: s.newID("G"), Kind: "mpim", Member: true, reactions: map[string]bool{}}
		s.channels[c.ID] = c
		return fakekit.Object{"channel": c.object()}, nil
	}
	if s.users[user] == nil {
		return nil, errUserNotFound
	}
	return fakekit.Object{"channel": s.dm(user).object()}, nil
}

func (s *Server) join(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call)
	if err != nil {
		return nil, err
	}
	c.Member = true
	return fakekit.Object{"channel": c.object()}, nil
}

func (s *Server) createChannel(call fakekit.Call) (fakekit.Object, error) {
	for _, c := range s.channels {
		if c.Name == call.String("name") {
			return nil, errors.New("name_taken")
		}
	}
	c := &conversation{
		ID: s.newID("C"), Name: call.String("name"), Kind: "channel", Member: true, reactions: map[string]bool{},
	}
	s.channels[c.ID] = c
	return fakekit.Object{"channel": c.object()}, nil
}

// writable finds the channel of a call that posts.
func (s *Server) writable(call fakekit.Call) (*conversation, error) {
	c, err := s.conversation(call)
	switch {
	case err != nil:
		return nil, err
	case c.Archived:
		return nil, errArchived
	}
	return c, c.closed()
}

// closed is the error of a channel that the bot is not in. Private ones do not
// exist for it.
func (c *conversation) closed() error {
	switch {
	case c.Member:
		return nil
	case c.Kind == "channel":
		return errNotInChannel
	}
	return errChannelNotFound
}
