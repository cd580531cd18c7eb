package conformance

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
)

var weather = llm.Tool{
	Name: "get_weather", Description: "The weather of a city.",
	Input: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
}

var clock = llm.Tool{Name: "datetime", Input: json.RawMessage(`{"type":"object","properties":{}}`)}

func answers(t *testing.T, v Vendor) {
	t.Parallel()
	for name, check := range map[string]func(*testing.T, Vendor){
		"a text":                         text,
		"a tool call and its result":     toolCall,
		"parallel calls":                 parallelCalls,
		"a picture":                      picture,
		"a forbidden call":               noTools,
		"reasoning":                      reasoning,
		"a length limit":                 lengthLimit,
		"a refusal":                      refusal,
		"a missing usage":                noUsage,
		"the same request twice":         sameBytes,
		"two generations from one model": twice,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, v)
		})
	}
}

func text(t *testing.T, v Vendor) {
	usage := llm.Usage{Input: 120, Output: 7, CacheRead: 100}
	s := serve(t, v, Response{Body: v.Stream(&Answer{
		Texts: []string{"Ada is", " in Köln", " 👋."}, Finish: llm.Stop, Usage: usage,
	})})
	h := listen(t, s.model(), question())
	if h.err != nil {
		t.Fatal(h.err)
	}
	want := &llm.Answer{
		Message: llm.AssistantText("Ada is in Köln 👋."), Usage: usage, Finish: llm.Stop, Model: s.model().Name(),
	}
	if d := cmp.Diff(want, h.answer); d != "" {
		t.Errorf("answer (-want +got):\n%s", d)
	}
	if h.text != "Ada is in Köln 👋." || h.reasoning != "" {
		t.Errorf("streamed %q, reasoning %q", h.text, h.reasoning)
	}
	asked := &Request{System: "Be brief.", Messages: []Message{{Role: llm.User, Texts: []string{"Where is Ada?"}}}}
	if d := cmp.Diff(asked, s.last(), ignoreMaxTokens); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
	if got := v.Key(s.header); got != key {
		t.Errorf("key %q", got)
	}
}

var ignoreMaxTokens = cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "MaxTokens" }, cmp.Ignore())

func toolCall(t *testing.T, v Vendor) {
	s := serve(t, v,
		Response{Body: v.Stream(&Answer{
			Texts:  []string{"Let me look."},
			Calls:  []llm.Call{{ID: "call_1", Name: "get_weather", Args: `{"city":"Köln \"am\" Rhein","days":3}`}},
			Finish: llm.Calls,
		})},
		Response{Body: v.Stream(&Answer{Texts: []string{"Rain."}, Finish: llm.Stop})},
	)
	req := question()
	req.Tools, req.MaxTokens = []llm.Tool{weather, clock}, 99
	h := listen(t, s.model(), req)
	if h.err != nil {
		t.Fatal(h.err)
	}
	calls := h.answer.Message.Calls()
	if h.answer.Finish != llm.Calls || len(calls) != 1 || calls[0].ID == "" || calls[0].Name != "get_weather" {
		t.Fatalf("answer %+v", h.answer)
	}
	sameJSON(t, `{"city":"Köln \"am\" Rhein","days":3}`, calls[0].Args)
	if h.answer.Message.Text() != "Let me look." {
		t.Errorf("text %q", h.answer.Message.Text())
	}
	offered := []string{"get_weather", "datetime"}
	if r := s.last(); !cmp.Equal(r.Tools, offered) || r.MaxTokens != 99 || r.NoTools {
		t.Errorf("request %+v", r)
	}
	req.Messages = append(req.Messages, h.answer.Message, results(calls, "18 °C"))
	if h = listen(t, s.model(), req); h.err != nil || h.answer.Message.Text() != "Rain." {
		t.Fatalf("answer %+v, error %v", h.answer, h.err)
	}
	back := s.last().Messages
	if len(back) != 3 || len(back[1].Calls) != 1 || len(back[2].Results) != 1 {
		t.Fatalf("history %+v", back)
	}
	if c, r := back[1].Calls[0], back[2].Results[0]; c.Name != "get_weather" || !strings.Contains(r.Text, "18 °C") {
		t.Errorf("call %+v, result %+v", c, r)
	}
	sameJSON(t, calls[0].Args, back[1].Calls[0].Args)
}

// results answers all calls with the same text.
func results(calls []*llm.Call, text string) llm.Message {
	m := llm.Message{Role: llm.ToolRole}
	for _, c := range calls {
		m.Parts = append(m.Parts, llm.Part{Result: &llm.Result{CallID: c.ID, Name: c.Name, Text: text}})
	}
	return m
}

func sameJSON(t *testing.T, want, got string) {
	t.Helper()
	var w, g any
	if json.Unmarshal([]byte(want), &w) != nil || json.Unmarshal([]byte(got), &g) != nil || !cmp.Equal(w, g) {
		t.Errorf("JSON %s, want %s", got, want)
	}
}

func parallelCalls(t *testing.T, v Vendor) {
	s := serve(t, v, Response{Body: v.Stream(&Answer{Calls: []llm.Call{
		{ID: "call_1", Name: "get_weather", Args: `{"city":"Rom"}`},
		{ID: "call_2", Name: "get_weather", Args: `{"city":"Oslo"}`},
		{ID: "call_3", Name: "datetime", Args: ""},
	}, Finish: llm.Calls})}, Response{Body: v.Stream(&Answer{Texts: []string{"ok"}, Finish: llm.Stop})})
	req := question()
	req.Tools = []llm.Tool{weather, clock}
	h := listen(t, s.model(), req)
	if h.err != nil {
		t.Fatal(h.err)
	}
	calls := h.answer.Message.Calls()
	if len(calls) != 3 {
		t.Fatalf("calls %+v", calls)
	}
	ids := map[string]bool{}
	for i, want := range []string{`{"city":"Rom"}`, `{"city":"Oslo"}`, `{}`} {
		sameJSON(t, want, calls[i].Args)
		ids[calls[i].ID] = true
	}
	if len(ids) != 3 || ids[""] || calls[2].Name != "datetime" {
		t.Errorf("calls %+v", h.answer.Message.Parts)
	}
	req.Messages = append(req.Messages, h.answer.Message, results(calls, "fine"), llm.UserText("Thanks."))
	if h = listen(t, s.model(), req); h.err != nil {
		t.Fatal(h.err)
	}
	if n := len(s.last().Messages[2].Results); n != 3 {
		t.Errorf("%d results", n)
	}
}

func picture(t *testing.T, v Vendor) {
	s := serve(t, v, Response{Body: v.Stream(&Answer{Texts: []string{"A cat."}, Finish: llm.Stop})})
	data := []byte("\x89PNG\r\n\x1a\nnot really")
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{
		{Text: "What is this?"}, {Image: &llm.Image{MediaType: "image/png", Data: data}},
	}}}}
	if h := listen(t, s.model(), req); h.err != nil {
		t.Fatal(h.err)
	}
	want := []Message{{
		Role: llm.User, Texts: []string{"What is this?"}, Images: []string{base64.StdEncoding.EncodeToString(data)},
	}}
	if d := cmp.Diff(want, s.last().Messages); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
}

func noTools(t *testing.T, v Vendor) {
	s := serve(t, v, Response{Body: v.Stream(&Answer{Texts: []string{"ok"}, Finish: llm.Stop})})
	req := question()
	req.Tools, req.NoTools = []llm.Tool{weather}, true
	if h := listen(t, s.model(), req); h.err != nil {
		t.Fatal(h.err)
	}
	if got := s.last(); !got.NoTools || len(got.Tools) != 1 {
		t.Errorf("request %+v", got)
	}
}

func reasoning(t *testing.T, v Vendor) {
	s := serve(t, v,
		Response{Body: v.Stream(&Answer{
			Reasoning: "I need the weather.", Signature: "c2lnbmF0dXJl",
			Calls:  []llm.Call{{ID: "call_1", Name: "get_weather", Args: `{"city":"Rom"}`}},
			Finish: llm.Calls,
		})},
		Response{Body: v.Stream(&Answer{Texts: []string{"Sun."}, Finish: llm.Stop})},
	)
	req := question()
	req.Tools = []llm.Tool{weather}
	h := listen(t, s.model(), req)
	if h.err != nil {
		t.Fatal(h.err)
	}
	if h.text != "" || h.answer.Message.Text() != "" || h.reasoning != "I need the weather." {
		t.Errorf("text %q, reasoning %q", h.text, h.reasoning)
	}
	if p := h.answer.Message.Parts[0]; p.Reasoning == nil || p.Reasoning.Text != "I need the weather." {
		t.Errorf("first part %+v", p)
	}
	req.Messages = append(req.Messages, stored(t, h.answer.Message), results(h.answer.Message.Calls(), "18 °C"))
	if h = listen(t, s.model(), req); h.err != nil {
		t.Fatal(h.err)
	}
	kept := strings.Join(s.last().Messages[1].Kept, " ")
	if v.KeepsReasoning && !strings.Contains(kept, "I need the weather.") {
		t.Errorf("the reasoning did not come back: %q", kept)
	}
	if !v.KeepsReasoning && !strings.Contains(kept, "c2lnbmF0dXJl") {
		t.Errorf("the signature did not come back: %q", kept)
	}
}

// stored sends a message through the form in which histories are kept.
func stored(t *testing.T, m llm.Message) llm.Message {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back llm.Message
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func lengthLimit(t *testing.T, v Vendor) {
	s := serve(t, v, Response{Body: v.Stream(&Answer{Texts: []string{"Once upon"}, Finish: llm.Length})})
	if h := listen(t, s.model(), question()); h.err != nil || h.answer.Finish != llm.Length {
		t.Errorf("answer %+v, error %v", h.answer, h.err)
	}
}

func refusal(t *testing.T, v Vendor) {
	s := serve(t, v, Response{Body: v.Stream(&Answer{Finish: llm.Refused})},
		Response{Body: v.Stream(&Answer{Texts: []string{"ok"}, Finish: llm.Stop})})
	req := question()
	h := listen(t, s.model(), req)
	if h.err != nil || h.answer.Finish != llm.Refused {
		t.Fatalf("answer %+v, error %v", h.answer, h.err)
	}
	req.Messages = append(req.Messages, h.answer.Message, llm.UserText("Why not?"))
	if h = listen(t, s.model(), req); h.err != nil {
		t.Errorf("after a refusal: %v", h.err)
	}
}

func noUsage(t *testing.T, v Vendor) {
	s := serve(t, v, Response{Body: v.Stream(&Answer{Texts: []string{"ok"}, Finish: llm.Stop})})
	h := listen(t, s.model(), question())
	if h.err != nil || h.answer.Usage != (llm.Usage{}) {
		t.Errorf("answer %+v, error %v", h.answer, h.err)
	}
}

func twice(t *testing.T, v Vendor) {
	body := v.Stream(&Answer{Texts: []string{"ok"}, Finish: llm.Stop})
	s := serve(t, v, Response{Body: body}, Response{Status: 500}, Response{Body: body})
	p := s.model()
	for i, fails := range []bool{false, true, false} {
		if h := listen(t, p, question()); (h.err != nil) != fails {
			t.Errorf("generation %d: %+v, error %v", i, h.answer, h.err)
		}
	}
}
