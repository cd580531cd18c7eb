// Package gemini generates with Google's Gemini API, keeping the signatures that it wants back with every call.
package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/leadhand/leadhand/agent/llm"
)

const officialURL = "https://generativelanguage.googleapis.com/"

// Config describes a model.
type Config struct {
	Model       string
	APIKey      string
	BaseURL     string        // up to and without /v1beta; Google's own if empty
	HTTPClient  *http.Client  // http.DefaultClient if nil
	IdleTimeout time.Duration // longest silence of the server, 2 minutes if 0
}

// New is a provider named "gemini:<model>". It reads nothing from the environment and never retries by itself.
func New(c Config) llm.Provider {
	if c.BaseURL == "" {
		c.BaseURL = officialURL
	}
	c.BaseURL = strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1beta")
	return &provider{c}
}

type provider struct{ Config }

func (p *provider) Name() string { return "gemini:" + p.Model }

func (p *provider) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		if p.APIKey == "" {
			yield(nil, p.fail(llm.Auth, "no API key is set"))
			return
		}
		x := llm.NewExchange(p.Name(), p.APIKey, p.HTTPClient, p.IdleTimeout)
		client, err := p.client(ctx, x)
		if err != nil {
			yield(nil, p.fail(llm.Rejected, "the client cannot be set up")) // the SDK's text holds the key
			return
		}
		d := draft{}
		responses := client.Models.GenerateContentStream(ctx, p.Model, contents(req, p.signs()), settings(req))
		for r, err := range guard(responses) {
			if err != nil {
				yield(nil, p.explain(ctx, x, err))
				return
			}
			for _, c := range d.add(r) {
				if !yield(c, nil) {
					return
				}
			}
		}
		if ctx.Err() != nil || !d.done {
			yield(nil, x.Err(ctx, nil))
			return
		}
		p.answer(&d, yield)
	}
}

// client is made for each generation, because it is bound to the exchange. The SDK takes from the environment only what
// is not set here.
func (p *provider) client(ctx context.Context, x *llm.Exchange) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      p.APIKey,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  x.Client(),
		HTTPOptions: genai.HTTPOptions{BaseURL: p.BaseURL, APIVersion: "v1beta"},
	})
}

func (p *provider) answer(d *draft, yield func(*llm.Chunk, error) bool) {
	if d.broken != "" && len(d.parts) == 0 {
		yield(nil, p.fail(llm.BadAnswer, "the model stopped with "+d.broken))
		return
	}
	a, err := llm.NewAnswer(p.Name(), d.parts, d.usage, d.finish)
	if err != nil {
		yield(nil, err)
		return
	}
	yield(&llm.Chunk{Final: a}, nil)
}

// explain tells why a stream ended early: an error object inside of it comes as the SDK's own type.
func (p *provider) explain(ctx context.Context, x *llm.Exchange, err error) error {
	e, ok := errors.AsType[genai.APIError](err)
	if !ok || ctx.Err() != nil {
		return x.Err(ctx, err)
	}
	raw, merr := json.Marshal(map[string]any{"error": e})
	if merr != nil {
		return x.Err(ctx, merr)
	}
	return x.Reported(raw)
}

func (p *provider) fail(r llm.Reason, text string) error {
	return &llm.Error{Provider: p.Name(), Reason: r, Err: errors.New(text)}
}

// signs tells whether the model refuses calls without a thought signature, as all since Gemini 3 do.
func (p *provider) signs() bool {
	return !strings.HasPrefix(p.Model, "gemini-1") && !strings.HasPrefix(p.Model, "gemini-2")
}

// guard turns a panic of the SDK over JSON of an unexpected shape into an error. A panic of the consumer passes.
func guard(in iter.Seq2[*genai.GenerateContentResponse, error]) iter.Seq2[*genai.GenerateContentResponse, error] {
	return func(yield func(*genai.GenerateContentResponse, error) bool) {
		consuming, stopped := false, false
		defer func() {
			if consuming {
				return
			}
			if v := recover(); v != nil && !stopped {
				yield(nil, fmt.Errorf("unreadable event: %v", v))
			}
		}()
		for r, err := range in {
			consuming = true
			more := yield(r, err)
			consuming = false
			if !more || err != nil {
				stopped = true
				return
			}
		}
	}
}
