package app

import (
	"context"
	"io"
	"log/slog"

	"github.com/leadhand/leadhand/agent/llm"
)

// Asker is what a Finder asks.
type Asker = asker

// Finder is a finder whose surroundings a test makes up. Locals are base URLs of local servers.
type Finder struct {
	Env    Environ
	Tell   io.Writer
	Ask    Asker
	Locals []string
}

// Find runs the finder on cfg.
func (f Finder) Find(ctx context.Context, cfg *Config) error {
	inner := &finder{cfg: cfg, env: f.Env, log: slog.New(slog.DiscardHandler), tell: f.Tell, ask: f.Ask}
	for _, u := range f.Locals {
		inner.locals = append(inner.locals, local{"Fake", u})
	}
	return inner.find(ctx)
}

// LeadModel makes the lead agent's model of a configuration.
func LeadModel(cfg *Config, env Environ) (llm.Provider, error) {
	made, err := specs(cfg, env, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return made[lead].Model, nil
}

var (
	BaseURL = baseURL
	Choose  = choose
)
