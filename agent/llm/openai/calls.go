package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
)

// calls puts tool calls together from their deltas. OpenAI sends index, id and name first and then pieces of the
// arguments under the same index; other servers leave out the id or the index, number every call 0, repeat the id and
// name in each piece, or send a call whole.
type calls struct{ list []*call }

type call struct {
	index    int64
	numbered bool
	id       string
	name     string
	args     string
	extra    json.RawMessage
}

func (cs *calls) add(delta *sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	c := cs.find(delta)
	if c == nil {
		c = &call{index: delta.Index, numbered: delta.JSON.Index.Valid()}
		cs.list = append(cs.list, c)
	}
	if c.id == "" {
		c.id = delta.ID
	}
	if c.name == "" {
		c.name = delta.Function.Name
	}
	c.args += arguments(delta)
	if extra := delta.JSON.ExtraFields[extraContent].Raw(); extra != "" && extra != "null" {
		c.extra = json.RawMessage(extra)
	}
}

// find is the call that delta continues, nil if it begins one.
func (cs *calls) find(delta *sdk.ChatCompletionChunkChoiceDeltaToolCall) *call {
	for i := len(cs.list) - 1; i >= 0; i-- {
		c := cs.list[i]
		numbered := delta.JSON.Index.Valid() && c.numbered
		switch {
		case numbered && c.index != delta.Index:
		case delta.ID != "" && c.id != "":
			if delta.ID == c.id {
				return c
			}
		case delta.Function.Name != "" && (!numbered || c.complete()):
			return nil
		default:
			return c
		}
	}
	return nil
}

// complete tells whether c has all its arguments, so that another name begins another call.
func (c *call) complete() bool { return json.Valid([]byte(c.args)) }

// arguments are a piece of JSON text; some servers send the object itself.
func arguments(delta *sdk.ChatCompletionChunkChoiceDeltaToolCall) string {
	if raw := delta.Function.JSON.Arguments.Raw(); strings.HasPrefix(raw, "{") {
		return raw
	}
	return delta.Function.Arguments
}
