package slackfake

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

var elementTypes = []string{
	"button", "channels_select", "checkboxes", "conversations_select", "datepicker", "datetimepicker",
	"email_text_input", "external_select",
	"feedback_buttons", "file_input", "icon_button", "image", "multi_channels_select", "multi_conversations_select",
	"multi_external_select",
	"multi_static_select", "multi_users_select", "number_input", "overflow", "plain_text_input", "radio_buttons",
	"rich_text_input",
	"static_select", "timepicker", "url_text_input", "users_select", "workflow_button",
}

func (c *checker) element(path string, v any) {
	e, ok := v.(fakekit.Object)
	if !ok {
		c.errorf("%s: not an element", path)
		return
	}
	typ, _ := e["type"].(string)
	if !slices.Contains(elementTypes, typ) {
		c.errorf("%s: unknown element type %q", path, typ)
		return
	}
	c.length(path+".action_id", fakekit.Text(e["action_id"]), 0, 255)
	if e["placeholder"] != nil {
		c.text(path+".placeholder", e["placeholder"], 150, "plain_text")
	}
	switch typ {
	case "button":
		c.text(path+".text", e["text"], 75, "plain_text")
		c.length(path+".value", fakekit.Text(e["value"]), 0, 2000)
		c.length(path+".url", fakekit.Text(e["url"]), 0, 3000)
		if style := fakekit.Text(e["style"]); style != "" && style != "primary" && style != "danger" {
			c.errorf("%s: unknown style %q", path, style)
		}
	case "static_select", "multi_static_select":
		if e["option_groups"] == nil {
			c.options(path+".options", e["options"], 100)
		}
		for i, g := range c.list(path+".option_groups", e["option_groups"], 0, 100) {
			group, _ := g.(fakekit.Object)
			c.text(fmt.Sprintf("%s.option_groups[%d].label", path, i), group["label"], 75, "plain_text")
			c.options(fmt.Sprintf("%s.option_groups[%d].options", path, i), group["options"], 100)
		}
	case "overflow":
		c.options(path+".options", e["options"], 5)
	case "checkboxes", "radio_buttons":
		c.options(path+".options", e["options"], 10)
	case "plain_text_input":
		if n := fakekit.Text(e["max_length"]); n != "" {
			c.checkArg(path+".max_length", &arg{Type: "integer", Minimum: "1", Maximum: "3000"}, n)
		}
	}
}

// options checks a list of 1 to hi options.
func (c *checker) options(path string, v any, hi int) {
	for i, o := range c.list(path, v, 1, hi) {
		option, _ := o.(fakekit.Object)
		at := fmt.Sprintf("%s[%d]", path, i)
		c.text(at+".text", option["text"], 75, "plain_text", "mrkdwn")
		c.length(at+".value", fakekit.Text(option["value"]), 1, 150)
		if option["description"] != nil {
			c.text(at+".description", option["description"], 75, "plain_text", "mrkdwn")
		}
	}
}

func (c *checker) list(path string, v any, lo, hi int) []any {
	list, _ := v.([]any)
	if v != nil && list == nil {
		c.errorf("%s: not an array", path)
	}
	if len(list) < lo || len(list) > hi {
		c.errorf("%s: %d items, allowed are %d-%d", path, len(list), lo, hi)
	}
	return list
}

func (c *checker) text(path string, v any, limit int, types ...string) {
	obj, ok := v.(fakekit.Object)
	if !ok {
		c.errorf("%s: not a text object", path)
		return
	}
	if typ, _ := obj["type"].(string); !slices.Contains(types, typ) {
		c.errorf("%s: type %q is not allowed", path, typ)
	}
	c.length(path, fakekit.Text(obj["text"]), 1, limit)
}

func (c *checker) length(path, s string, lo, hi int) {
	if n := utf8.RuneCountInString(s); n < lo || n > hi {
		c.errorf("%s: %d characters, allowed are %d-%d", path, n, lo, hi)
	}
}
