// Package openai generates with any server that speaks OpenAI's /chat/completions: OpenAI itself, OpenRouter,
// DeepSeek, vLLM, Ollama, LM Studio. Such servers differ in small ways; the package sends what all of them know and
// reads whatever they answer.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/leadhand/leadhand/agent/llm"
)

const officialURL = "https://api.openai.com/v1"

// Config describes a model behind a server.
type Config struct {
	Model       string
	APIKey      string        // may be empty for a local server
	BaseURL     string        // up to and without /chat/completions; OpenAI's own if empty
	HTTPClient  *http.Client  // http.DefaultClient if nil
	IdleTimeout time.Duration // longest silence of the server, 2 minutes if 0
}

// New is a provider named "openai:<model>". It reads nothing from the environment and never retries by itself.
func New(c Config) llm.Provider {
	if c.BaseURL == "" {
		c.BaseURL = officialURL
	}
	return &provider{c}
}

type provider struct{ Config }

func (p *provider) Name() string { return "openai:" + p.Model }

func (p *provider) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		x := llm.NewExchange(p.Name(), p.APIKey, p.HTTPClient, p.IdleTimeout)
		body := p.params(req)
		resp, err := p.open(ctx, x, body) //nolint:bodyclose // the stream's decoder closes it
		for range maxQuirks {
			if err == nil || !adapt(&body, err, x.Body()) {
				break
			}
			resp, err = p.open(ctx, x, body) //nolint:bodyclose // only after a failure, which has no body
		}
		if err != nil {
			if blockedByPolicy(err, x.Body()) {
				yield(&llm.Chunk{Final: &llm.Answer{
					Message: llm.Message{Role: llm.Assistant}, Finish: llm.Refused, Model: p.Name(),
				}}, nil)
				return
			}
			yield(nil, err)
			return
		}
		p.stream(ctx, x, resp, yield)
	}
}

// open sends the request and returns the response once its header is there.
func (p *provider) open(
	ctx context.Context, x *llm.Exchange, body sdk.ChatCompletionNewParams,
) (*http.Response, error) {
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimRight(p.BaseURL, "/") + "/"),
		option.WithHTTPClient(x.Client()),
		option.WithMaxRetries(0),
		option.WithJSONSet("stream", true),
		option.WithHeader("Accept", "text/event-stream"),
	}
	if p.APIKey != "" {
		opts = append(opts, option.WithAPIKey(p.APIKey))
	}
	// Not sdk.NewClient: that one takes keys, URLs and headers from the environment.
	client := sdk.Client{Options: opts}
	var resp *http.Response
	if err := client.Post(ctx, "chat/completions", body, &resp); err != nil {
		return nil, x.Err(ctx, err)
	}
	return resp, nil
}

// stream reads the events. It decodes them itself, because the SDK's stream takes "error": null for an error.
func (p *provider) stream(
	ctx context.Context, x *llm.Exchange, resp *http.Response, yield func(*llm.Chunk, error) bool,
) {
	events := ssestream.NewDecoder(resp)
	defer events.Close()
	d := draft{provider: p.Name()}
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			d.done = true
			break
		}
		if reported(data) {
			yield(nil, x.Reported(data))
			return
		}
		var c sdk.ChatCompletionChunk
		if err := json.Unmarshal(data, &c); err != nil {
			yield(nil, x.Err(ctx, errors.New("unreadable event: "+string(data))))
			return
		}
		if out := d.add(&c); out != nil && !yield(out, nil) {
			return
		}
	}
	if ctx.Err() != nil || !d.done {
		yield(nil, x.Err(ctx, events.Err()))
		return
	}
	a, err := llm.NewAnswer(p.Name(), d.parts(), d.usage, d.finish)
	if err != nil {
		yield(nil, err)
		return
	}
	yield(&llm.Chunk{Final: a}, nil)
}

// reported tells whether an event is an error report.
func reported(data []byte) bool {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	return json.Unmarshal(data, &e) == nil && len(e.Error) > 0 && string(e.Error) != "null"
}
