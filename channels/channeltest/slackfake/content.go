package slackfake

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

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
			switch status := fakekit.Text(chunk["status"]); status {
			case "", "pending", "in_progress", "complete", "error":
			default:
				c.errorf("%s: unknown status %q", path, status)
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
