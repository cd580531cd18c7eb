package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// finder finds a model for a chat. What is configured comes first: the environment, then the file. Else it looks for a
// model server on this machine, and at last asks the person. Whatever is found that way is saved once it has answered.
type finder struct {
	cfg    *Config
	env    Environ
	log    *slog.Logger
	tell   io.Writer // where it says what it does
	ask    asker     // nil when there is nobody to ask
	locals []local
}

// local is a model server that people run on their own machine.
type local struct{ name, baseURL string }

// knownLocals listen at the ports that these programs take by themselves.
func knownLocals() []local {
	return []local{{"Ollama", "http://127.0.0.1:11434/v1"}, {"LM Studio", "http://127.0.0.1:1234/v1"}}
}

const (
	// probeTimeout bounds the look for all local servers together. One that runs answers in a few milliseconds.
	probeTimeout = 300 * time.Millisecond
	// newTest bounds the test of a model that was never used: a local server may have to load it first.
	newTest = 90 * time.Second
	// knownTest bounds the test of a configured model. The chat starts in any case.
	knownTest = 10 * time.Second
)

// find makes sure that the chat has a model.
func (f *finder) find(ctx context.Context) error {
	if len(f.cfg.Models) > 0 || f.env.configured() {
		return f.check(ctx)
	}
	for _, l := range f.probe(ctx) {
		c := candidate{kind: openaiKind, modelSettings: l}
		f.say("Testing %s at %s … ", c.Model, c.BaseURL)
		if tools, err := c.test(ctx, newTest); err == nil {
			return f.accept(c, tools)
		} else if f.say("%s.\n", reason(err)); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if f.ask == nil {
		return ErrNoModel
	}
	return f.setUp(ctx)
}

func (f *finder) say(format string, args ...any) { _, _ = fmt.Fprintf(f.tell, format, args...) }

// probe looks at all local servers at once and gives those that have a model.
func (f *finder) probe(ctx context.Context) []modelSettings {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	answers := make([]string, len(f.locals))
	errs := make([]error, len(f.locals))
	var all sync.WaitGroup
	for i, l := range f.locals {
		all.Go(func() { answers[i], errs[i] = server{baseURL: l.baseURL}.choose(ctx, "") })
	}
	all.Wait()
	var found []modelSettings
	for i, l := range f.locals {
		switch {
		case errs[i] == nil:
			f.say("%s runs on this machine.\n", l.name)
			found = append(found, modelSettings{Model: answers[i], BaseURL: l.baseURL})
		case errors.Is(errs[i], errNoModels):
			f.say("%s runs on this machine, but %v.\n", l.name, errs[i])
		}
	}
	return found
}

// check tests a configured model and says what works. Nobody waits for that in a pipe, which gets the failure words as
// answers instead. A failure does not keep the chat from starting.
func (f *finder) check(ctx context.Context) error {
	name, c, err := f.configured()
	if err != nil || f.ask == nil || c.kind == demoKind {
		return err
	}
	if c.Model == "" {
		if c.Model, err = (server{c.BaseURL, c.APIKey}).choose(ctx, modelKinds()[c.kind].fallback); err != nil {
			f.say("The model server cannot be asked for its models: %v.\n", err)
			f.say("The chat starts all the same. LEADHAND_MODEL=kind:model names a model.\n\n")
			return nil
		}
	}
	f.say("Testing %s … ", c.Model)
	tools, err := c.test(ctx, knownTest)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		f.say("%s.\nThe chat starts all the same, and each message tries it again. To try: %s.\n\n", reason(err), remedy(err))
		return nil
	}
	f.say("%s.\n\n", works(tools))
	c.NoTools = !tools
	m, err := c.module()
	if err != nil {
		return err
	}
	if f.cfg.Models == nil {
		f.cfg.Models = map[string]Module{}
	}
	f.cfg.Models[name] = m
	return nil
}

// configured is the model that the lead agent asks first.
func (f *finder) configured() (name string, c candidate, err error) {
	if len(f.cfg.Models) == 0 {
		c.kind, c.modelSettings, err = modelFromEnv(f.env)
	} else {
		name = names(f.cfg.Models)[0]
		if chain := f.cfg.Agents[lead].Models; len(chain) > 0 {
			name = chain[0]
		}
		m := f.cfg.Models[name]
		c.kind = m.Kind
		c.modelSettings, err = m.modelSettings(f.env)
	}
	if k := modelKinds()[c.kind]; c.Model == "" && (!k.lists || c.BaseURL == "") {
		c.Model = k.fallback
	}
	return cmp.Or(name, defaultModel), c, err
}

// accept takes a tested model into the configuration and saves it.
func (f *finder) accept(c candidate, tools bool) error {
	f.say("%s.\n", works(tools))
	c.NoTools = !tools
	m, err := c.module()
	if err != nil {
		return err
	}
	f.cfg.Models = map[string]Module{defaultModel: m}
	if f.cfg.file != "" {
		f.say("It is not saved, since %s is in use: put it there under models.\n\n", f.cfg.file)
		return nil
	}
	path, err := save(f.cfg.Data, m)
	if err != nil {
		f.log.Error("the model is not saved", "err", err)
		f.say("It cannot be saved, so the next chat asks again: %v.\n\n", err)
		return nil
	}
	f.say("Saved in %s.\n\n", path)
	return nil
}

func works(tools bool) string {
	if tools {
		return "it answers and calls tools"
	}
	return "it answers but does not call tools, so it is for chat only"
}

// candidate is a model that may be used.
type candidate struct {
	kind string
	modelSettings
}

func (c candidate) module() (Module, error) {
	m := Module{Kind: c.kind}
	if err := m.Settings.Encode(c.modelSettings); err != nil {
		return m, fmt.Errorf("write the model's settings: %w", err)
	}
	return m, nil
}
