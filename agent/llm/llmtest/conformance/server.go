package conformance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
)

const key = "sk-CANARY-0123456789"

// server is a fake vendor that plays responses in order.
type server struct {
	t testing.TB
	v Vendor
	*httptest.Server

	mu        sync.Mutex
	responses []Response
	requests  []*Request
	header    http.Header
}

func serve(t testing.TB, v Vendor, responses ...Response) *server {
	s := &server{t: t, v: v, responses: responses}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// model is the adapter, pointed at the server.
func (s *server) model() llm.Provider { return s.patient(time.Minute) }

func (s *server) patient(idle time.Duration) llm.Provider {
	return s.v.New(Endpoint{URL: s.URL, Key: key, Client: s.Client(), Idle: idle})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read the request: %v", err)
	}
	if strings.Contains(r.URL.String(), key) {
		s.t.Errorf("the key is in the URL: %s", r.URL)
	}
	req, err := s.v.Read(body)
	if err != nil {
		s.t.Errorf("the vendor would refuse the request: %v\n%s", err, body)
		http.Error(w, `{"error":{"message":"invalid request"}}`, http.StatusBadRequest)
		return
	}
	s.play(w, r, s.next(r, req))
}

func (s *server) next(r *http.Request, req *Request) Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	s.header = r.Header.Clone()
	if len(s.responses) == 0 {
		s.t.Errorf("request %d was not expected", len(s.requests))
		return Response{Status: http.StatusTeapot}
	}
	next := s.responses[0]
	s.responses = s.responses[1:]
	return next
}

func (s *server) play(w http.ResponseWriter, r *http.Request, resp Response) {
	w.Header().Set("Content-Type", "text/event-stream")
	for k, v := range resp.Header {
		w.Header().Set(k, v)
	}
	if resp.Status != 0 {
		w.WriteHeader(resp.Status)
	}
	if _, err := io.WriteString(w, resp.Body); err != nil {
		s.t.Errorf("write the response: %v", err)
	}
	if resp.After != nil {
		if err := http.NewResponseController(w).Flush(); err != nil {
			s.t.Errorf("flush the response: %v", err)
		}
		resp.After(r)
		panic(http.ErrAbortHandler)
	}
}

// last is the latest request.
func (s *server) last() *Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		s.t.Fatal("no request came")
	}
	return s.requests[len(s.requests)-1]
}

// heard is what a consumer of a generation got.
type heard struct {
	text, reasoning string
	answer          *llm.Answer
	err             error
}

func listen(t testing.TB, p llm.Provider, req *llm.Request) heard {
	var h heard
	h.answer, h.err = llm.Collect(t.Context(), p, req, func(c *llm.Chunk) {
		if c.Final != nil && (c.Text != "" || c.Reasoning != "") {
			t.Error("the last chunk repeats deltas")
		}
		h.text += c.Text
		h.reasoning += c.Reasoning
	})
	return h
}

func question() *llm.Request {
	return &llm.Request{System: "Be brief.", Messages: []llm.Message{llm.UserText("Where is Ada?")}}
}
