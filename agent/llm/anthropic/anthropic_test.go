package anthropic_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/anthropic"
	"github.com/leadhand/leadhand/agent/llm/llmtest/conformance"
)

// serve answers every request with body and returns the latest request.
func serve(t *testing.T, body string) (llm.Provider, *wire) {
	t.Helper()
	got := &wire{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*got = wire{}
		if err := json.NewDecoder(r.Body).Decode(got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return anthropic.New(anthropic.Config{Model: "m", APIKey: "k", BaseURL: s.URL + "/v1", HTTPClient: s.Client()}), got
}

func collect(t *testing.T, p llm.Provider, req *llm.Request) *llm.Answer {
	t.Helper()
	a, err := llm.Collect(t.Context(), p, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var ok = stream(&conformance.Answer{Texts: []string{"ok"}, Finish: llm.Stop})

func TestCacheMarks(t *testing.T) {
	t.Parallel()
	p, got := serve(t, ok)
	schema := json.RawMessage(`{"type":"object"}`)
	collect(t, p, &llm.Request{
		System: "s", Tools: []llm.Tool{{Name: "a", Input: schema}, {Name: "b", Input: schema}},
		Messages: []llm.Message{
			llm.UserText("one"), {Role: llm.Assistant, Parts: []llm.Part{{Call: &llm.Call{ID: "x", Name: "a", Args: "{}"}}}},
			{Role: llm.ToolRole, Parts: []llm.Part{{Result: &llm.Result{CallID: "x", Name: "a", Text: "r"}}}},
		},
	})
	last := got.Messages[2].Content
	marks := []bool{
		got.System[0].CacheControl != nil, got.Tools[0].CacheControl != nil, got.Tools[1].CacheControl != nil,
		got.Messages[0].Content[0].CacheControl != nil, last[len(last)-1].CacheControl != nil,
	}
	if d := cmp.Diff([]bool{true, false, true, false, true}, marks); d != "" {
		t.Errorf("marks on system, first tool, last tool, first and last message:\n%s", d)
	}
	if got.MaxTokens != 8192 {
		t.Errorf("limit %d", got.MaxTokens)
	}
}

func TestUsageIncludesTheCache(t *testing.T) {
	t.Parallel()
	want := llm.Usage{Input: 160, Output: 7, CacheRead: 100, CacheWrite: 50}
	p, _ := serve(t, stream(&conformance.Answer{Texts: []string{"ok"}, Finish: llm.Stop, Usage: want}))
	a := collect(t, p, &llm.Request{Messages: []llm.Message{llm.UserText("q")}})
	if d := cmp.Diff(want, a.Usage); d != "" {
		t.Error(d)
	}
}

func TestThinkingBlocksComeBackUnchanged(t *testing.T) {
	t.Parallel()
	body := event("message_start", object{"type": "message_start", "message": object{"role": "assistant"}}) +
		block(0, object{"type": "thinking", "thinking": "", "signature": ""},
			object{"type": "thinking_delta", "thinking": "I see."}, object{"type": "signature_delta", "signature": "S=="}) +
		block(1, object{"type": "redacted_thinking", "data": "R=="}) +
		block(2, object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "Let me look."}) +
		block(3, object{"type": "server_tool_use", "id": "srv", "name": "web_search", "input": object{}}) +
		block(4, object{"type": "tool_use", "id": "x", "name": "a", "input": object{"q": "whole"}}) +
		event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": "tool_use"}})
	p, got := serve(t, body)
	req := &llm.Request{Messages: []llm.Message{llm.UserText("q")}}
	a := collect(t, p, req)
	if a.Message.Text() != "Let me look." || a.Message.Calls()[0].Args != `{"q":"whole"}` {
		t.Fatalf("answer %+v", a.Message)
	}
	req.Messages = append(req.Messages, a.Message, llm.Message{Role: llm.ToolRole, Parts: []llm.Part{
		{Result: &llm.Result{CallID: "x", Name: "a", Text: "r"}},
		{Image: &llm.Image{MediaType: "image/png", Data: []byte("p")}},
	}})
	collect(t, p, req)
	var kinds []string
	back := got.Messages[1].Content
	for _, b := range back {
		kinds = append(kinds, b.Type)
	}
	if d := cmp.Diff([]string{"thinking", "redacted_thinking", "text", "tool_use"}, kinds); d != "" {
		t.Fatalf("blocks (-want +got):\n%s", d)
	}
	if back[0].Thinking != "I see." || back[0].Signature != "S==" || back[1].Data != "R==" {
		t.Errorf("blocks %+v", back)
	}
	if r := got.Messages[2].Content[0]; len(r.Content) != 2 || r.Content[1].Source.MediaType != "image/png" {
		t.Errorf("a tool's picture is not in its result: %+v", r)
	}
}

func TestNeighboursAreMergedWithResultsFirst(t *testing.T) {
	t.Parallel()
	p, got := serve(t, ok)
	collect(t, p, &llm.Request{Messages: []llm.Message{
		llm.UserText("one"), llm.UserText("two"),
		{Role: llm.Assistant, Parts: []llm.Part{{Call: &llm.Call{ID: "x", Name: "a", Args: "{}"}}}},
		llm.UserText("steer"),
		{Role: llm.ToolRole, Parts: []llm.Part{{Result: &llm.Result{CallID: "x", Name: "a", Text: "r"}}}},
	}})
	if len(got.Messages) != 3 || len(got.Messages[0].Content) != 2 {
		t.Fatalf("messages %+v", got.Messages)
	}
	if last := got.Messages[2].Content; last[0].Type != "tool_result" || last[1].Text != "steer" {
		t.Errorf("last message %+v", last)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNothingComesFromTheEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-from-env")
	t.Setenv("ANTHROPIC_BASE_URL", "http://from-env.example")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Env: yes")
	var sent *http.Request
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		sent = r
		return nil, errors.New("no network in tests")
	})}
	p := anthropic.New(anthropic.Config{Model: "m", APIKey: "sk-own", HTTPClient: client})
	_, err := llm.Collect(t.Context(), p, &llm.Request{Messages: []llm.Message{llm.UserText("q")}}, nil)
	if llm.ReasonOf(err) != llm.Unreachable || sent == nil {
		t.Fatalf("error %v", err)
	}
	if sent.URL.String() != "https://api.anthropic.com/v1/messages" || sent.Header.Get("X-Env") != "" {
		t.Errorf("sent to %s with %v", sent.URL, sent.Header)
	}
}
