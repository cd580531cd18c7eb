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
var opaqueBlocks = []string{
	"alert", "call", "card", "carousel", "container", "data_table", "data_visualization", "file", "plan", "rich_text",
	"table", "task_card", "video",
}

func (c *checker) checkBlock(path, surface string, b fakekit.Object) {
	typ, _ := b["type"].(string)
	switch typ {
	case "section":
		c.section(path, b)
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
	case "actions":
		c.actions(path, b["elements"], 25)
	case "context_actions":
		c.actions(path, b["elements"], 5)
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

func (c *checker) section(path string, b fakekit.Object) {
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
}

// actions checks the elements of a block with interactive ones.
func (c *checker) actions(path string, elements any, limit int) {
	ids := map[string]bool{}
	for i, e := range c.list(path+".elements", elements, 1, limit) {
		c.element(fmt.Sprintf("%s.elements[%d]", path, i), e)
		obj, _ := e.(fakekit.Object)
		if id, _ := obj["action_id"].(string); id != "" {
			if ids[id] {
				c.errorf("%s: action_id %q is repeated", path, id)
			}
			ids[id] = true
		}
	}
}
