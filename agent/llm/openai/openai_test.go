package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/openai"
)

// reply is one response of a fake server.
type reply struct {
	status int
	body   string
}

// serve plays replies in order and returns the requests it got.
func serve(t *testing.T, replies ...reply) (llm.Provider, *[]wire) {
	t.Helper()
	var got []wire
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body wire
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if len(got) >= len(replies) {
			t.Errorf("request %d was not expected", len(got)+1)
			return
		}
		next := replies[len(got)]
		got = append(got, body)
		if next.status != 0 {
			w.WriteHeader(next.status)
		}
		_, _ = io.WriteString(w, next.body)
	}))
	t.Cleanup(s.Close)
	return openai.New(openai.Config{Model: "m", BaseURL: s.URL, HTTPClient: s.Client()}), &got
}

func ask() *llm.Request { return &llm.Request{Messages: []llm.Message{llm.UserText("q")}} }

func collect(t *testing.T, p llm.Provider, req *llm.Request) *llm.Answer {
	t.Helper()
	a, err := llm.Collect(t.Context(), p, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func deltas(ds ...string) string {
	s := ""
	for _, d := range ds {
		s += `data: {"choices":[{"index":0,"delta":` + d + `}]}` + "\n\n"
	}
	return s + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
}

type gotCall struct{ ID, Name, Args string }

// made stands for an id that the adapter makes up.
const made = "made up"

var callStreams = []struct {
	name   string
	deltas []string
	want   []gotCall
}{
	{"whole in one delta", []string{
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`,
	}, []gotCall{{"a", "f", `{"x":1}`}}},
	{"no id", []string{
		`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}},` +
			`{"index":1,"function":{"name":"f","arguments":"{}"}}]}`,
	}, []gotCall{{made, "f", "{}"}, {made, "f", "{}"}}},
	{"no index, ids", []string{
		`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}`,
		`{"tool_calls":[{"function":{"arguments":"1}"}}]}`,
		`{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]}`,
	}, []gotCall{{"a", "f", `{"x":1}`}, {"b", "g", "{}"}}},
	{"neither id nor index", []string{
		`{"tool_calls":[{"function":{"name":"f","arguments":""}},{"function":{"name":"g","arguments":"{}"}}]}`,
		`{"tool_calls":[{"function":{"name":"f"}}]}`,
	}, []gotCall{{made, "f", "{}"}, {made, "g", "{}"}, {made, "f", "{}"}}},
	{"every index 0", []string{
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`,
		`{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}]}`,
	}, []gotCall{{"a", "f", "{}"}, {"b", "f", "{}"}}},
	{"every index 0 and no id", []string{
		`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}}]}`,
		`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"x\":2}"}}]}`,
	}, []gotCall{{made, "f", `{"x":1}`}, {made, "f", `{"x":2}`}}},
	{"id and name in every piece", []string{
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}]}`,
	}, []gotCall{{"a", "f", `{"x":1}`}}},
	{"pieces of two calls mixed", []string{
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`,
		`{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}]}`,
		`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}},{"index":1,"function":{"arguments":":2}"}}]}`,
	}, []gotCall{{"a", "f", `{"x":1}`}, {"b", "g", `{"y":2}`}}},
	{"the same id twice", []string{
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},` +
			`{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}]}`,
	}, []gotCall{{"a", "f", "{}"}, {made, "g", "{}"}}},
	{"null and object arguments", []string{
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":null}}]}`,
		`{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":{"y":2}}}]}`,
	}, []gotCall{{"a", "f", "{}"}, {"b", "g", `{"y":2}`}}},
}

func TestCallsAreAssembledFromWhateverComes(t *testing.T) {
	t.Parallel()
	for _, tc := range callStreams {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, reply{body: deltas(tc.deltas...)})
			a := collect(t, p, ask())
			var calls []gotCall
			ids := map[string]bool{}
			for i, c := range a.Message.Calls() {
				if ids[c.ID] || c.ID == "" {
					t.Errorf("id %q is empty or repeated", c.ID)
				}
				ids[c.ID] = true
				g := gotCall{c.ID, c.Name, c.Args}
				if i < len(tc.want) && tc.want[i].ID == made {
					g.ID = made
				}
				calls = append(calls, g)
			}
			if d := cmp.Diff(tc.want, calls); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
			if a.Finish != llm.Calls {
				t.Errorf("finish %q although there are calls", a.Finish)
			}
		})
	}
}

func TestServerThatDislikesAParameter(t *testing.T) {
	t.Parallel()
	ok := reply{body: deltas(`{"content":"ok"}`)}
	noOptions := reply{400, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`}
	noLimit := reply{400, `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."}}`}
	for name, replies := range map[string][]reply{
		"stream_options": {noOptions, ok},
		"in a list":      {{422, `{"detail":[{"loc":["body","stream_options"],"msg":"extra fields"}]}`}, ok},
		"both":           {noOptions, noLimit, ok},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, got := serve(t, replies...)
			req := ask()
			req.MaxTokens = 50
			if a := collect(t, p, req); a.Message.Text() != "ok" {
				t.Errorf("answer %+v", a)
			}
			first, last := (*got)[0], (*got)[len(*got)-1]
			if first.StreamOptions == nil || first.MaxTokens != 50 || last.StreamOptions != nil {
				t.Errorf("first %+v, last %+v", first, last)
			}
			if swapped := last.MaxCompletionTokens == 50 && last.MaxTokens == 0; swapped != (name == "both") {
				t.Errorf("last %+v", last)
			}
		})
	}
	t.Run("again and again", func(t *testing.T) {
		t.Parallel()
		p, got := serve(t, noOptions, noOptions)
		_, err := llm.Collect(t.Context(), p, ask(), nil)
		if llm.ReasonOf(err) != llm.Rejected || len(*got) != 2 {
			t.Errorf("%d requests, error %v", len(*got), err)
		}
	})
}

func TestLooseStreams(t *testing.T) {
	t.Parallel()
	whole := `data: {"choices":[{"delta":{"content":"ok"},"finish_reason":null}],"error":null}` + "\n\n"
	for name, tc := range map[string]struct {
		body   string
		text   string
		usage  llm.Usage
		finish llm.Finish
	}{
		"no finish reason": {whole + "data: [DONE]\n\n", "ok", llm.Usage{}, llm.Stop},
		"no end mark": {whole + `data: {"choices":[{"delta":{},"finish_reason":"eos"}]}` + "\n\n",
			"ok", llm.Usage{}, llm.Stop},
		"comments and CRLF": {
			": OPENROUTER PROCESSING\r\n\r\n" + strings.ReplaceAll(whole, "\n", "\r\n") + "data: [DONE]\r\n\r\n",
			"ok", llm.Usage{}, llm.Stop},
		"usage in every event": {
			`data: {"choices":[{"delta":{"content":"ok"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}` + "\n\n" +
				`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,` +
				`"completion_tokens":2,"prompt_cache_hit_tokens":2}}` + "\n\n",
			"ok", llm.Usage{Input: 3, Output: 2, CacheRead: 2}, llm.Stop},
		"content in blocks": {deltas(
			`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`,
			`{"content":[{"type":"text","text":"ok"}]}`), "ok", llm.Usage{}, llm.Stop},
		"a refusal": {deltas(`{"refusal":"I can't."}`), "I can't.", llm.Usage{}, llm.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := serve(t, reply{body: tc.body})
			a := collect(t, p, ask())
			if a.Message.Text() != tc.text || a.Usage != tc.usage || a.Finish != tc.finish {
				t.Errorf("answer %+v", a)
			}
		})
	}
}

func TestContentFilterOfThePromptIsARefusal(t *testing.T) {
	t.Parallel()
	p, _ := serve(t, reply{400, `{"error":{"code":"content_filter","message":"The response was filtered"}}`})
	if a := collect(t, p, ask()); a.Finish != llm.Refused || a.Model != "openai:m" {
		t.Errorf("answer %+v", a)
	}
}

func TestExtraFieldsComeBackToTheModelThatSentThem(t *testing.T) {
	t.Parallel()
	body := deltas(
		`{"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","index":0}]}`,
		`{"reasoning":"see.","reasoning_details":[{"type":"reasoning.text","text":"see.","signature":"S","index":0}]}`,
		`{"reasoning_details":[{"type":"reasoning.encrypted","data":"D","index":1}]}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},`+
			`"extra_content":{"google":{"thought_signature":"G"}}}]}`)
	p, got := serve(t, reply{body: body}, reply{body: deltas(`{"content":"ok"}`)})
	req := ask()
	req.Messages = append(req.Messages, collect(t, p, req).Message, llm.Message{Role: llm.ToolRole, Parts: []llm.Part{
		{Result: &llm.Result{CallID: "a", Name: "f", Text: "r"}}}})
	collect(t, p, req)
	back := (*got)[1].Messages[1]
	want := []json.RawMessage{
		json.RawMessage(`{"index":0,"signature":"S","text":"I see.","type":"reasoning.text"}`),
		json.RawMessage(`{"data":"D","index":1,"type":"reasoning.encrypted"}`),
	}
	if d := cmp.Diff(want, back.ReasoningDetails, cmp.Transformer("text", func(r json.RawMessage) string {
		var v any
		if err := json.Unmarshal(r, &v); err != nil {
			t.Error(err)
		}
		b, _ := json.Marshal(v)
		return string(b)
	})); d != "" {
		t.Errorf("details (-want +got):\n%s", d)
	}
	if back.Reasoning != "I see." || !strings.Contains(string(back.ToolCalls[0].ExtraContent), `"G"`) {
		t.Errorf("message %+v", back)
	}

	other, seen := serve(t, reply{body: deltas(`{"content":"ok"}`)})
	renamed := req.Messages[1]
	for i := range renamed.Parts {
		for k, v := range renamed.Parts[i].Meta {
			renamed.Parts[i].Meta[k] = json.RawMessage(strings.ReplaceAll(string(v), "openai:m", "openai:other"))
		}
	}
	collect(t, other, req)
	if m := (*seen)[0].Messages[1]; m.Reasoning != "" || m.ReasoningDetails != nil || m.ToolCalls[0].ExtraContent != nil {
		t.Errorf("another model's fields were sent: %+v", m)
	}
}

func TestPicturesOfToolsFollowInAUserMessage(t *testing.T) {
	t.Parallel()
	p, got := serve(t, reply{body: deltas(`{"content":"ok"}`)})
	req := ask()
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Parts: []llm.Part{{Call: &llm.Call{ID: "a", Name: "f", Args: "{}"}}}},
		llm.Message{Role: llm.ToolRole, Parts: []llm.Part{
			{Result: &llm.Result{CallID: "a", Name: "f", IsError: true, Text: "half a chart"}},
			{Image: &llm.Image{MediaType: "image/png", Data: []byte("x")}},
		}})
	collect(t, p, req)
	ms := (*got)[0].Messages
	if len(ms) != 4 || ms[2].Content != "Error: half a chart" || ms[3].Role != "user" {
		t.Errorf("messages %+v", ms)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNothingComesFromTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-env")
	t.Setenv("OPENAI_BASE_URL", "http://from-env.example")
	t.Setenv("OPENAI_ORG_ID", "org-from-env")
	var sent *http.Request
	var body []byte
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		sent = r
		body, _ = io.ReadAll(r.Body)
		return nil, errors.New("no network in tests")
	})}
	p := openai.New(openai.Config{Model: "m", HTTPClient: client})
	req := ask()
	req.MaxTokens = 5
	if _, err := llm.Collect(t.Context(), p, req, nil); llm.ReasonOf(err) != llm.Unreachable {
		t.Errorf("error %v", err)
	}
	if sent.URL.String() != "https://api.openai.com/v1/chat/completions" || sent.Header.Get("Authorization") != "" {
		t.Errorf("sent to %s with %v", sent.URL, sent.Header)
	}
	if sent.Header.Get("OpenAI-Organization") != "" || !strings.Contains(string(body), `"max_completion_tokens":5`) {
		t.Errorf("header %v, body %s", sent.Header, body)
	}
}
