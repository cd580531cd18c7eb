package app

import (
	"net/http"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/anthropic"
	"github.com/leadhand/leadhand/agent/llm/gemini"
	"github.com/leadhand/leadhand/agent/llm/openai"
	"github.com/leadhand/leadhand/agent/llm/script"
	"github.com/leadhand/leadhand/channels"
)

// channelKinds are the messengers that can be configured.
func channelKinds() map[string]channels.Factory { return map[string]channels.Factory{} }

// modelSettings are what every kind of model takes.
type modelSettings struct {
	Model   string `yaml:"model"`
	APIKey  string `yaml:"api_key"`
	BaseURL string `yaml:"base_url"`
}

// modelKind makes a model and knows the environment variables that configure it without a file.
type modelKind struct {
	make       func(s modelSettings, client *http.Client) llm.Provider
	keyEnv     string
	baseURLEnv string
	fallback   string // the model when none is named
}

// modelKinds are the model providers that can be configured.
func modelKinds() map[string]modelKind {
	return map[string]modelKind{
		"openai": {func(s modelSettings, c *http.Client) llm.Provider {
			return openai.New(openai.Config{Model: s.Model, APIKey: s.APIKey, BaseURL: s.BaseURL, HTTPClient: c})
		}, "OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-5-mini"},
		"anthropic": {func(s modelSettings, c *http.Client) llm.Provider {
			return anthropic.New(anthropic.Config{Model: s.Model, APIKey: s.APIKey, BaseURL: s.BaseURL, HTTPClient: c})
		}, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "claude-sonnet-4-5"},
		"gemini": {func(s modelSettings, c *http.Client) llm.Provider {
			return gemini.New(gemini.Config{Model: s.Model, APIKey: s.APIKey, BaseURL: s.BaseURL, HTTPClient: c})
		}, "GEMINI_API_KEY", "GEMINI_BASE_URL", "gemini-2.5-flash"},
		demoKind: {func(modelSettings, *http.Client) llm.Provider { return script.Demo() }, "", "", ""},
	}
}

const demoKind = "demo"
