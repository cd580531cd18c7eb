package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/anthropic"
	"github.com/leadhand/leadhand/agent/llm/llmtest/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Exercise(t, conformance.Vendor{
		New: func(e conformance.Endpoint) llm.Provider {
			return anthropic.New(anthropic.Config{
				Model: "m", APIKey: e.Key, BaseURL: e.URL, HTTPClient: e.Client, IdleTimeout: e.Idle,
			})
		},
		Key: func(h http.Header) string {
			return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
		},
		Stream: stream,
		Failure: func(status int, message string) string {
			kind := map[int]string{429: "rate_limit_error", 500: "api_error", 401: "authentication_error"}[status]
			return event("error", object{"type": "error", "error": object{"type": kind, "message": message}})
		},
		Read: read,
		TooLong: []string{
			`{"type":"error","error":{"type":"invalid_request_error",` +
				`"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
			`{"type":"error","error":{"type":"invalid_request_error",` +
				`"message":"input length and max_tokens exceed context limit: 190000 + 20000 > 200000"}}`,
		},
		NoCredit: conformance.Response{Status: 400, Body: `{"type":"error","error":{"type":"invalid_request_error",` +
			`"message":"Your credit balance is too low to access the Anthropic API."}}`},
		Strange: []string{
			event("message_start", object{"type": "message_start", "message": 7}),
			event("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": []any{}}),
			event("content_block_delta", object{"type": "content_block_delta", "index": 9,
				"delta": object{"type": "text_delta", "text": "x"}}) + event("message_stop", object{"type": "message_stop"}),
			event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": 5}, "usage": "x"}),
			event("surprise", object{"type": "surprise"}),
		},
	})
}

type object = map[string]any

func event(name string, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "event: " + name + "\ndata: " + string(b) + "\n\n"
}

// block is one content block: its start, its deltas and its end.
func block(index int, start object, deltas ...object) string {
	s := event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start})
	for _, d := range deltas {
		s += event("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d})
	}
	return s + event("content_block_stop", object{"type": "content_block_stop", "index": index})
}

var finishes = map[llm.Finish]string{
	llm.Stop: "end_turn", llm.Calls: "tool_use", llm.Length: "max_tokens", llm.Refused: "refusal",
}

func stream(a *conformance.Answer) string {
	usage := object{"input_tokens": a.Usage.Input - a.Usage.CacheRead - a.Usage.CacheWrite, "output_tokens": 0,
		"cache_read_input_tokens": a.Usage.CacheRead, "cache_creation_input_tokens": a.Usage.CacheWrite}
	s := event("message_start", object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "usage": usage}})
	s += event("ping", object{"type": "ping"})
	n := 0
	if a.Reasoning != "" {
		s += block(n, object{"type": "thinking", "thinking": "", "signature": ""},
			object{"type": "thinking_delta", "thinking": a.Reasoning[:3]},
			object{"type": "thinking_delta", "thinking": a.Reasoning[3:]},
			object{"type": "signature_delta", "signature": a.Signature})
		n++
	}
	if len(a.Texts) > 0 {
		var deltas []object
		for _, t := range a.Texts {
			deltas = append(deltas, object{"type": "text_delta", "text": t})
		}
		s += block(n, object{"type": "text", "text": ""}, deltas...)
		n++
	}
	for _, c := range a.Calls {
		cut := len(c.Args) / 2
		s += block(n, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": c.Args[:cut]},
			object{"type": "input_json_delta", "partial_json": c.Args[cut:]})
		n++
	}
	s += event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": finishes[a.Finish]},
		"usage": object{"output_tokens": a.Usage.Output}})
	return s + event("message_stop", object{"type": "message_stop"})
}

type wireBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
	wireThinking
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      []wireBlock     `json:"content"`
	IsError      bool            `json:"is_error"`
	CacheControl any             `json:"cache_control"`
	Source       wireSource      `json:"source"`
}

type wireThinking struct {
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Data      string `json:"data"` // of a redacted one
}

type wireSource struct {
	Data      string `json:"data"`
	MediaType string `json:"media_type"`
}

type wire struct {
	Model      string                `json:"model"`
	MaxTokens  int                   `json:"max_tokens"`
	Stream     bool                  `json:"stream"`
	System     []wireBlock           `json:"system"`
	ToolChoice struct{ Type string } `json:"tool_choice"`
	Tools      []struct {
		Name         string `json:"name"`
		InputSchema  object `json:"input_schema"`
		CacheControl any    `json:"cache_control"`
	} `json:"tools"`
	Messages []struct {
		Role    string      `json:"role"`
		Content []wireBlock `json:"content"`
	} `json:"messages"`
}

func read(body []byte) (*conformance.Request, error) {
	var w wire
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	if w.Model != "m" || w.MaxTokens <= 0 || !w.Stream || len(w.Messages) == 0 {
		return nil, errors.New("no model, limit, stream or messages")
	}
	if strings.Count(string(body), `"cache_control"`) > 4 {
		return nil, errors.New("more than four cache marks")
	}
	r := &conformance.Request{NoTools: w.ToolChoice.Type == "none", MaxTokens: w.MaxTokens}
	for _, b := range w.System {
		r.System += b.Text
	}
	for _, t := range w.Tools {
		if t.InputSchema["type"] != "object" {
			return nil, fmt.Errorf("tool %+v", t)
		}
		r.Tools = append(r.Tools, t.Name)
	}
	seen, open := map[string]bool{}, map[string]bool{}
	for i, m := range w.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return nil, fmt.Errorf("message %d is from %s", i, m.Role)
		}
		out, err := readMessage(m.Role, m.Content, seen, open)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		r.Messages = append(r.Messages, *out)
	}
	if len(w.Messages)%2 == 0 {
		return nil, errors.New("the last message is the assistant's")
	}
	return r, nil
}

var idPattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func readMessage(role string, blocks []wireBlock, seen, open map[string]bool) (*conformance.Message, error) {
	out := &conformance.Message{Role: llm.Role(role)}
	if len(blocks) == 0 {
		return nil, errors.New("no content")
	}
	for i, b := range blocks {
		if b.Type != "tool_result" && role == "user" && len(open) > 0 {
			return nil, fmt.Errorf("block %d comes before the results of %v", i, open)
		}
		switch b.Type {
		case "text":
			if strings.TrimSpace(b.Text) == "" {
				return nil, errors.New("an empty text")
			}
			out.Texts = append(out.Texts, b.Text)
		case "image":
			out.Images = append(out.Images, b.Source.Data)
		case "thinking":
			if b.Signature == "" || b.CacheControl != nil {
				return nil, errors.New("thinking without a signature or with a cache mark")
			}
			out.Kept = append(out.Kept, b.Thinking, b.Signature)
		case "redacted_thinking":
			out.Kept = append(out.Kept, b.Data)
		case "tool_use":
			if !idPattern.MatchString(b.ID) || seen[b.ID] || !strings.HasPrefix(string(b.Input), "{") {
				return nil, fmt.Errorf("call %+v", b)
			}
			seen[b.ID], open[b.ID] = true, true
			out.Calls = append(out.Calls, llm.Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		case "tool_result":
			if !open[b.ToolUseID] || len(b.Content) == 0 || b.Content[0].Text == "" {
				return nil, fmt.Errorf("result %+v", b)
			}
			delete(open, b.ToolUseID)
			out.Results = append(out.Results, llm.Result{CallID: b.ToolUseID, Text: b.Content[0].Text, IsError: b.IsError})
			for _, c := range b.Content[1:] {
				out.Images = append(out.Images, c.Source.Data)
			}
		default:
			return nil, fmt.Errorf("block %d is a %q", i, b.Type)
		}
	}
	if role == "user" && len(open) > 0 {
		return nil, fmt.Errorf("calls %v have no result", open)
	}
	return out, nil
}

func TestGatewaysGetTheKeyInBothHeaders(t *testing.T) {
	t.Parallel()
	got := make(chan http.Header, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(s.Close)
	p := anthropic.New(anthropic.Config{Model: "m", APIKey: "sk-1", BaseURL: s.URL})
	if _, err := llm.Collect(t.Context(), p, &llm.Request{Messages: []llm.Message{llm.UserText("hi")}}, nil); err == nil {
		t.Error("no error")
	}
	h := <-got
	if h.Get("Authorization") != "Bearer sk-1" || h.Get("X-Api-Key") != "sk-1" {
		t.Errorf("headers %v", h)
	}
}
