package slackfake

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Limits of messages and surfaces.
const (
	MaxText        = 40000
	MaxMarkdown    = 12000
	MaxBlocks      = 50
	MaxViewBlocks  = 100
	MaxViewBytes   = 250 * 1024
	MaxResponseURL = 5
)

// CheckBlocks validates Block Kit blocks for a surface: "message", "modal" or
// "home". It returns what is wrong with them.
func CheckBlocks(surface string, v any) []string {
	decoded, err := fakekit.Convert(v)
	if err != nil {
		return []string{err.Error()}
	}
	c := &checker{}
	c.checkBlocks(surface, decoded)
	return c.errs
}

func (c *checker) checkBlocks(surface string, v any) {
	list, ok := v.([]any)
	if !ok {
		c.errorf("blocks: not an array")
		return
	}
	limit := MaxBlocks
	if surface != "message" {
		limit = MaxViewBlocks
	}
	if len(list) > limit {
		c.errorf("blocks: %d blocks, the limit is %d", len(list), limit)
	}
	ids := map[string]bool{}
	markdown := 0
	for i, item := range list {
		path := fmt.Sprintf("blocks[%d]", i)
		block, ok := item.(fakekit.Object)
		if !ok {
			c.errorf("%s: not an object", path)
			continue
		}
		if id, _ := block["block_id"].(string); id != "" {
			c.length(path+".block_id", id, 1, 255)
			if ids[id] {
				c.errorf("%s: block_id %q is repeated", path, id)
			}
			ids[id] = true
		}
		if block["type"] == "markdown" {
			markdown += utf8.RuneCountInString(fakekit.Text(block["text"]))
		}
		c.checkBlock(path, surface, block)
	}
	if markdown > MaxMarkdown {
		c.errorf("blocks: %d characters in markdown blocks, the limit is %d for all", markdown, MaxMarkdown)
	}
}

// Block types that are known but not looked into.
var opaqueBlocks = []string{"alert", "call", "card", "carousel", "container", "data_table", "data_visualization", "file", "plan", "rich_text", "table", "task_card", "video"}

func (c *checker) checkBlock(path, surface string, b fakekit.Object) {
	typ, _ := b["type"].(string)
	switch typ {
	case "section":
		if b["text"] == nil && b["fields"] == nil {
			c.errorf("%s: a section needs text or fields", path)
		}
		if b["text"] != nil {
			c.text(path+".text", b["text"], 3000, "plain_text", "mrkdwn")
		}
		for i, f := range c.list(path+".fields", b["fields"], 0, 10) {
			c.text(fmt.Sprintf("%s.fields[%d]", path, i), f, 2000, "plain_text", "mrkdwn")
		}
		if b["accessory"] != nil {
			c.element(path+".accessory", b["accessory"])
		}
	case "header":
		c.text(path+".text", b["text"], 150, "plain_text")
	case "markdown":
		c.length(path+".text", fakekit.Text(b["text"]), 1, MaxMarkdown)
		if surface != "message" {
			c.errorf("%s: markdown blocks are for messages only", path)
		}
	case "divider":
	case "image":
		c.length(path+".alt_text", fakekit.Text(b["alt_text"]), 1, 2000)
		if b["image_url"] == nil && b["slack_file"] == nil {
			c.errorf("%s: an image needs image_url or slack_file", path)
		}
		c.length(path+".image_url", fakekit.Text(b["image_url"]), 0, 3000)
		if b["title"] != nil {
			c.text(path+".title", b["title"], 2000, "plain_text")
		}
	case "context":
		for i, e := range c.list(path+".elements", b["elements"], 1, 10) {
			if obj, _ := e.(fakekit.Object); obj["type"] != "image" {
				c.text(fmt.Sprintf("%s.elements[%d]", path, i), e, 3000, "plain_text", "mrkdwn")
			}
		}
	case "actions", "context_actions":
		limit := 25
		if typ == "context_actions" {
			limit = 5
		}
		ids := map[string]bool{}
		for i, e := range c.list(path+".elements", b["elements"], 1, limit) {
			c.element(fmt.Sprintf("%s.elements[%d]", path, i), e)
			obj, _ := e.(fakekit.Object)
			if id, _ := obj["action_id"].(string); id != "" {
				if ids[id] {
					c.errorf("%s: action_id %q is repeated", path, id)
				}
				ids[id] = true
			}
		}
	case "input":
		c.text(path+".label", b["label"], 2000, "plain_text")
		if b["hint"] != nil {
			c.text(path+".hint", b["hint"], 2000, "plain_text")
		}
		c.element(path+".element", b["element"])
	default:
		if !slices.Contains(opaqueBlocks, typ) {
			c.errorf("%s: unknown block type %q", path, typ)
		}
	}
}

var elementTypes = []string{
	"button", "channels_select", "checkboxes", "conversations_select", "datepicker", "datetimepicker", "email_text_input", "external_select",
	"feedback_buttons", "file_input", "icon_button", "image", "multi_channels_select", "multi_conversations_select", "multi_external_select",
	"multi_static_select", "multi_users_select", "number_input", "overflow", "plain_text_input", "radio_buttons", "rich_text_input",
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
			c.options(path+".options", e["options"], 1, 100)
		}
		for i, g := range c.list(path+".option_groups", e["option_groups"], 0, 100) {
			group, _ := g.(fakekit.Object)
			c.text(fmt.Sprintf("%s.option_groups[%d].label", path, i), group["label"], 75, "plain_text")
			c.options(fmt.Sprintf("%s.option_groups[%d].options", path, i), group["options"], 1, 100)
		}
	case "overflow":
		c.options(path+".options", e["options"], 1, 5)
	case "checkboxes", "radio_buttons":
		c.options(path+".options", e["options"], 1, 10)
	case "plain_text_input":
		if n := fakekit.Text(e["max_length"]); n != "" {
			c.checkArg(path+".max_length", &arg{Type: "integer", Minimum: "1", Maximum: "3000"}, n)
		}
	}
}

func (c *checker) options(path string, v any, lo, hi int) {
	for i, o := range c.list(path, v, lo, hi) {
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

// checkView validates a modal or home tab.
func (c *checker) checkView(v any) {
	view, ok := v.(fakekit.Object)
	if !ok {
		c.errorf("view: not an object")
		return
	}
	typ, _ := view["type"].(string)
	if typ != "modal" && typ != "home" {
		c.errorf("view: unknown type %q", typ)
		return
	}
	if n := len(fakekit.Text(v)); n > MaxViewBytes {
		c.errorf("view: %d bytes, the limit is %d", n, MaxViewBytes)
	}
	c.length("view.callback_id", fakekit.Text(view["callback_id"]), 0, 255)
	c.length("view.external_id", fakekit.Text(view["external_id"]), 0, 255)
	c.length("view.private_metadata", fakekit.Text(view["private_metadata"]), 0, 3000)
	if typ == "modal" {
		c.text("view.title", view["title"], 24, "plain_text")
		for _, k := range []string{"submit", "close"} {
			if view[k] != nil {
				c.text("view."+k, view[k], 24, "plain_text")
			}
		}
		if list, _ := view["blocks"].([]any); view["submit"] == nil && slices.ContainsFunc(list, func(b any) bool {
			block, _ := b.(fakekit.Object)
			return block["type"] == "input"
		}) {
			c.errorf("view: a modal with input blocks needs submit")
		}
	}
	c.checkBlocks(typ, view["blocks"])
}

// checkContent validates what a message shows: text, blocks and chunks.
func (c *checker) checkContent(params fakekit.Object) {
	if n := utf8.RuneCountInString(fakekit.Text(params["text"])); n > MaxText {
		c.errorf("text: %d characters, longer than %d is cut off", n, MaxText)
	}
	if n := utf8.RuneCountInString(fakekit.Text(params["markdown_text"])); n > MaxMarkdown {
		c.errorf("markdown_text: %d characters, the limit is %d", n, MaxMarkdown)
	}
	if params["markdown_text"] != nil && params["blocks"] != nil && params["ts"] == nil {
		c.errorf("markdown_text and blocks exclude each other")
	}
	if raw := params["blocks"]; raw != nil && raw != "" {
		if blocks, ok := decode(raw); ok {
			c.checkBlocks("message", blocks)
			if fakekit.Text(params["text"]) == "" && params["ts"] == nil {
				c.warnings = append(c.warnings, "blocks without text: notifications show nothing")
			}
		} else {
			c.errorf("blocks: not valid JSON")
		}
	}
	if raw := params["chunks"]; raw != nil && raw != "" {
		c.checkChunks(raw)
	}
}

func (c *checker) checkChunks(raw any) {
	decoded, ok := decode(raw)
	list, isList := decoded.([]any)
	if !ok || !isList {
		c.errorf("chunks: not a JSON array")
		return
	}
	for i, item := range list {
		chunk, _ := item.(fakekit.Object)
		path := fmt.Sprintf("chunks[%d]", i)
		switch chunk["type"] {
		case "markdown_text":
			c.length(path+".text", fakekit.Text(chunk["text"]), 0, MaxMarkdown)
		case "task_update":
			c.length(path+".id", fakekit.Text(chunk["id"]), 1, 255)
			c.length(path+".title", fakekit.Text(chunk["title"]), 1, 256)
			if s := fakekit.Text(chunk["status"]); s != "" && !slices.Contains([]string{"pending", "in_progress", "complete", "error"}, s) {
				c.errorf("%s: unknown status %q", path, s)
			}
		case "plan_update":
			c.length(path+".title", fakekit.Text(chunk["title"]), 1, 256)
		case "blocks":
			c.checkBlocks("message", chunk["blocks"])
		default:
			c.errorf("%s: unknown type %q", path, fakekit.Text(chunk["type"]))
		}
	}
}
