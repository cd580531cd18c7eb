package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
)

// ErrNoModel means that nothing says which model to use.
var ErrNoModel = errors.New("no model is configured: set OPENAI_API_KEY, OPENAI_BASE_URL (any OpenAI-compatible " +
	"server), ANTHROPIC_API_KEY or GEMINI_API_KEY, and LEADHAND_MODEL=kind:model to choose; " +
	"`leadhand chat --demo` needs none")

// envModel is the name of the model that the environment configures.
const envModel = "default"

// envKinds are asked in this order for the model when LEADHAND_MODEL does not say.
var envKinds = []string{"openai", "anthropic", "gemini"}

// modelFromEnv gives the kind and settings that the environment names; ErrNoModel when it names none.
func modelFromEnv(env Environ) (kind string, s modelSettings, err error) {
	kinds := modelKinds()
	kind, model, _ := strings.Cut(env["LEADHAND_MODEL"], ":")
	if kind == "" {
		for _, k := range envKinds {
			if env[kinds[k].keyEnv] != "" || k == "openai" && env[kinds[k].baseURLEnv] != "" {
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
		return "", s, fmt.Errorf("LEADHAND_MODEL: %w", unknownName("kind", kind, names(kinds)))
	}
	s = modelSettings{Model: first(model, k.fallback), APIKey: env[k.keyEnv], BaseURL: env[k.baseURLEnv]}
	if s.APIKey == "" && s.BaseURL == "" && k.keyEnv != "" {
		return "", s, fmt.Errorf("LEADHAND_MODEL names %s, but %s is not set", kind, k.keyEnv)
	}
	return kind, s, nil
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
		var chain []llm.Provider
		for _, m := range models {
			chain = append(chain, providers[m])
		}
		out[name] = &agent.Spec{
			Name: name, Model: llm.Fallback(chain...), Instructions: a.Instructions, Window: a.Window,
			MaxSteps: a.MaxSteps, MaxOutput: a.MaxOutput,
		}
	}
	return out, nil
}

func providers(cfg *Config, env Environ, log *slog.Logger) (map[string]llm.Provider, error) {
	out := map[string]llm.Provider{}
	client := &http.Client{}
	retried := func(p llm.Provider) llm.Provider {
		return llm.Retry(p, llm.RetryPolicy{OnRetry: func(_ context.Context, err error, wait time.Duration) {
			log.Warn("model failed", "model", p.Name(), "again_in", wait, "err", err)
		}})
	}
	if len(cfg.Models) == 0 {
		kind, s, err := modelFromEnv(env)
		if err != nil {
			return nil, err
		}
		out[envModel] = retried(modelKinds()[kind].make(s, client))
		return out, nil
	}
	for name, m := range cfg.Models {
		s, err := m.modelSettings(env)
		if err != nil {
			return nil, fmt.Errorf("models.%s.settings: %w", name, err)
		}
		out[name] = retried(modelKinds()[m.Kind].make(s, client))
	}
	return out, nil
}

// modelSettings decodes a model's own settings; what they leave out comes from the usual environment variables.
func (m Module) modelSettings(env Environ) (s modelSettings, err error) {
	k := modelKinds()[m.Kind]
	if m.Settings.Kind == yaml.MappingNode {
		if err := decodeStrict(&m.Settings, &s); err != nil {
			return s, err
		}
	}
	s.Model = first(s.Model, k.fallback)
	if s.BaseURL == "" { // a key must never go to another server than it is meant for
		s.BaseURL = env[k.baseURLEnv]
		s.APIKey = first(s.APIKey, env[k.keyEnv])
	}
	return s, nil
}
