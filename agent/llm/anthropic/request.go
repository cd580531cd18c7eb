package anthropic

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/leadhand/leadhand/agent/llm"
)

// defaultMaxTokens is the answer's limit when the request names none; the API demands one.
const defaultMaxTokens = 8192

// maxCallID is the API's limit for the id of a tool call.
const maxCallID = 64

// Words put where the API demands a user's message and the history has none.
const (
	opening = "(The conversation began earlier.)"
	going   = "(Please go on.)"
)

func (p *provider) params(req *llm.Request) sdk.MessageNewParams {
	body := sdk.MessageNewParams{
		Model:     p.Model,
		MaxTokens: int64(cmp.Or(req.MaxTokens, defaultMaxTokens)),
		Messages:  messages(req.Messages),
		Tools:     tools(req.Tools),
	}
	if strings.TrimSpace(req.System) != "" {
		body.System = []sdk.TextBlockParam{{Text: req.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if req.NoTools && len(req.Tools) > 0 {
		body.ToolChoice = sdk.ToolChoiceUnionParam{OfNone: &sdk.ToolChoiceNoneParam{}}
	}
	return body
}

// tools end with a cache mark: together with the one on the system prompt and the one on the last message the request
// has three of the four that the API allows.
func tools(ts []llm.Tool) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for i, t := range ts {
		tool := &sdk.ToolParam{Name: t.Name, InputSchema: schema(t.Input)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		if i == len(ts)-1 {
			tool.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		out = append(out, sdk.ToolUnionParam{OfTool: tool})
	}
	return out
}

// schema passes a tool's schema on as it is. One that is no JSON object is sent as a function without parameters.
func schema(raw json.RawMessage) sdk.ToolInputSchemaParam {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return sdk.ToolInputSchemaParam{Properties: map[string]any{}}
	}
	return param.Override[sdk.ToolInputSchemaParam](raw)
}

// turn is what one side says until the other speaks.
type turn struct {
	assistant bool
	blocks    []sdk.ContentBlockParamUnion
}

// turns alternate between user and assistant, begin and end with the user, and have tool results first, because the API
// wants them directly after their calls.
func turns(history []llm.Message) []turn {
	var out []turn
	ids := llm.NewCallIDs(maxCallID, plain)
	for _, m := range llm.Tidy(history) {
		t := turn{assistant: m.Role == llm.Assistant}
		if t.assistant {
			t.blocks = assistant(m.Parts, ids)
		} else {
			t.blocks = user(m.Parts, ids)
		}
		if len(t.blocks) == 0 {
			continue
		}
		if len(out) == 0 && t.assistant {
			out = append(out, turn{blocks: []sdk.ContentBlockParamUnion{sdk.NewTextBlock(opening)}})
		}
		if last := len(out) - 1; last >= 0 && out[last].assistant == t.assistant {
			out[last].blocks = append(out[last].blocks, t.blocks...)
			continue
		}
		out = append(out, t)
	}
	if len(out) == 0 || out[len(out)-1].assistant {
		out = append(out, turn{blocks: []sdk.ContentBlockParamUnion{sdk.NewTextBlock(going)}})
	}
	for _, t := range out {
		slices.SortStableFunc(t.blocks, func(a, b sdk.ContentBlockParamUnion) int { return late(a) - late(b) })
	}
	return out
}

// messages are the turns with a cache mark on the end, so that the API can cache the conversation so far. The last turn
// is the user's, whose blocks can all carry the mark.
func messages(history []llm.Message) []sdk.MessageParam {
	ts := turns(history)
	last := ts[len(ts)-1].blocks
	if mark := last[len(last)-1].GetCacheControl(); mark != nil {
		*mark = sdk.NewCacheControlEphemeralParam()
	}
	var out []sdk.MessageParam
	for _, t := range ts {
		if t.assistant {
			out = append(out, sdk.NewAssistantMessage(t.blocks...))
		} else {
			out = append(out, sdk.NewUserMessage(t.blocks...))
		}
	}
	return out
}

func late(b sdk.ContentBlockParamUnion) int {
	if b.OfToolResult != nil {
		return 0
	}
	return 1
}

func plain(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// user are the blocks of a user or tool message. A picture after a result belongs to that result.
func user(parts []llm.Part, ids *llm.CallIDs) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	var result *sdk.ToolResultBlockParam
	for _, p := range parts {
		switch {
		case p.Result != nil:
			result = toolResult(p.Result, ids)
			out = append(out, sdk.ContentBlockParamUnion{OfToolResult: result})
		case p.Image != nil:
			block := sdk.NewImageBlockBase64(p.Image.MediaType, base64.StdEncoding.EncodeToString(p.Image.Data))
			if result == nil {
				out = append(out, block)
				continue
			}
			result.Content = append(result.Content, sdk.ToolResultBlockParamContentUnion{OfImage: block.OfImage})
		case p.Text != "":
			result = nil
			out = append(out, sdk.NewTextBlock(p.Text))
		}
	}
	return out
}

func toolResult(r *llm.Result, ids *llm.CallIDs) *sdk.ToolResultBlockParam {
	text := r.Text
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	b := &sdk.ToolResultBlockParam{
		ToolUseID: ids.Result(r.CallID),
		Content:   []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: text}}},
	}
	if r.IsError {
		b.IsError = param.NewOpt(true)
	}
	return b
}

// assistant are the blocks of an answer. Reasoning of another provider has no signature and is left out.
func assistant(parts []llm.Part, ids *llm.CallIDs) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, p := range parts {
		switch {
		case p.Reasoning != nil:
			var m meta
			if json.Unmarshal(p.Meta[kind], &m) != nil {
				continue
			}
			if m.Redacted != "" {
				out = append(out, sdk.NewRedactedThinkingBlock(m.Redacted))
			} else if m.Signature != "" {
				out = append(out, sdk.NewThinkingBlock(m.Signature, p.Reasoning.Text))
			}
		case p.Text != "":
			out = append(out, sdk.NewTextBlock(p.Text))
		case p.Call != nil:
			out = append(out, sdk.NewToolUseBlock(ids.Call(p.Call.ID), p.Call.ArgsObject(), p.Call.Name))
		}
	}
	return out
}
