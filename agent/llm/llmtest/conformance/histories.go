package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
)

func call(id, name, args string) llm.Part {
	return llm.Part{Call: &llm.Call{ID: id, Name: name, Args: args}}
}

func result(id, name, text string, failed bool) llm.Part {
	return llm.Part{Result: &llm.Result{CallID: id, Name: name, Text: text, IsError: failed}}
}

func said(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.Assistant, Parts: parts} }

func tool(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.ToolRole, Parts: parts} }

// odd are histories that sessions really have. The fake server's strict reader judges the requests; texts are what has
// to arrive.
var odd = []struct {
	name     string
	messages []llm.Message
	texts    []string
}{
	{"two user messages in a row", []llm.Message{llm.UserText("one"), llm.UserText("two")}, []string{"one", "two"}},
	{"an assistant message first", []llm.Message{llm.AssistantText("earlier"), llm.UserText("one")},
		[]string{"earlier", "one"}},
	{"an assistant message last", []llm.Message{llm.UserText("one"), llm.AssistantText("two")}, []string{"one", "two"}},
	{"two assistant messages in a row", []llm.Message{
		llm.UserText("one"), llm.AssistantText("two"), llm.AssistantText("three"), llm.UserText("four"),
	}, []string{"one", "two", "three", "four"}},
	{"empty and blank texts", []llm.Message{
		{Role: llm.User, Parts: []llm.Part{{Text: ""}, {Text: "one"}, {Text: " \n"}}}, said(llm.Part{}), llm.UserText(""),
		said(), llm.UserText("two"),
	}, []string{"one", "two"}},
	{"nothing at all", nil, nil},
	{"arguments that are no JSON", []llm.Message{
		llm.UserText("one"), said(call("a", "f", `{"city": "Ro`), call("b", "f", `[1]`), call("c", "f", "")),
		tool(result("a", "f", "bad", true), result("b", "f", "bad", true), result("c", "f", "", false)),
	}, []string{"one"}},
	{"ids that another vendor made", []llm.Message{
		llm.UserText("one"), said(call("functions.f:0", "f", "{}"), call(strings.Repeat("x", 90), "f", "{}")),
		tool(result("functions.f:0", "f", "r", false), result(strings.Repeat("x", 90), "f", "r", false)),
	}, []string{"one"}},
	{"an id used again in a later turn", []llm.Message{
		llm.UserText("one"), said(call("call_0", "f", "{}")), tool(result("call_0", "f", "r", false)),
		said(call("call_0", "f", "{}")), tool(result("call_0", "f", "r", false)), said(llm.Part{Text: "two"}),
		llm.UserText("three"),
	}, []string{"one", "two", "three"}},
	{"results and then the next question", []llm.Message{
		llm.UserText("one"), said(call("a", "f", "{}"), call("b", "g", "{}")),
		tool(result("a", "f", "r", false)), tool(result("b", "g", "", true)), llm.UserText("two"),
	}, []string{"one", "two"}},
	{"another vendor's reasoning", []llm.Message{
		llm.UserText("one"),
		said(llm.Part{Reasoning: &llm.Reasoning{Text: "secret"}, Meta: map[string]json.RawMessage{
			"other": json.RawMessage(`{"x":1}`)}}, llm.Part{Text: "two"}, call("a", "f", "{}")),
		tool(result("a", "f", "r", false)),
	}, []string{"one", "two"}},
	{"only reasoning", []llm.Message{
		llm.UserText("one"), said(llm.Part{Reasoning: &llm.Reasoning{Text: "secret"}}), llm.UserText("two"),
	}, []string{"one", "two"}},
	{"broken meta", []llm.Message{
		llm.UserText("one"),
		said(llm.Part{Reasoning: &llm.Reasoning{Text: "secret"}, Meta: map[string]json.RawMessage{
			"openai": json.RawMessage(`7`), "anthropic": json.RawMessage(`[]`), "gemini": json.RawMessage(`"x"`)}},
			llm.Part{Text: "two"}),
		llm.UserText("three"),
	}, []string{"one", "two", "three"}},
}

func histories(t *testing.T, v Vendor) {
	t.Parallel()
	for _, tc := range odd {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, v, Response{Body: v.Stream(&Answer{Texts: []string{"ok"}, Finish: llm.Stop})})
			before := fmt.Sprint(tc.messages)
			h := listen(t, s.model(), &llm.Request{
				Messages: tc.messages, Tools: []llm.Tool{weather, {Name: "f"}, {Name: "g", Input: json.RawMessage(`nonsense`)}},
			})
			if h.err != nil {
				t.Fatal(h.err)
			}
			var texts []string
			for _, m := range s.last().Messages {
				for _, text := range m.Texts {
					texts = append(texts, strings.Split(text, "\n\n")...)
				}
			}
			for _, want := range tc.texts {
				if len(texts) > 0 && texts[0] != want && strings.HasPrefix(texts[0], "(") {
					texts = texts[1:] // words that the vendor demands and the history lacks
				}
				if len(texts) == 0 || texts[0] != want {
					t.Fatalf("%q is missing in %+v", want, s.last().Messages)
				}
				texts = texts[1:]
			}
			if strings.Contains(fmt.Sprint(s.last().Messages), "secret") {
				t.Error("another vendor's reasoning was sent")
			}
			if fmt.Sprint(tc.messages) != before {
				t.Error("the caller's history was changed")
			}
		})
	}
}

// sameBytes checks what prompt caches need: a longer history begins with the bytes of the shorter one.
func sameBytes(t *testing.T, v Vendor) {
	var mu sync.Mutex
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies = append(bodies, string(b))
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, v.Stream(&Answer{Texts: []string{"ok"}, Finish: llm.Stop}))
	}))
	t.Cleanup(s.Close)
	p := v.New(Endpoint{URL: s.URL, Key: key, Client: s.Client()})
	for range 2 {
		req := &llm.Request{System: "Be brief.", Tools: []llm.Tool{weather, clock}, Messages: []llm.Message{
			llm.UserText("one"), said(call("a.b", "f", `{"z":1,"a":2}`)), tool(result("a.b", "f", "r", false)),
		}}
		if h := listen(t, p, req); h.err != nil {
			t.Fatal(h.err)
		}
	}
	if d := cmp.Diff(bodies[0], bodies[1]); d != "" {
		t.Errorf("the same request gave other bytes:\n%s", d)
	}
}
