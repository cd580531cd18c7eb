package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/leadhand/leadhand/agent/llm"
)

// maxCallID is OpenAI's limit for the id of a tool call.
const maxCallID = 40

func (p *provider) params(req *llm.Request) sdk.ChatCompletionNewParams {
	body := sdk.ChatCompletionNewParams{
		Model:         p.Model,
		Messages:      p.messages(req),
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	for _, t := range req.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name, Parameters: parameters(t.Input)}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		body.Tools = append(body.Tools, sdk.ChatCompletionFunctionTool(f))
	}
	if req.NoTools && len(req.Tools) > 0 {
		body.ToolChoice = sdk.ChatCompletionToolChoiceOptionUnionParam{OfAuto: param.NewOpt("none")}
	}
	if req.MaxTokens > 0 {
		// OpenAI's own newer models refuse max_tokens; most other servers know nothing else.
		if limit := param.NewOpt(int64(req.MaxTokens)); p.BaseURL == officialURL {
			body.MaxCompletionTokens = limit
		} else {
			body.MaxTokens = limit
		}
	}
	return body
}

// parameters is a tool's schema. One that is no JSON object is sent as a function without parameters.
func parameters(schema json.RawMessage) shared.FunctionParameters {
	var m shared.FunctionParameters
	if json.Unmarshal(schema, &m) != nil || m == nil {
		m = shared.FunctionParameters{"type": "object", "properties": map[string]any{}}
	}
	return m
}

func (p *provider) messages(req *llm.Request) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	if strings.TrimSpace(req.System) != "" {
		out = append(out, sdk.SystemMessage(req.System))
	}
	ids := llm.NewCallIDs(maxCallID, nil)
	for _, m := range llm.Tidy(req.Messages) {
		switch m.Role {
		case llm.Assistant:
			if a := p.assistant(&m, ids); a != nil {
				out = append(out, sdk.ChatCompletionMessageParamUnion{OfAssistant: a})
			}
		case llm.ToolRole:
			out = append(out, results(&m, ids)...)
		default:
			out = append(out, user(m.Parts))
		}
	}
	return out
}

// user sends words as a plain string, which every server takes, and as parts only together with pictures.
func user(parts []llm.Part) sdk.ChatCompletionMessageParamUnion {
	var texts []string
	var content []sdk.ChatCompletionContentPartUnionParam
	images := false
	for _, p := range parts {
		switch {
		case p.Image != nil:
			images = true
			url := "data:" + p.Image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Image.Data)
			content = append(content, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: url}))
		case p.Text != "":
			texts = append(texts, p.Text)
			content = append(content, sdk.TextContentPart(p.Text))
		}
	}
	if images {
		return sdk.UserMessage(content)
	}
	return sdk.UserMessage(strings.Join(texts, "\n\n"))
}

// results are one message per result. The API takes only words there, so pictures follow in a user message.
func results(m *llm.Message, ids *llm.CallIDs) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	var images []llm.Part
	for _, p := range m.Parts {
		if p.Image != nil {
			images = append(images, p)
		}
		if p.Result == nil {
			continue
		}
		text := p.Result.Text
		if text == "" {
			text = "(no output)"
		}
		if p.Result.IsError {
			text = "Error: " + text
		}
		out = append(out, sdk.ToolMessage(text, ids.Result(p.Result.CallID)))
	}
	if len(images) > 0 {
		out = append(out, user(images))
	}
	return out
}

// assistant is nil if nothing is left to say, because the message held only another provider's reasoning.
func (p *provider) assistant(m *llm.Message, ids *llm.CallIDs) *sdk.ChatCompletionAssistantMessageParam {
	var texts []string
	a := &sdk.ChatCompletionAssistantMessageParam{}
	for _, part := range m.Parts {
		switch {
		case part.Text != "":
			texts = append(texts, part.Text)
		case part.Call != nil:
			a.ToolCalls = append(a.ToolCalls, p.call(&part, ids))
		}
	}
	if len(texts) == 0 && len(a.ToolCalls) == 0 {
		return nil
	}
	if len(texts) > 0 {
		a.Content.OfString = param.NewOpt(strings.Join(texts, "\n\n"))
	}
	if len(a.ToolCalls) > 0 {
		if extra := p.reasoning(m.Parts); len(extra) > 0 {
			a.SetExtraFields(extra)
		}
	}
	return a
}

func (p *provider) call(part *llm.Part, ids *llm.CallIDs) sdk.ChatCompletionMessageToolCallUnionParam {
	c := &sdk.ChatCompletionMessageFunctionToolCallParam{
		ID: ids.Call(part.Call.ID),
		Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
			Name: part.Call.Name, Arguments: string(part.Call.ArgsObject()),
		},
	}
	if k := kept(part, p.Name()); len(k.Extra) > 0 {
		c.SetExtraFields(map[string]any{extraContent: k.Extra})
	}
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: c}
}
