package app

import (
	"net/http"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/anthropic"
	"github.com/leadhand/leadhand/agent/llm/gemini"
	"github.com/leadhand/leadhand/agent/llm/openai"
	"github.com/leadhand/leadhand/agent/llm/script"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/discord"
	"github.com/leadhand/leadhand/channels/slack"
	"github.com/leadhand/leadhand/channels/telegram"
)

// channelKinds are the messengers that can be configured.
func channelKinds() map[string]channelKind {
	return map[string]channelKind{
		"telegram": {
			make: telegram.New,
			env:  map[string]string{"bot_token": "TELEGRAM_BOT_TOKEN", "api_url": "TELEGRAM_API_URL"},
			key:  "bot_token", topics: map[string]channels.TopicID{"1": telegram.General},
		},
		"slack": {
			make: slack.New,
			env: map[string]string{
				"bot_token": "SLACK_BOT_TOKEN", "app_token": "SLACK_APP_TOKEN", "signing_secret": "SLACK_SIGNING_SECRET",
				"api_url": "SLACK_API_URL",
			},
			key: "bot_token",
		},
		"discord": {
			make: discord.New,
			env:  map[string]string{"bot_token": "DISCORD_BOT_TOKEN", "api_url": "DISCORD_API_URL"},
			key:  "bot_token",
		},
	}
}

// channelKind makes a channel and knows the environment variables that configure one without a file.
type channelKind struct {
	make channels.Factory
	env  map[string]string // variables by the setting that they fill
	key  string            // the setting without which there is no channel
	// topics are other names of topics, as people may write them in the configuration.
	topics map[string]channels.TopicID
}

// modelSettings are what every kind of model takes.
type modelSettings struct {
	Model   string `yaml:"model"`
	APIKey  string `yaml:"api_key,omitempty"`
	BaseURL string `yaml:"base_url,omitempty"`
	NoTools bool   `yaml:"no_tools,omitempty"` // the model can't call tools: it is never offered any
	Price   *price `yaml:"price,omitempty"`
}

// price is llm.Price as it is configured, in US dollars for a million tokens.
type price struct {
	Input     float64 `yaml:"input"`
	Output    float64 `yaml:"output"`
	CacheRead float64 `yaml:"cache_read"`
}

// modelKind makes a model and knows the environment variables that configure it without a file.
type modelKind struct {
	make       func(s modelSettings, client *http.Client) llm.Provider
	keyEnv     string
	baseURLEnv string
	fallback   string // the model when none is named
	lists      bool   // the server tells its models at /models
}

// openaiKind is the kind behind every OpenAI-compatible server.
const openaiKind = "openai"

// demoKind is the scripted model of `leadhand chat --demo`.
const demoKind = "demo"

// modelKinds are the model providers that can be configured.
func modelKinds() map[string]modelKind {
	return map[string]modelKind{
		openaiKind: {
			make: func(s modelSettings, c *http.Client) llm.Provider {
				return openai.New(openai.Config{Model: s.Model, APIKey: s.APIKey, BaseURL: s.BaseURL, HTTPClient: c})
			},
			keyEnv: "OPENAI_API_KEY", baseURLEnv: "OPENAI_BASE_URL", fallback: "gpt-5-mini", lists: true,
		},
		"anthropic": {
			make: func(s modelSettings, c *http.Client) llm.Provider {
				return anthropic.New(anthropic.Config{Model: s.Model, APIKey: s.APIKey, BaseURL: s.BaseURL, HTTPClient: c})
			},
			keyEnv: "ANTHROPIC_API_KEY", baseURLEnv: "ANTHROPIC_BASE_URL", fallback: "claude-sonnet-4-5",
		},
		"gemini": {
			make: func(s modelSettings, c *http.Client) llm.Provider {
				return gemini.New(gemini.Config{Model: s.Model, APIKey: s.APIKey, BaseURL: s.BaseURL, HTTPClient: c})
			},
			keyEnv: "GEMINI_API_KEY", baseURLEnv: "GEMINI_BASE_URL", fallback: "gemini-2.5-flash",
		},
		demoKind: {make: func(modelSettings, *http.Client) llm.Provider { return script.Demo() }},
	}
}
