package telegramfake

import (
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// maxMarkup is how many bytes of a text the server looks at before parsing it.
const maxMarkup = 1 << 15

// setText applies a text or caption to a message.
func setText(m fakekit.Object, call fakekit.Call, param string, limit int) *Error {
	field := entityField(param)
	if len(call.String(param)) > maxMarkup {
		return badRequest("text is too long")
	}
	plain, entities, err := ParseText(call.String("parse_mode"), call.String(param))
	if err != nil {
		return badRequest("can't parse entities: %v", err)
	}
	if n := len([]rune(plain)); n > limit {
		if param == "caption" {
			return badRequest("message caption is too long")
		}
		return badRequest("message is too long")
	}
	m[param] = plain
	delete(m, field)
	if call.Has(field) {
		var given []any
		if call.JSON(field, &given) == nil && len(given) > 0 {
			m[field] = given
		}
	} else if list := entityList(plain, entities); len(list) > 0 {
		m[field] = list
	}
	return nil
}

func entityList(plain string, entities []fakekit.Object) []any {
	var list []any
	for _, e := range entities {
		list = append(list, e)
	}
	return append(list, detectEntities(plain)...)
}

func setMarkup(m fakekit.Object, call fakekit.Call) *Error {
	delete(m, "reply_markup")
	if !call.Has("reply_markup") {
		return nil
	}
	var markup fakekit.Object
	if err := call.JSON("reply_markup", &markup); err != nil {
		return badRequest("can't parse reply keyboard markup JSON object")
	}
	rows, ok := markup["inline_keyboard"].([]any)
	if !ok || len(rows) == 0 {
		return nil // other keyboards are not echoed
	}
	for _, row := range rows {
		buttons, _ := row.([]any)
		for _, b := range buttons {
			button, _ := b.(fakekit.Object)
			if data, ok := button["callback_data"].(string); ok && len(data) > 64 {
				return badRequest("BUTTON_DATA_INVALID")
			}
		}
	}
	m["reply_markup"] = markup
	return nil
}

// reply applies reply_parameters or the older reply_to_message_id.
func (c *chat) reply(m fakekit.Object, call fakekit.Call) *Error {
	id, tolerant := int(call.Int("reply_to_message_id")), call.Bool("allow_sending_without_reply")
	var p struct {
		MessageID int  `json:"message_id"`
		Tolerant  bool `json:"allow_sending_without_reply"`
		ChatID    any  `json:"chat_id"`
	}
	if call.Has("reply_parameters") {
		if err := call.JSON("reply_parameters", &p); err != nil {
			return badRequest("can't parse reply parameters JSON object")
		}
		if p.ChatID != nil {
			return nil
		}
		id, tolerant = p.MessageID, p.Tolerant
	}
	if id == 0 {
		return nil
	}
	target := c.messages[id]
	if target == nil {
		if tolerant {
			return nil
		}
		return badRequest("message to be replied not found")
	}
	m["reply_to_message"] = withoutReply(target)
	return nil
}
