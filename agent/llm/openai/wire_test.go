package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest/conformance"
	"github.com/leadhand/leadhand/agent/llm/openai"
)

func TestConformance(t *testing.T) {
	conformance.Exercise(t, conformance.Vendor{
		New: func(e conformance.Endpoint) llm.Provider {
			return openai.New(openai.Config{
				Model: "m", APIKey: e.Key, BaseURL: e.URL + "/v1", HTTPClient: e.Client, IdleTimeout: e.Idle,
			})
		},
		Key:    func(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") },
		Stream: stream,
		Failure: func(status int, message string) string {
			return event(map[string]any{"error": map[string]any{"code": status, "message": message}})
		},
		Read: read,
		TooLong: []string{
			`{"error":{"message":"too many","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			`{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`,
			`{"error":{"code":400,"message":"the request exceeds the available context size",` +
				`"type":"exceed_context_size_error"}}`,
			`{"error":{"message":"Provider returned error","code":400,` +
				`"metadata":{"raw":"{\"message\":\"Prompt is too long\"}"}}}`,
		},
		NoCredit: conformance.Response{Status: 429, Body: `{"error":{"message":"You exceeded your current quota",` +
			`"type":"insufficient_quota","code":"insufficient_quota"}}`},
		Strange: []string{
			"data: {\"choices\":\"x\"}\n\ndata: [DONE]\n\n", "data: {\"choices\":[null]}\n\ndata: [DONE]\n\n",
			"data: {\"choices\":[{\"delta\":7}]}\n\ndata: [DONE]\n\n",
			"data: {\"choices\":[{\"delta\":{\"content\":[1]}}]}\n\ndata: [DONE]\n\n",
			"data: {\"choices\":[{\"delta\":{\"tool_calls\":{\"a\":1}}}]}\n\ndata: [DONE]\n\n",
			"data: {\"choices\":[{\"delta\":{\"reasoning\":{\"a\":1},\"reasoning_details\":7}}]}\n\ndata: [DONE]\n\n",
			"data: {\"choices\":[],\"usage\":\"many\"}\n\ndata: [DONE]\n\n",
		},
		KeepsReasoning: true,
	})
}

func event(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(b) + "\n\n"
}

type object = map[string]any

func chunk(delta object, finish any) string {
	return event(object{"id": "c", "object": "chat.completion.chunk", "model": "m",
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
}

var finishes = map[llm.Finish]string{
	llm.Stop: "stop", llm.Calls: "tool_calls", llm.Length: "length", llm.Refused: "content_filter",
}

func stream(a *conformance.Answer) string {
	var b strings.Builder
	b.WriteString(chunk(object{"role": "assistant", "content": nil}, nil))
	if a.Reasoning != "" {
		head, tail := a.Reasoning[:3], a.Reasoning[3:]
		b.WriteString(chunk(object{"reasoning_content": head}, nil) + chunk(object{"reasoning_content": tail}, nil))
	}
	for _, s := range a.Texts {
		b.WriteString(chunk(object{"content": s}, nil))
	}
	for i, c := range a.Calls {
		cut := len(c.Args) / 2
		b.WriteString(chunk(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil))
		for _, piece := range []string{c.Args[:cut], c.Args[cut:]} {
			b.WriteString(chunk(object{"tool_calls": []any{object{"index": i,
				"function": object{"arguments": piece}}}}, nil))
		}
	}
	b.WriteString(chunk(object{}, finishes[a.Finish]))
	if u := a.Usage; u != (llm.Usage{}) {
		b.WriteString(event(object{"choices": []any{}, "usage": object{
			"prompt_tokens": u.Input, "completion_tokens": u.Output,
			"prompt_tokens_details":     object{"cached_tokens": u.CacheRead},
			"completion_tokens_details": object{"reasoning_tokens": u.Reasoning},
		}}))
	}
	return b.String() + "data: [DONE]\n\n"
}

type wire struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages            []wireMessage `json:"messages"`
	MaxTokens           int           `json:"max_tokens"`
	MaxCompletionTokens int           `json:"max_completion_tokens"`
	ToolChoice          any           `json:"tool_choice"`
	Tools               []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string         `json:"name"`
			Parameters map[string]any `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type wireMessage struct {
	Role             string            `json:"role"`
	Content          any               `json:"content"`
	ToolCallID       string            `json:"tool_call_id"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
		ExtraContent json.RawMessage `json:"extra_content"`
	} `json:"tool_calls"`
}

func read(body []byte) (*conformance.Request, error) {
	var w wire
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	if w.Model != "m" || !w.Stream {
		return nil, errors.New("no model or no stream")
	}
	r := &conformance.Request{NoTools: w.ToolChoice == "none", MaxTokens: w.MaxTokens}
	for _, t := range w.Tools {
		if t.Type != "function" || t.Function.Parameters["type"] != "object" {
			return nil, fmt.Errorf("tool %+v", t)
		}
		r.Tools = append(r.Tools, t.Function.Name)
	}
	open := map[string]bool{}
	for i, m := range w.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return nil, fmt.Errorf("message %d: calls %v have no result", i, open)
		}
		if m.Role == "system" {
			r.System, _ = m.Content.(string)
			continue
		}
		out, err := m.read(open)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if last := len(r.Messages) - 1; last >= 0 && m.Role == "tool" && r.Messages[last].Role == llm.ToolRole {
			r.Messages[last].Results = append(r.Messages[last].Results, out.Results...)
			continue
		}
		r.Messages = append(r.Messages, *out)
	}
	return r, nil
}

func (m *wireMessage) read(open map[string]bool) (*conformance.Message, error) {
	out := &conformance.Message{Role: llm.Role(m.Role)}
	switch content := m.Content.(type) {
	case string:
		if content != "" && m.Role != "tool" {
			out.Texts = []string{content}
		}
	case []any:
		for _, p := range content {
			part, _ := p.(object)
			if url, ok := part["image_url"].(object); ok {
				_, data, _ := strings.Cut(url["url"].(string), ";base64,")
				out.Images = append(out.Images, data)
				continue
			}
			out.Texts = append(out.Texts, part["text"].(string))
		}
	}
	for _, c := range m.ToolCalls {
		if len(c.ID) > 40 || c.ID == "" || open[c.ID] || !json.Valid([]byte(c.Function.Arguments)) {
			return nil, fmt.Errorf("call %+v", c)
		}
		open[c.ID] = true
		out.Calls = append(out.Calls, llm.Call{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
		if len(c.ExtraContent) > 0 {
			out.Kept = append(out.Kept, string(c.ExtraContent))
		}
	}
	if m.Role == "tool" {
		if !open[m.ToolCallID] {
			return nil, fmt.Errorf("result for %q", m.ToolCallID)
		}
		delete(open, m.ToolCallID)
		text, _ := m.Content.(string)
		out.Results = []llm.Result{{CallID: m.ToolCallID, Text: text}}
	} else if len(out.Texts)+len(out.Images)+len(out.Calls) == 0 {
		return nil, errors.New("no content")
	}
	for _, s := range []string{m.ReasoningContent, m.Reasoning} {
		if s != "" {
			out.Kept = append(out.Kept, s)
		}
	}
	for _, d := range m.ReasoningDetails {
		out.Kept = append(out.Kept, string(d))
	}
	return out, nil
}
