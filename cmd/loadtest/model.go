package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// model is an OpenAI-compatible server whose answers name the messages that they answer.
type model struct {
	URL  string
	wait time.Duration
	srv  *http.Server

	mu   sync.Mutex
	took map[string]time.Duration // by message: from the request to the end of the answer
}

// marker is the name of a message, which stands in its text and in the answer to it.
var marker = regexp.MustCompile(`m-\d+-\d+`)

func newModel(wait time.Duration) (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // nothing to wait for
	if err != nil {
		return nil, err
	}
	m := &model{URL: "http://" + l.Addr().String() + "/v1", wait: wait, took: map[string]time.Duration{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.complete)
	m.srv = &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}
	go func() { _ = m.srv.Serve(l) }()
	return m, nil
}

func (m *model) close() { _ = m.srv.Close() }

// complete answers the messages of people since its own last one.
func (m *model) complete(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	body, err := io.ReadAll(r.Body)
	var req struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var names []string
	for i := len(req.Messages) - 1; i >= 0 && req.Messages[i].Role == "user"; i-- {
		names = append(marker.FindAllString(string(req.Messages[i].Content), -1), names...)
	}
	select {
	case <-time.After(m.wait):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	text, _ := json.Marshal("answer to " + strings.Join(names, " "))
	_, _ = fmt.Fprintf(w, `data: {"id":"1","object":"chat.completion.chunk","model":"mock","choices":[{"index":0,`+
		`"delta":{"role":"assistant","content":%s},"finish_reason":null}]}`+"\n\n", text)
	_, _ = fmt.Fprint(w, `data: {"id":"1","object":"chat.completion.chunk","model":"mock","choices":[{"index":0,`+
		`"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`+
		"\n\ndata: [DONE]\n\n")
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		m.took[name] = time.Since(began)
	}
}

// time is how long the model worked on a message.
func (m *model) time(name string) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.took[name]
}
