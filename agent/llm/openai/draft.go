package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"

	"github.com/leadhand/leadhand/agent/llm"
)

// draft is an answer while its chunks come in.
type draft struct {
	provider  string
	text      strings.Builder
	reasoning strings.Builder
	field     string // where the reasoning comes in
	details   []json.RawMessage
	calls     calls
	usage     llm.Usage
	finish    llm.Finish
	refusing  bool
	done      bool // a finish reason or the end mark was seen
}

// add takes one chunk in and returns what to pass on, nil if nothing.
func (d *draft) add(c *sdk.ChatCompletionChunk) *llm.Chunk {
	if c.JSON.Usage.Valid() {
		d.usage = usage(&c.Usage)
	}
	if len(c.Choices) == 0 {
		return nil
	}
	choice := &c.Choices[0]
	text, thoughts := content(&choice.Delta)
	out := &llm.Chunk{Text: text + choice.Delta.Refusal, Reasoning: thoughts + d.think(choice.Delta.JSON.ExtraFields)}
	d.text.WriteString(out.Text)
	d.reasoning.WriteString(out.Reasoning)
	d.refusing = d.refusing || choice.Delta.Refusal != ""
	for i := range choice.Delta.ToolCalls {
		d.calls.add(&choice.Delta.ToolCalls[i])
	}
	if choice.FinishReason != "" {
		d.done = true
		d.finish = finish(choice.FinishReason)
	}
	if d.refusing {
		d.finish = llm.Refused
	}
	if out.Text == "" && out.Reasoning == "" {
		return nil
	}
	return out
}

// content is what a delta says. Mistral sends a list of blocks once its model has thought.
func content(delta *sdk.ChatCompletionChunkChoiceDelta) (text, thoughts string) {
	raw := delta.JSON.Content.Raw()
	if !strings.HasPrefix(raw, "[") {
		return delta.Content, ""
	}
	var blocks []struct {
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	if json.Unmarshal([]byte(raw), &blocks) != nil {
		return "", ""
	}
	for _, b := range blocks {
		text += b.Text
		for _, t := range b.Thinking {
			thoughts += t.Text
		}
	}
	return text, thoughts
}

// think is the reasoning of a delta, in whichever field it came.
func (d *draft) think(fields map[string]respjson.Field) string {
	var list []json.RawMessage
	if json.Unmarshal([]byte(fields[reasoningDetails].Raw()), &list) == nil {
		d.details = appendDetails(d.details, list)
	}
	for _, name := range []string{reasoningContent, reasoningPlain} {
		var s string
		if json.Unmarshal([]byte(fields[name].Raw()), &s) != nil || s == "" {
			continue
		}
		d.field = name
		return s
	}
	return ""
}

func (d *draft) parts() []llm.Part {
	var parts []llm.Part
	if d.reasoning.Len() > 0 || len(d.details) > 0 {
		m := meta{From: d.provider, Field: d.field, Details: d.details}
		parts = append(parts, llm.Part{Reasoning: &llm.Reasoning{Text: d.reasoning.String()}, Meta: m.pack()})
	}
	parts = append(parts, llm.Part{Text: d.text.String()})
	for _, c := range d.calls.list {
		part := llm.Part{Call: &llm.Call{ID: c.id, Name: c.name, Args: c.args}}
		if len(c.extra) > 0 {
			part.Meta = meta{From: d.provider, Extra: c.extra}.pack()
		}
		parts = append(parts, part)
	}
	return parts
}

func finish(reason string) llm.Finish {
	switch reason {
	case "length":
		return llm.Length
	case "content_filter":
		return llm.Refused
	case "tool_calls", "function_call":
		return llm.Calls
	default:
		return llm.Stop
	}
}

func usage(u *sdk.CompletionUsage) llm.Usage {
	out := llm.Usage{
		Input:     int(u.PromptTokens),
		Output:    int(u.CompletionTokens),
		CacheRead: int(u.PromptTokensDetails.CachedTokens),
		Reasoning: int(u.CompletionTokensDetails.ReasoningTokens),
	}
	if out.CacheRead == 0 {
		// DeepSeek's own name for it. Anything but a number stays 0.
		_ = json.Unmarshal([]byte(u.JSON.ExtraFields["prompt_cache_hit_tokens"].Raw()), &out.CacheRead)
	}
	return out
}
