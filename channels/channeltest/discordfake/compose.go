package discordfake

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// compose builds a message of the bot from the parameters of a request.
func (s *Server) compose(c *channel, call fakekit.Call, params fakekit.Object) (fakekit.Object, *Error) {
	m := s.newMessage(c, s.Bot, fakekit.Text(params["content"]), params["allowed_mentions"])
	if err := s.fill(m, c, call, params); err != nil {
		return nil, err
	}
	if err := s.refer(m, c, params); err != nil {
		return nil, err
	}
	if isBlank(m) && params["poll"] == nil && params["sticker_ids"] == nil {
		return nil, &Error{Status: http.StatusBadRequest, Code: 50006, Message: "Cannot send an empty message"}
	}
	return m, nil
}

// refer makes a message the reply that params ask for, if they do.
func (s *Server) refer(m fakekit.Object, c *channel, params fakekit.Object) *Error {
	ref, _ := params["message_reference"].(fakekit.Object)
	if ref == nil || fakekit.Text(ref["type"]) == "1" {
		return nil
	}
	i := c.index(fakekit.Text(ref["message_id"]))
	if i < 0 {
		if ref["fail_if_not_exists"] != false {
			return formError("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
		}
		return nil
	}
	m["type"] = 19
	m["message_reference"] = fakekit.Object{"type": 0, "message_id": ref["message_id"], "channel_id": c.id()}
	m["referenced_message"] = maps.Clone(c.messages[i])
	rules, _ := params["allowed_mentions"].(fakekit.Object)
	// Replies notify the author unless that is turned off.
	author, _ := c.messages[i]["author"].(fakekit.Object)
	if author != nil && (rules == nil || rules["replied_user"] == true) {
		m["mentions"] = append(slices.Clone(m["mentions"].([]any)), author)
	}
	return nil
}

// isBlank reports whether a message shows nothing.
func isBlank(m fakekit.Object) bool {
	for _, list := range []string{"embeds", "attachments", "components"} {
		if len(m[list].([]any)) > 0 {
			return false
		}
	}
	return m["content"] == ""
}

const (
	flagComponentsV2 = 1 << 15
	flagEphemeral    = 1 << 6
	flagLoading      = 1 << 7
)

// fill sets the content, embeds, components, flags and files of a message
// that are given in params.
func (s *Server) fill(m fakekit.Object, c *channel, call fakekit.Call, params fakekit.Object) *Error {
	if v, ok := params["flags"]; ok && v != nil {
		n, _ := strconv.Atoi(fakekit.Text(v))
		if n&flagComponentsV2 < m["flags"].(int)&flagComponentsV2 {
			return formError("flags", "MESSAGE_FLAGS_INVALID", "MessageFlags.IS_COMPONENTS_V2 cannot be removed")
		}
		m["flags"] = n
	}
	v2 := m["flags"].(int)&flagComponentsV2 != 0
	if v, ok := params["content"]; ok {
		content := fakekit.Text(v)
		if n := len([]rune(content)); n > MaxContent {
			return formError("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
		}
		if v2 && v != nil {
			return legacyField("content")
		}
		m["content"] = content
	}
	if list, ok := params["embeds"].([]any); ok {
		if n := embedLength(list); n > MaxEmbed {
			return formError("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
		}
		var embeds []any
		for _, e := range list {
			embed := maps.Clone(e.(fakekit.Object))
			embed["type"] = "rich"
			embeds = append(embeds, embed)
		}
		m["embeds"] = orEmpty(embeds)
	}
	if list, ok := params["components"].([]any); ok {
		other := func(c any) bool { return fakekit.Text(c.(fakekit.Object)["type"]) != "1" }
		if !v2 && slices.ContainsFunc(list, other) {
			return formError("components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).")
		}
		if err := checkLayout(list); v2 && err != nil {
			return err
		}
		next := 1
		m["components"] = numberComponents(list, &next)
	}
	if v2 && m["content"] != "" {
		return legacyField("content")
	}
	if embeds, _ := m["embeds"].([]any); v2 && len(embeds) > 0 { // null does not take them away
		return legacyField("embeds")
	}
	var kept []any
	list, listed := params["attachments"].([]any)
	old, _ := m["attachments"].([]any)
	for _, a := range old {
		same := func(b any) bool { return fakekit.Text(b.(fakekit.Object)["id"]) == a.(fakekit.Object)["id"] }
		if !listed || slices.ContainsFunc(list, same) {
			kept = append(kept, a)
		}
	}
	for _, f := range call.Files {
		kept = append(kept, s.attach(c.id(), f))
	}
	m["attachments"] = orEmpty(kept)
	return nil
}

// numberComponents gives components the ids that Discord fills in.
func numberComponents(list []any, next *int) []any {
	out := []any{}
	for _, item := range list {
		c := maps.Clone(item.(fakekit.Object))
		if c["id"] == nil {
			c["id"] = *next
		}
		*next++
		if children, ok := c["components"].([]any); ok {
			c["components"] = numberComponents(children, next)
		}
		for k, v := range c {
			if v == nil {
				delete(c, k)
			}
		}
		out = append(out, c)
	}
	return out
}

func embedLength(list []any) int {
	n := 0
	var walk func(k string, v any)
	walk = func(k string, v any) {
		switch v := v.(type) {
		case string:
			switch k {
			case "title", "description", "name", "value", "text":
				n += len([]rune(v))
			}
		case []any:
			for _, item := range v {
				walk("", item)
			}
		case fakekit.Object:
			for k, item := range v {
				walk(k, item)
			}
		}
	}
	walk("", list)
	return n
}
