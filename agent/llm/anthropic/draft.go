package anthropic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/leadhand/leadhand/agent/llm"
)

// draft is an answer while its events come in.
type draft struct {
	blocks []*block
	usage  llm.Usage
	finish llm.Finish
	ended  bool // the end mark was seen
}

// block is one content block. Kind is the API's type; the kinds that the adapter does not ask for are left out of the
// answer.
type block struct {
	index     int64
	kind      string
	id, name  string
	text      strings.Builder // text, thinking or arguments
	signature string
	data      string // of redacted thinking
}

// complete tells whether nothing essential is missing: some gateways leave the end mark out.
func (d *draft) complete() bool { return d.ended || d.finish != "" }

// add takes one event in and returns what to pass on, nil if nothing.
func (d *draft) add(e *sdk.MessageStreamEventUnion) *llm.Chunk {
	switch e.Type {
	case "message_start":
		u := &e.Message.Usage
		d.count(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
		d.usage.Output = int(u.OutputTokens)
	case "content_block_start":
		return d.start(e)
	case "content_block_delta":
		return d.delta(e)
	case "message_delta":
		d.end(e)
	case "message_stop":
		d.ended = true
	}
	return nil
}

func (d *draft) start(e *sdk.MessageStreamEventUnion) *llm.Chunk {
	c := &e.ContentBlock
	b := &block{index: e.Index, kind: c.Type, id: c.ID, name: c.Name, signature: c.Signature, data: c.Data}
	d.blocks = append(d.blocks, b)
	switch c.Type {
	case "text":
		return b.write(c.Text)
	case "thinking":
		return b.write(c.Thinking)
	case "tool_use":
		// Some gateways send the whole input here; the API itself sends {} and then the pieces.
		if raw := c.JSON.Input.Raw(); strings.HasPrefix(raw, "{") && strings.Trim(raw, "{} \n\t\r") != "" {
			b.text.WriteString(raw)
		}
	}
	return nil
}

func (d *draft) delta(e *sdk.MessageStreamEventUnion) *llm.Chunk {
	at := slices.IndexFunc(d.blocks, func(b *block) bool { return b.index == e.Index })
	if at < 0 {
		return nil
	}
	b := d.blocks[at]
	switch e.Delta.Type {
	case "text_delta":
		return b.write(e.Delta.Text)
	case "thinking_delta":
		return b.write(e.Delta.Thinking)
	case "signature_delta":
		b.signature += e.Delta.Signature
	case "input_json_delta":
		b.text.WriteString(e.Delta.PartialJSON)
	}
	return nil
}

// write takes in a piece of text or thinking and is what to pass on.
func (b *block) write(s string) *llm.Chunk {
	b.text.WriteString(s)
	switch {
	case s == "":
		return nil
	case b.kind == "thinking":
		return &llm.Chunk{Reasoning: s}
	case b.kind == "text":
		return &llm.Chunk{Text: s}
	}
	return nil
}

func (d *draft) end(e *sdk.MessageStreamEventUnion) {
	u := &e.Usage
	if u.InputTokens+u.CacheReadInputTokens+u.CacheCreationInputTokens > 0 {
		d.count(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
	}
	d.usage.Output = cmp.Or(int(u.OutputTokens), d.usage.Output)
	d.usage.Reasoning = int(u.OutputTokensDetails.ThinkingTokens)
	switch e.Delta.StopReason {
	case "":
		return
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		d.finish = llm.Length
	case sdk.StopReasonRefusal:
		d.finish = llm.Refused
	case sdk.StopReasonToolUse:
		d.finish = llm.Calls
	default:
		d.finish = llm.Stop
	}
}

// count sets the input side. The API counts cached tokens apart from the others.
func (d *draft) count(fresh, read, written int64) {
	d.usage.Input = int(fresh + read + written)
	d.usage.CacheRead = int(read)
	d.usage.CacheWrite = int(written)
}

func (d *draft) parts() []llm.Part {
	var parts []llm.Part
	for _, b := range d.blocks {
		switch b.kind {
		case "text":
			parts = append(parts, llm.Part{Text: b.text.String()})
		case "thinking":
			m := meta{Signature: b.signature}
			parts = append(parts, llm.Part{Reasoning: &llm.Reasoning{Text: b.text.String()}, Meta: m.pack()})
		case "redacted_thinking":
			parts = append(parts, llm.Part{Reasoning: &llm.Reasoning{}, Meta: meta{Redacted: b.data}.pack()})
		case "tool_use":
			parts = append(parts, llm.Part{Call: &llm.Call{ID: b.id, Name: b.name, Args: b.text.String()}})
		}
	}
	return parts
}

// kind is this adapter's key in Part.Meta.
const kind = "anthropic"

// meta is kept with reasoning. The API accepts a thinking block only unchanged, with its signature.
type meta struct {
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"`
}

func (m meta) pack() map[string]json.RawMessage {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return map[string]json.RawMessage{kind: raw}
}
