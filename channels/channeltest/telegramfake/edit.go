package telegramfake

import (
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (s *Server) edit(call fakekit.Call) (any, error) {
	if call.Has("inline_message_id") {
		return true, nil
	}
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_id"))
	old := c.messages[id]
	if old == nil {
		return nil, badRequest("message to edit not found")
	}
	if from, _ := old["from"].(fakekit.Object); from != nil && !reflect.DeepEqual(from["id"], s.Bot["id"]) {
		return nil, badRequest("message can't be edited")
	}
	m := maps.Clone(old)
	switch call.Method {
	case "editMessageText":
		if strings.TrimSpace(call.String("text")) == "" && !call.Has("rich_message") {
			return nil, badRequest("message text is empty")
		}
		if old["text"] == nil && old["rich_message"] == nil {
			return nil, badRequest("there is no text in the message to edit")
		}
		if err := setText(m, call, "text", 4096); err != nil {
			return nil, err
		}
	case "editMessageCaption":
		if err := setText(m, call, "caption", 1024); err != nil {
			return nil, err
		}
	}
	if err := setMarkup(m, call); err != nil {
		return nil, err
	}
	same := func(k string) bool { return fakekit.Text(old[k]) == fakekit.Text(m[k]) }
	if same("text") && same("entities") && same("caption") && same("caption_entities") && same("reply_markup") {
		return nil, badRequest("message is not modified: specified new message content and reply markup are exactly " +
			"the same as a current content and reply markup of the message")
	}
	m["edit_date"] = time.Now().Unix()
	c.messages[id] = m
	return maps.Clone(m), nil
}

func (s *Server) deleteMessages(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	ids := []int{int(call.Int("message_id"))}
	if call.Method == "deleteMessages" {
		if err := call.JSON("message_ids", &ids); err != nil {
			return nil, badRequest("message identifiers must be an array")
		}
	} else if c.messages[ids[0]] == nil {
		return nil, badRequest("message to delete not found")
	}
	for _, id := range ids {
		delete(c.messages, id)
	}
	return true, nil
}
