package discordfake

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (s *Server) message(call fakekit.Call) (*channel, fakekit.Object, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, nil, err
	}
	i := c.index(call.PathParams["message_id"])
	if i < 0 {
		return nil, nil, notFound(10008, "Message")
	}
	return c, c.messages[i], nil
}

func (s *Server) listMessages(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	limit := 50
	if n := int(call.Int("limit")); n > 0 {
		limit = n
	}
	before, after, around := call.Int("before"), call.Int("after"), call.Int("around")
	var out []any
	// Newest first, except that "after" counts from the oldest.
	list := slices.Clone(c.messages)
	if after == 0 {
		slices.Reverse(list)
	}
	for _, m := range list {
		id, _ := strconv.ParseInt(m["id"].(string), 10, 64)
		if before != 0 && id >= before || after != 0 && id <= after || len(out) >= limit && around == 0 {
			continue
		}
		out = append(out, m)
	}
	if after != 0 {
		slices.Reverse(out)
	}
	return orEmpty(out), nil
}

func (s *Server) createMessage(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	if c.readOnly {
		return nil, forbidden(50013, "Missing Permissions")
	}
	if c.kind() == ForumChannel {
		return nil, &Error{Status: http.StatusBadRequest, Code: 50008, Message: "Cannot send messages in a non-text channel"}
	}
	if meta, ok := c.info["thread_metadata"].(fakekit.Object); ok {
		if meta["locked"] == true {
			return nil, forbidden(50083, "Thread is archived")
		}
		if meta["archived"] == true {
			// Sending a message brings a thread back.
			c.info = maps.Clone(c.info)
			meta = maps.Clone(meta)
			meta["archived"] = false
			c.info["thread_metadata"] = meta
			s.emit("THREAD_UPDATE", c.info, c.guild())
		}
	}
	nonce := call.String("nonce")
	if nonce != "" && call.Bool("enforce_nonce") {
		if old := c.nonces[nonce]; old != nil {
			return old, nil
		}
	}
	m, err := s.compose(c, call, call.Params)
	if err != nil {
		return nil, err
	}
	if nonce != "" {
		m["nonce"] = call.Params["nonce"]
		c.nonces[nonce] = m
	}
	s.post(c, m)
	return m, nil
}

func (s *Server) getMessage(call fakekit.Call) (any, *Error) {
	_, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (s *Server) editMessage(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	if m["author"].(fakekit.Object)["id"] != s.AppID() {
		return nil, forbidden(50005, "Cannot edit a message authored by another user")
	}
	probe := maps.Clone(m)
	if err := s.fill(probe, c, call, call.Params); err != nil {
		return nil, err
	}
	return s.replace(c, m["id"].(string), func(m fakekit.Object) {
		maps.Copy(m, probe)
		if call.Has("content") {
			s.setMentions(m, call.String("content"), call.Params["allowed_mentions"])
		}
	}), nil
}

func (s *Server) deleteMessage(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	s.remove(c, m["id"].(string))
	return nil, nil
}

func (s *Server) remove(c *channel, id string) {
	c.messages = slices.DeleteFunc(slices.Clone(c.messages), func(m fakekit.Object) bool { return m["id"] == id })
	event := fakekit.Object{"id": id, "channel_id": c.id()}
	if c.guild() != "" {
		event["guild_id"] = c.guild()
	}
	s.emit("MESSAGE_DELETE", event, c.guild())
}

func (s *Server) bulkDelete(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	list, _ := call.Params["messages"].([]any)
	c.messages = slices.DeleteFunc(slices.Clone(c.messages), func(m fakekit.Object) bool {
		return slices.Contains(list, m["id"])
	})
	s.emit("MESSAGE_DELETE_BULK", fakekit.Object{"ids": list, "channel_id": c.id(), "guild_id": c.guild()}, c.guild())
	return nil, nil
}

func (s *Server) react(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	event := "MESSAGE_REACTION_ADD"
	if call.Verb == http.MethodDelete {
		event = "MESSAGE_REACTION_REMOVE"
	}
	s.emit(event, fakekit.Object{
		"user_id": s.AppID(), "channel_id": c.id(), "message_id": m["id"], "guild_id": c.guild(),
		"emoji": fakekit.Object{"id": nil, "name": call.PathParams["emoji_name"]}, "burst": false, "type": 0,
	}, c.guild())
	return nil, nil
}

func (s *Server) pin(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	s.replace(c, m["id"].(string), func(m fakekit.Object) { m["pinned"] = call.Verb == http.MethodPut })
	return nil, nil
}

func (s *Server) listPins(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	var out []any
	for _, m := range c.messages {
		if m["pinned"] == true {
			out = append(out, m)
		}
	}
	return orEmpty(out), nil
}
