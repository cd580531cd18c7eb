package gemini_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/gemini"
	"github.com/leadhand/leadhand/agent/llm/llmtest/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Exercise(t, conformance.Vendor{
		New: func(e conformance.Endpoint) llm.Provider {
			return gemini.New(gemini.Config{
				Model: "gemini-3-flash", APIKey: e.Key, BaseURL: e.URL, HTTPClient: e.Client, IdleTimeout: e.Idle,
			})
		},
		Key:    func(h http.Header) string { return h.Get("X-Goog-Api-Key") },
		Stream: stream,
		Failure: func(status int, message string) string {
			return event(object{"error": object{"code": status, "message": message, "status": "UNKNOWN"}})
		},
		Read: read,
		TooLong: []string{
			`{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens ` +
				`allowed (1048576).","status":"INVALID_ARGUMENT"}}`,
			`[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed ` +
				`8192.","status":"INVALID_ARGUMENT"}}]`,
		},
		NoCredit: conformance.Response{Status: 400, Body: `{"error":{"code":400,"message":"API key not valid. ` +
			`Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`},
		Strange: []string{
			event(object{"candidates": "x"}), event(object{"candidates": []any{nil}}), event(object{"candidates": []any{7}}),
			event(object{"candidates": []any{object{"content": 7, "finishReason": "STOP"}}}),
			event(object{"candidates": []any{object{"content": object{"parts": "x"}, "finishReason": "STOP"}}}),
			event(object{"candidates": []any{object{"content": object{"parts": []any{nil, 5}}, "finishReason": 5}}}),
			event(object{"candidates": []any{object{"finishReason": "MALFORMED_FUNCTION_CALL"}}}),
			event(object{"usageMetadata": "many"}), event(object{"promptFeedback": []any{}}),
			event(object{"candidates": []any{object{"content": object{"parts": []any{object{"functionCall": "f"}}}}}}),
		},
	})
}

type object = map[string]any

func event(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(b) + "\n\n"
}

func parts(ps ...object) string {
	return event(object{"candidates": []any{object{"content": object{"role": "model", "parts": ps}, "index": 0}}})
}

var finishes = map[llm.Finish]string{
	llm.Stop: "STOP", llm.Calls: "STOP", llm.Length: "MAX_TOKENS", llm.Refused: "SAFETY",
}

func stream(a *conformance.Answer) string {
	s := ""
	if a.Reasoning != "" {
		s += parts(object{"text": a.Reasoning[:3], "thought": true}) + parts(object{"text": a.Reasoning[3:], "thought": true})
	}
	for _, t := range a.Texts {
		s += parts(object{"text": t})
	}
	var calls []object
	for i, c := range a.Calls {
		call := object{"name": c.Name}
		if c.Args != "" {
			call["args"] = json.RawMessage(c.Args)
		}
		part := object{"functionCall": call}
		if i == 0 {
			part["thoughtSignature"] = a.Signature
			if a.Signature == "" {
				part["thoughtSignature"] = "Zmlyc3Q="
			}
		}
		calls = append(calls, part)
	}
	if len(calls) > 0 {
		s += parts(calls...)
	}
	last := object{"candidates": []any{object{"finishReason": finishes[a.Finish], "index": 0}}}
	if u := a.Usage; u != (llm.Usage{}) {
		last["usageMetadata"] = object{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output - u.Reasoning,
			"thoughtsTokenCount": u.Reasoning, "cachedContentTokenCount": u.CacheRead}
	}
	return s + event(last)
}

type wirePart struct {
	Text             *string `json:"text"`
	Thought          bool    `json:"thought"`
	ThoughtSignature string  `json:"thoughtSignature"`
	InlineData       *struct {
		MIMEType string `json:"mimeType"`
		Data     string `json:"data"`
	} `json:"inlineData"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string            `json:"id"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	} `json:"functionResponse"`
}

type wireContent struct {
	Role  string     `json:"role"`
	Parts []wirePart `json:"parts"`
}

type wire struct {
	SystemInstruction wireContent   `json:"systemInstruction"`
	Contents          []wireContent `json:"contents"`
	GenerationConfig  struct {
		MaxOutputTokens int `json:"maxOutputTokens"`
	} `json:"generationConfig"`
	Tools []struct {
		FunctionDeclarations []struct {
			Name                 string `json:"name"`
			ParametersJSONSchema object `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	ToolConfig struct {
		FunctionCallingConfig struct{ Mode string } `json:"functionCallingConfig"`
	} `json:"toolConfig"`
}

func read(body []byte) (*conformance.Request, error) {
	var w wire
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	r := &conformance.Request{
		NoTools: w.ToolConfig.FunctionCallingConfig.Mode == "NONE", MaxTokens: w.GenerationConfig.MaxOutputTokens,
	}
	for _, p := range w.SystemInstruction.Parts {
		r.System += *p.Text
	}
	for _, t := range w.Tools {
		for _, f := range t.FunctionDeclarations {
			if f.ParametersJSONSchema["type"] != "object" {
				return nil, fmt.Errorf("tool %+v", f)
			}
			r.Tools = append(r.Tools, f.Name)
		}
	}
	if n := len(w.Contents); n == 0 || w.Contents[0].Role != "user" || w.Contents[n-1].Role != "user" {
		return nil, errors.New("the conversation does not begin and end with the user")
	}
	calls := 0
	for i, c := range w.Contents {
		out, err := readContent(&c)
		if err != nil {
			return nil, fmt.Errorf("content %d: %w", i, err)
		}
		if len(out.Results) != calls {
			return nil, fmt.Errorf("content %d has %d results for %d calls", i, len(out.Results), calls)
		}
		calls = len(out.Calls)
		r.Messages = append(r.Messages, *out)
	}
	return r, nil
}

func readContent(c *wireContent) (*conformance.Message, error) {
	out := &conformance.Message{Role: llm.User}
	if c.Role == "model" {
		out.Role = llm.Assistant
	}
	if len(c.Parts) == 0 {
		return nil, errors.New("no parts")
	}
	for i, p := range c.Parts {
		if p.ThoughtSignature != "" {
			out.Kept = append(out.Kept, p.ThoughtSignature)
		}
		switch {
		case p.FunctionCall != nil:
			if len(out.Calls) == 0 && p.ThoughtSignature == "" {
				return nil, errors.New("Function call is missing a thought_signature")
			}
			args := string(p.FunctionCall.Args)
			if args == "" {
				args = "{}"
			}
			out.Calls = append(out.Calls, llm.Call{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Args: args})
		case p.FunctionResponse != nil:
			var text strings.Builder
			for _, v := range p.FunctionResponse.Response {
				text.WriteString(v)
			}
			_, failed := p.FunctionResponse.Response["error"]
			out.Results = append(out.Results, llm.Result{
				CallID: p.FunctionResponse.ID, Name: p.FunctionResponse.Name, Text: text.String(), IsError: failed,
			})
		case p.InlineData != nil:
			out.Images = append(out.Images, p.InlineData.Data)
		case p.Text == nil || strings.TrimSpace(*p.Text) == "":
			return nil, fmt.Errorf("part %d has no data", i)
		case p.Thought:
			out.Kept = append(out.Kept, *p.Text)
		default:
			out.Texts = append(out.Texts, *p.Text)
		}
	}
	return out, nil
}
