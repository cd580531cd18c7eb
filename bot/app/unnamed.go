package app

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"

	"github.com/leadhand/leadhand/agent/llm"
)

// unnamed is a model whose name nobody gave. The first call asks the server for it, not the start of the program: that
// one must not wait, and a server that starts later than the bot is asked again until it answers. Until then the
// kind's own default is tried.
type unnamed struct {
	server   server
	fallback string
	made     func(model string) llm.Provider
	log      *slog.Logger

	mu    sync.Mutex
	found llm.Provider
}

// Name names the default until the server told.
func (u *unnamed) Name() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.found != nil {
		return u.found.Name()
	}
	return u.made(u.fallback).Name()
}

func (u *unnamed) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) { u.model(ctx).Generate(ctx, req)(yield) }
}

// model is what this call goes to. Calls that come meanwhile wait for the same answer.
func (u *unnamed) model(ctx context.Context) llm.Provider {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.found != nil {
		return u.found
	}
	name, err := u.server.choose(ctx, u.fallback)
	if err != nil {
		u.log.Warn("the server did not tell its models: set LEADHAND_MODEL", "using", u.fallback, "err", err)
		return u.made(u.fallback)
	}
	u.found = u.made(name)
	u.log.Info("model chosen from the server's list", "model", u.found.Name())
	return u.found
}

// errNoModels means that a server works but has nothing to chat with.
var errNoModels = errors.New("it has no model that chats")

// choose asks the server, for a bounded time, and picks a model, see the function choose.
func (s server) choose(ctx context.Context, wanted string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	models, err := s.models(ctx)
	if err != nil {
		return "", err
	}
	if name := choose(models, wanted); name != "" {
		return name, nil
	}
	return "", errNoModels
}
