package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// request is what a model was sent, as far as tests look at it.
type request struct {
	Model    string
	Messages []struct {
		Role    string
		Content any
	}
	Tools []any
}

// last is the text of the last message.
func (r *request) last() string {
	return fmt.Sprint(r.Messages[len(r.Messages)-1].Content)
}

// vendor is an OpenAI-compatible server. Each completion is answered by the next of its steps, the last one repeated.
type vendor struct {
	url   string
	mu    sync.Mutex
	steps []step
	seen  []*request
}

type step func(w http.ResponseWriter, r *http.Request, req *request)

func newVendor(t *testing.T, steps ...step) *vendor {
	t.Helper()
	v := &vendor{steps: steps}
	s := httptest.NewServer(v)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	v.url = s.URL + "/v1"
	return v
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"text-embedding"},{"id":"fake-model"}]}`)
		return
	}
	req := &request{}
	_ = json.NewDecoder(r.Body).Decode(req)
	v.mu.Lock()
	next := v.steps[min(len(v.seen), len(v.steps)-1)]
	v.seen = append(v.seen, req)
	v.mu.Unlock()
	next(w, r, req)
}

// requests are the completions asked for so far.
func (v *vendor) requests() []*request {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen
}

// says streams an answer in pieces.
func says(pieces ...string) step {
	return func(w http.ResponseWriter, _ *http.Request, _ *request) {
		var deltas []any
		for _, p := range pieces {
			deltas = append(deltas, map[string]any{"content": p})
		}
		stream(w, "stop", deltas...)
	}
}

// calls asks for a tool call.
func calls(tool string, args map[string]any) step {
	return func(w http.ResponseWriter, _ *http.Request, _ *request) {
		raw, _ := json.Marshal(args)
		stream(w, "tool_calls", map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": tool, "arguments": string(raw)},
		}}})
	}
}

func stream(w http.ResponseWriter, finish string, deltas ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(choice map[string]any) {
		raw, _ := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "choices": []any{choice}})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
		w.(http.Flusher).Flush()
	}
	for _, d := range deltas {
		send(map[string]any{"index": 0, "delta": d})
	}
	send(map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish})
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// fails answers with a status.
func fails(status int, message string) step {
	return func(w http.ResponseWriter, _ *http.Request, _ *request) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message}})
	}
}

// hangs begins an answer and never ends it. It tells began.
func hangs(began chan<- struct{}) step {
	return func(w http.ResponseWriter, r *http.Request, _ *request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, `data: {"id":"1","choices":[{"index":0,"delta":{"content":"Half an ans"}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		began <- struct{}{}
		<-r.Context().Done()
	}
}
