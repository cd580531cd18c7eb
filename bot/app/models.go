package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/app/strict"
)

// ErrNoModel means that nothing says which model to use.
var ErrNoModel = errors.New("no model is configured: set OPENAI_API_KEY, OPENAI_BASE_URL (any OpenAI-compatible " +
	"server), ANTHROPIC_API_KEY or GEMINI_API_KEY, and LEADHAND_MODEL=kind:model to choose; " +
	"`leadhand chat` in a terminal asks for one, and `leadhand chat --demo` needs none")

// defaultModel is the name of the model that the environment configures, and of the one that chat saves.
const defaultModel = "default"

// envKinds are asked in this order for the model when LEADHAND_MODEL does not say.
var envKinds = []string{openaiKind, "anthropic", "gemini"}

// modelFromEnv gives the kind and settings that the environment names; ErrNoModel when it names none. Without
// LEADHAND_MODEL the settings name no model.
func modelFromEnv(env Environ) (kind string, s modelSettings, err error) {
	kinds := modelKinds()
	kind, model, _ := strings.Cut(env["LEADHAND_MODEL"], ":")
	if kind == "" {
		for _, k := range envKinds {
			if env[kinds[k].keyEnv] != "" || k == openaiKind && env[kinds[k].baseURLEnv] != "" {
				kind = k
				break
			}
		}
	}
	if kind == "" {
		return "", s, ErrNoModel
	}
	k, ok := kinds[kind]
	if !ok {
		return "", s, fmt.Errorf("LEADHAND_MODEL: %w; write kind:model, such as openai:gpt-5-mini",
			strict.UnknownName("kind", kind, names(kinds)))
	}
	s = modelSettings{Model: model, APIKey: env[k.keyEnv], BaseURL: env[k.baseURLEnv]}
	if s.APIKey == "" && s.BaseURL == "" && k.keyEnv != "" {
		return "", s, fmt.Errorf("LEADHAND_MODEL names %s, but %s is not set", kind, k.keyEnv)
	}
	if err := checkBaseURL(s.BaseURL); err != nil {
		return "", s, fmt.Errorf("%s: %w", k.baseURLEnv, err)
	}
	return kind, s, nil
}

// checkBaseURL accepts an empty one. Its error does not hold the URL, in which people put passwords.
func checkBaseURL(raw string) error {
	if raw == "" {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("it must be a URL such as http://127.0.0.1:11434/v1")
	}
	return nil
}

// specs makes the agents. Models under "models" in the file come first; without any, the environment's is used.
func specs(cfg *Config, env Environ, log *slog.Logger) (map[string]*agent.Spec, error) {
	providers, err := providers(cfg, env, log)
	if err != nil {
		return nil, err
	}
	agents := cfg.Agents
	if _, ok := agents[lead]; !ok {
		agents = map[string]Agent{lead: {}}
	}
	out := map[string]*agent.Spec{}
	for name, a := range agents {
		models := a.Models
		if len(models) == 0 && len(cfg.Models) > 1 {
			return nil, fmt.Errorf("agents.%s.models: name one or more of %s", name, strings.Join(names(cfg.Models), ", "))
		}
		if len(models) == 0 {
			models = names(providers)
		}
		chain := func(names []string) llm.Provider {
			var ps []llm.Provider
			for _, m := range names {
				ps = append(ps, providers[m])
			}
			return llm.Fallback(ps...)
		}
		out[name] = &agent.Spec{
			Name: name, Model: chain(models), Instructions: a.Instructions, Window: a.Window,
			MaxSteps: a.MaxSteps, MaxOutput: a.MaxOutput, Choices: map[string]llm.Provider{},
		}
		for _, m := range slices.Concat(models, a.Choices) { // the others stand in when the chosen one fails
			others := slices.DeleteFunc(slices.Clone(models), func(other string) bool { return other == m })
			out[name].Choices[m] = chain(append([]string{m}, others...))
		}
	}
	return out, nil
}

func providers(cfg *Config, env Environ, log *slog.Logger) (map[string]llm.Provider, error) {
	if len(cfg.Models) == 0 {
		kind, s, err := modelFromEnv(env)
		if err != nil {
			return nil, err
		}
		return map[string]llm.Provider{defaultModel: provider(kind, s, log)}, nil
	}
	out := map[string]llm.Provider{}
	for name, m := range cfg.Models {
		s, err := m.modelSettings(env)
		if err != nil {
			return nil, fmt.Errorf("models.%s.settings: %w", name, err)
		}
		out[name] = provider(m.Kind, s, log)
	}
	return out, nil
}

// provider makes a model that is tried again after failures that pass. One without a name asks its server, if that
// one can tell.
func provider(kind string, s modelSettings, log *slog.Logger) llm.Provider {
	k := modelKinds()[kind]
	made := func(model string) llm.Provider {
		named := s
		named.Model = model
		return k.make(named, &http.Client{})
	}
	var p llm.Provider
	switch {
	case s.Model != "":
		p = made(s.Model)
	case k.lists && s.BaseURL != "":
		p = &unnamed{server: server{s.BaseURL, s.APIKey}, fallback: k.fallback, made: made, log: log}
	default:
		p = made(k.fallback)
	}
	if s.NoTools {
		p = toolless{p}
	}
	if s.Price != nil {
		p = llm.Priced(p, llm.Price(*s.Price))
	}
	return llm.Retry(p, llm.RetryPolicy{OnRetry: func(_ context.Context, err error, wait time.Duration) {
		log.Warn("model failed", "model", p.Name(), "again_in", wait, "err", err)
	}})
}

// modelSettings decodes a model's own settings; what they leave out comes from the usual environment variables.
func (m Module) modelSettings(env Environ) (s modelSettings, err error) {
	k := modelKinds()[m.Kind]
	if !m.Settings.IsZero() {
		if err := strict.Decode(&m.Settings, &s); err != nil {
			return s, err
		}
	}
	if s.BaseURL == "" { // a key must never go to another server than it is meant for
		s.BaseURL = env[k.baseURLEnv]
		s.APIKey = cmp.Or(s.APIKey, env[k.keyEnv])
	}
	if err := checkBaseURL(s.BaseURL); err != nil {
		return s, fmt.Errorf("base_url: %w", err)
	}
	if p := s.Price; p != nil && (p.Input < 0 || p.Output < 0 || p.CacheRead < 0) {
		return s, errors.New("price: it can't be negative")
	}
	if s.APIKey == "" && s.BaseURL == "" && k.keyEnv != "" {
		return s, fmt.Errorf("api_key is missing; %s in the environment would do too", k.keyEnv)
	}
	return s, nil
}
