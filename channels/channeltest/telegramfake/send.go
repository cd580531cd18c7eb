package telegramfake

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// sendAny handles the methods that send one message.
func (s *Server) sendAny(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	thread, apiErr := c.topic(call)
	if apiErr != nil {
		return nil, apiErr
	}
	draft := fakekit.Object{}
	if call.Method == "sendMessage" {
		if strings.TrimSpace(call.String("text")) == "" {
			return nil, badRequest("message text is empty")
		}
		if err := setText(draft, call, "text", 4096); err != nil {
			return nil, err
		}
		if strings.TrimSpace(draft["text"].(string)) == "" {
			return nil, badRequest("message text is empty")
		}
	} else if call.Has("caption") {
		if err := setText(draft, call, "caption", 1024); err != nil {
			return nil, err
		}
	}
	if call.Method == "sendRichMessage" {
		draft["rich_message"] = fakekit.Object{"blocks": []any{}}
	}
	if kind := mediaKinds()[call.Method]; kind != "" {
		file, err := s.mediaOf(call, kind)
		if err != nil {
			return nil, err
		}
		if err := s.attach(draft, kind, file); err != nil {
			return nil, err
		}
	}
	if err := setMarkup(draft, call); err != nil {
		return nil, err
	}
	if err := c.reply(draft, call); err != nil {
		return nil, err
	}
	if thread == 0 && c.isForum() {
		if thread, apiErr = c.topicOfReply(draft); apiErr != nil {
			return nil, apiErr
		}
	}
	m := s.newMessage(c, thread, s.Bot)
	if c.kind() == "channel" {
		delete(m, "from")
		m["sender_chat"] = c.info
	}
	maps.Copy(m, draft)
	if c.messages[thread] != nil && m["reply_to_message"] == nil && thread > 0 && c.kind() == "supergroup" {
		m["reply_to_message"] = withoutReply(c.messages[thread])
	}
	return maps.Clone(m), nil
}

// topicOfReply is the topic of the message that is answered: a reply is shown
// there, whatever topic the call does not name.
func (c *chat) topicOfReply(draft fakekit.Object) (int, *Error) {
	target, _ := draft["reply_to_message"].(fakekit.Object)
	if target["is_topic_message"] != true {
		return 0, nil
	}
	id, err := strconv.Atoi(fakekit.Text(target["message_thread_id"]))
	t := c.topics[id]
	switch {
	case err != nil || t == nil || t.deleted:
		return 0, nil
	case t.Closed:
		return 0, badRequest("TOPIC_CLOSED")
	}
	return id, nil
}

func (s *Server) sendMediaGroup(call fakekit.Call) (any, error) {
	var items []fakekit.Object
	if err := call.JSON("media", &items); err != nil {
		return nil, badRequest("can't parse media JSON object")
	}
	if len(items) < 2 || len(items) > 10 {
		return nil, badRequest("group of %d media can't be sent; allowed are 2-10", len(items))
	}
	group := "album" + strconv.Itoa(s.files.count)
	var out []any
	for _, item := range items {
		typ := fakekit.Text(item["type"])
		one := call
		one.Method = "send" + strings.ToUpper(typ[:min(1, len(typ))]) + typ[min(1, len(typ)):]
		one.Params = maps.Clone(call.Params)
		delete(one.Params, "media")
		maps.Copy(one.Params, item)
		one.Files = nil
		if name, ok := strings.CutPrefix(fakekit.Text(item["media"]), "attach://"); ok {
			for _, f := range call.Files {
				if f.Field == name {
					f.Field = typ
					one.Files = append(one.Files, f)
				}
			}
		} else {
			one.Params[typ] = item["media"]
		}
		m, err := s.sendAny(one)
		if err != nil {
			return nil, err
		}
		m.(fakekit.Object)["media_group_id"] = group
		out = append(out, m)
	}
	return out, nil
}

func (s *Server) sendDraft(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	if c.kind() != "private" {
		return nil, badRequest("chat not found")
	}
	if _, err := c.topic(call); err != nil {
		return nil, err
	}
	if call.Int("draft_id") == 0 {
		return nil, badRequest("draft_id must be non-zero")
	}
	return true, orNil(setText(fakekit.Object{}, call, "text", 4096))
}

func (s *Server) forward(call fakekit.Call) (any, error) {
	copied, err := s.copyFrom(call)
	if err != nil {
		return nil, err
	}
	copied["forward_origin"] = fakekit.Object{"type": "hidden_user", "sender_user_name": "Ann", "date": time.Now().Unix()}
	return copied, nil
}

func (s *Server) copyMessage(call fakekit.Call) (any, error) {
	copied, err := s.copyFrom(call)
	if err != nil {
		return nil, err
	}
	return fakekit.Object{"message_id": copied["message_id"]}, nil
}

func (s *Server) copyFrom(call fakekit.Call) (fakekit.Object, error) {
	to, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	thread, apiErr := to.topic(call)
	if apiErr != nil {
		return nil, apiErr
	}
	from := s.chats[call.Int("from_chat_id")]
	if from == nil || from.messages[int(call.Int("message_id"))] == nil {
		return nil, badRequest("message to copy not found")
	}
	m := s.newMessage(to, thread, s.Bot)
	for k, v := range from.messages[int(call.Int("message_id"))] {
		if _, ok := m[k]; !ok && k != "message_thread_id" && k != "is_topic_message" {
			m[k] = v
		}
	}
	return maps.Clone(m), nil
}
