package app

import (
	"cmp"
	"context"
	"slices"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/command"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/tools"
)

// chosen is the model that people chose for a run of an agent: for its session, or for the place.
func (a *App) chosen(ctx context.Context, s tools.Scope) (string, error) {
	choices := a.choices(s.Agent)
	if len(choices) < 2 {
		return "", nil
	}
	is := func(name string) bool {
		return slices.ContainsFunc(choices, func(c command.Choice) bool { return c.Name == name })
	}
	model, err := store.NewSessions(a.db).Model(ctx, tenant, s.Agent, s.Conversation)
	if err != nil || is(model) {
		return model, err
	}
	e, err := a.book.At(ctx, s.Conversation)
	if err != nil || !is(e.Model()) { // it may be gone from the configuration
		return "", err
	}
	return e.Model(), nil
}

// choices are the models of an agent that people may choose, its own first.
func (a *App) choices(name string) []command.Choice {
	spec := a.specs[cmp.Or(name, lead)]
	if spec == nil {
		return nil
	}
	own := a.cfg.answers(spec.Name)
	all := []string{own}
	for _, m := range slices.Concat(a.cfg.Agents[spec.Name].Models, a.cfg.Agents[spec.Name].Choices) {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	found := make([]command.Choice, len(all))
	for i, m := range all {
		found[i] = a.choice(spec, m)
	}
	return found
}

func (a *App) choice(spec *agent.Spec, name string) command.Choice {
	c := command.Choice{Name: cmp.Or(name, defaultModel), Model: spec.Model.Name()}
	m, ok := a.cfg.Models[name]
	if !ok {
		return c
	}
	s, _ := m.modelSettings(nil) // without the environment a key may be missing, which does not matter here
	c.Model = m.Kind + ":" + cmp.Or(s.Model, "its server's own")
	if s.Price != nil {
		c.Price = llm.Price(*s.Price).String()
	}
	return c
}
