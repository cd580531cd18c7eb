package discordfake

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (s *Server) channel(call fakekit.Call) (*channel, *Error) {
	c := s.channels[call.PathParams["channel_id"]]
	if c == nil {
		return nil, notFound(10003, "Channel")
	}
	return c, nil
}

func (s *Server) getChannel(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	return c.info, nil
}

func (s *Server) editChannel(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	c.info = maps.Clone(c.info)
	meta, isThread := c.info["thread_metadata"].(fakekit.Object)
	if isThread {
		meta = maps.Clone(meta)
		c.info["thread_metadata"] = meta
	}
	for k, v := range call.Params {
		if _, ok := meta[k]; ok {
			meta[k] = v
		} else if _, ok := c.info[k]; ok && k != "type" {
			c.info[k] = v
		}
	}
	event := "CHANNEL_UPDATE"
	if isThread {
		event = "THREAD_UPDATE"
	}
	s.emit(event, c.info, c.guild())
	return c.info, nil
}

func (s *Server) deleteChannel(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	s.drop(c)
	return c.info, nil
}

// RemoveChannel lets an admin delete a channel or a thread.
func (s *Server) RemoveChannel(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[id]
	if c == nil {
		return fmt.Errorf("no channel %s", id)
	}
	s.drop(c)
	return nil
}

// drop deletes a channel. Of a thread only a part is told.
func (s *Server) drop(c *channel) {
	delete(s.channels, c.id())
	event, told := "CHANNEL_DELETE", c.info
	if c.isThread() {
		event = "THREAD_DELETE"
		told = fakekit.Object{
			"id": c.id(), "guild_id": c.guild(), "parent_id": c.info["parent_id"], "type": c.kind(),
		}
	}
	s.emit(event, told, c.guild())
}

func (s *Server) typing(call fakekit.Call) (any, *Error) {
	_, err := s.channel(call)
	return nil, err
}

func (s *Server) threadFromMessage(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	id := m["id"].(string)
	if s.channels[id] != nil {
		return nil, &Error{
			Status: http.StatusBadRequest, Code: 160004, Message: "A thread has already been created for this message",
		}
	}
	if c.kind() != TextChannel {
		return nil, &Error{Status: http.StatusBadRequest, Code: 50024, Message: "Cannot execute action on this channel type"}
	}
	// A thread has the id of the message it starts from.
	t := s.newThread(c, id, call.String("name"), PublicThread, s.AppID())
	s.emit("THREAD_CREATE", withNew(t.info), c.guild())
	return t.info, nil
}

func (s *Server) createThread(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	kind := PrivateThread
	if call.Has("type") {
		kind = int(call.Int("type"))
	}
	if c.kind() == ForumChannel {
		kind = PublicThread
	}
	id := s.newID()
	t := s.newThread(c, id, call.String("name"), kind, s.AppID())
	result := maps.Clone(t.info)
	if c.kind() == ForumChannel {
		first, _ := call.Params["message"].(fakekit.Object)
		if first == nil {
			delete(s.channels, id)
			return nil, formError("message", "BASE_TYPE_REQUIRED", "This field is required")
		}
		m, err := s.compose(t, call, first)
		if err != nil {
			delete(s.channels, id)
			return nil, err
		}
		m["id"] = id // the first message of a post has the post's id
		s.emit("THREAD_CREATE", withNew(t.info), c.guild())
		s.post(t, m)
		result["message"] = m
		return result, nil
	}
	s.emit("THREAD_CREATE", withNew(t.info), c.guild())
	return result, nil
}

func (s *Server) threadMember(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	user := call.PathParams["user_id"]
	if user == "" {
		user = s.AppID()
	}
	c.members[user] = call.Verb == http.MethodPut
	return nil, nil
}
