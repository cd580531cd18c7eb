// Package anthropic generates with Claude models over Anthropic's Messages API, with prompt caching and with thinking
// blocks kept for the following requests.
package anthropic

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/leadhand/leadhand/agent/llm"
)

const officialURL = "https://api.anthropic.com"

// Config describes a model.
type Config struct {
	Model       string
	APIKey      string
	BaseURL     string        // up to and without /v1/messages; Anthropic's own if empty
	HTTPClient  *http.Client  // http.DefaultClient if nil
	IdleTimeout time.Duration // longest silence of the server, 2 minutes if 0
}

// New is a provider named "anthropic:<model>". It reads nothing from the environment and never retries by itself.
func New(c Config) llm.Provider {
	if c.BaseURL == "" {
		c.BaseURL = officialURL
	}
	return &provider{c}
}

type provider struct{ Config }

func (p *provider) Name() string { return "anthropic:" + p.Model }

func (p *provider) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		x := llm.NewExchange(p.Name(), p.APIKey, p.HTTPClient, p.IdleTimeout)
		// The service by itself: the SDK's client takes keys, URLs and headers from the environment.
		messages := sdk.NewMessageService(p.options(x)...)
		events := messages.NewStreaming(ctx, p.params(req))
		if err := events.Err(); err != nil {
			yield(nil, x.Err(ctx, err))
			return
		}
		defer events.Close()
		var d draft
		for !d.ended && events.Next() {
			e := events.Current()
			if c := d.add(&e); c != nil && !yield(c, nil) {
				return
			}
		}
		if ctx.Err() != nil || !d.complete() {
			yield(nil, explain(ctx, x, events.Err()))
			return
		}
		a, err := llm.NewAnswer(p.Name(), d.parts(), d.usage, d.finish)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&llm.Chunk{Final: a}, nil)
	}
}

func (p *provider) options(x *llm.Exchange) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(strings.TrimSuffix(strings.TrimRight(p.BaseURL, "/"), "/v1") + "/"),
		option.WithHTTPClient(x.Client()),
		option.WithMaxRetries(0),
	}
	if p.APIKey != "" {
		opts = append(opts, option.WithAPIKey(p.APIKey))
	}
	if p.APIKey != "" && p.BaseURL != officialURL { // gateways may know only the older header
		opts = append(opts, option.WithHeader("X-Api-Key", p.APIKey))
	}
	return opts
}

// explain tells why a stream ended early: the API reports errors as an event too.
func explain(ctx context.Context, x *llm.Exchange, err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok && ctx.Err() == nil {
		return x.Reported([]byte(e.RawJSON()))
	}
	return x.Err(ctx, err)
}
