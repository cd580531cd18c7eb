package gemini_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/gemini"
)

// serve answers every request with body and returns the latest request.
func serve(t *testing.T, model string, status int, body string) (llm.Provider, *wire) {
	t.Helper()
	got := &wire{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*got = wire{}
		if err := json.NewDecoder(r.Body).Decode(got); err != nil {
			t.Error(err)
		}
		if want := "/v1beta/models/" + model + ":streamGenerateContent"; r.URL.Path != want {
			t.Errorf("path %s", r.URL.Path)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return gemini.New(gemini.Config{Model: model, APIKey: "k", BaseURL: s.URL + "/v1beta/", HTTPClient: s.Client()}), got
}

func collect(t *testing.T, p llm.Provider, req *llm.Request) *llm.Answer {
	t.Helper()
	a, err := llm.Collect(t.Context(), p, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask() *llm.Request { return &llm.Request{Messages: []llm.Message{llm.UserText("q")}} }

func stop() string { return event(object{"candidates": []any{object{"finishReason": "STOP"}}}) }

func TestSignaturesStayWithTheirParts(t *testing.T) {
	t.Parallel()
	body := parts(object{"text": "I ", "thought": true}) + parts(object{"text": "see.", "thought": true}) +
		parts(object{"text": "Let "}) + parts(object{"text": "me"}) +
		parts(object{"text": "", "thoughtSignature": "VEVYVA=="}) +
		parts(object{"text": " look."}) +
		parts(object{"functionCall": object{"name": "f", "id": "g1"}, "thoughtSignature": "Q0FMTA=="},
			object{"functionCall": object{"name": "f", "args": object{"x": 1}}}) + stop()
	p, got := serve(t, "gemini-3-flash", 200, body)
	req := ask()
	a := collect(t, p, req)
	if a.Message.Text() != "Let me look." || a.Message.Parts[0].Reasoning.Text != "I see." {
		t.Fatalf("answer %+v", a.Message)
	}
	calls := a.Message.Calls()
	if len(calls) != 2 || calls[0].ID != "g1" || calls[1].ID == "" || calls[1].ID == calls[0].ID {
		t.Fatalf("calls %+v", calls)
	}
	raw, err := json.Marshal(a.Message)
	if err != nil {
		t.Fatal(err)
	}
	var back llm.Message
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, back, llm.Message{Role: llm.ToolRole, Parts: []llm.Part{
		{Result: &llm.Result{CallID: "g1", Name: "f", Text: "1"}},
		{Result: &llm.Result{CallID: calls[1].ID, Name: "f", Text: "2", IsError: true}},
	}})
	collect(t, p, req)
	type part struct{ Text, Signature, Call string }
	var sent []part
	for _, p := range got.Contents[1].Parts {
		s := part{Signature: p.ThoughtSignature}
		if p.Text != nil {
			s.Text = *p.Text
		}
		if p.FunctionCall != nil {
			s.Call = p.FunctionCall.Name + p.FunctionCall.ID
		}
		sent = append(sent, s)
	}
	want := []part{{"Let me", "VEVYVA==", ""}, {" look.", "", ""}, {"", "Q0FMTA==", "fg1"}, {"", "", "f"}}
	if d := cmp.Diff(want, sent); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
	results := got.Contents[2].Parts
	if results[0].FunctionResponse.ID != "g1" || results[1].FunctionResponse.ID != "" ||
		results[1].FunctionResponse.Response["error"] != "2" {
		t.Errorf("results %+v", results)
	}
}

func TestCallsOfOtherModelsGetAStandInSignature(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{"gemini-3-flash": true, "gemini-2.5-pro": false} {
		p, got := serve(t, model, 200, parts(object{"text": "ok"})+stop())
		req := ask()
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.Assistant, Parts: []llm.Part{
				{Call: &llm.Call{ID: "a", Name: "f", Args: "{}"}}, {Call: &llm.Call{ID: "b", Name: "f", Args: "{}"}}}},
			llm.Message{Role: llm.ToolRole, Parts: []llm.Part{
				{Result: &llm.Result{CallID: "a", Name: "f", Text: "1"}},
				{Result: &llm.Result{CallID: "b", Name: "f", Text: "2"}}}})
		collect(t, p, req)
		calls := got.Contents[1].Parts
		if (calls[0].ThoughtSignature != "") != want || calls[1].ThoughtSignature != "" || calls[0].FunctionCall.ID != "" {
			t.Errorf("%s: %+v", model, calls)
		}
	}
}

func TestThoughtsCountAsOutput(t *testing.T) {
	t.Parallel()
	p, _ := serve(t, "m", 200, parts(object{"text": "ok"})+event(object{
		"candidates": []any{object{"finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 2, "thoughtsTokenCount": 30,
			"cachedContentTokenCount": 4},
	}))
	want := llm.Usage{Input: 10, Output: 32, CacheRead: 4, Reasoning: 30}
	if d := cmp.Diff(want, collect(t, p, ask()).Usage); d != "" {
		t.Error(d)
	}
}

func TestBlockedPromptIsARefusal(t *testing.T) {
	t.Parallel()
	p, _ := serve(t, "m", 200, event(object{"promptFeedback": object{"blockReason": "PROHIBITED_CONTENT"}}))
	if a := collect(t, p, ask()); a.Finish != llm.Refused {
		t.Errorf("answer %+v", a)
	}
}

func TestMalformedCallIsABadAnswer(t *testing.T) {
	t.Parallel()
	p, _ := serve(t, "m", 200, event(object{"candidates": []any{object{"finishReason": "MALFORMED_FUNCTION_CALL"}}}))
	if _, err := llm.Collect(t.Context(), p, ask(), nil); llm.ReasonOf(err) != llm.BadAnswer {
		t.Errorf("error %v", err)
	}
}

func TestRetryDelayInTheBody(t *testing.T) {
	t.Parallel()
	p, _ := serve(t, "m", 429, `{"error":{"code":429,"message":"You exceeded your current quota",`+
		`"status":"RESOURCE_EXHAUSTED","details":[`+
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17.5s"}]}}`)
	_, err := llm.Collect(t.Context(), p, ask(), nil)
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.Overloaded || e.RetryAfter != 17500*time.Millisecond {
		t.Errorf("error %#v", err)
	}
}

func TestPanicOfTheConsumerIsNotSwallowed(t *testing.T) {
	t.Parallel()
	p, _ := serve(t, "m", 200, parts(object{"text": "ok"})+stop())
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v", v)
		}
	}()
	for _, err := range p.Generate(t.Context(), ask()) {
		if err == nil {
			panic("mine")
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNothingComesFromTheEnvironment(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "from-env")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://from-env.example")
	keyless := gemini.New(gemini.Config{Model: "m"})
	if _, err := llm.Collect(t.Context(), keyless, ask(), nil); llm.ReasonOf(err) != llm.Auth {
		t.Errorf("error %v", err)
	}
	var sent *http.Request
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		sent = r
		return nil, errors.New("no network in tests")
	})}
	p := gemini.New(gemini.Config{Model: "m", APIKey: "own", HTTPClient: client})
	if _, err := llm.Collect(t.Context(), p, ask(), nil); llm.ReasonOf(err) != llm.Unreachable {
		t.Errorf("error %v", err)
	}
	want := "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse"
	if sent.URL.String() != want || sent.Header.Get("X-Goog-Api-Key") != "own" {
		t.Errorf("sent to %s with %v", sent.URL, sent.Header)
	}
}
