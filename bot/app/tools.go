package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/leadhand/leadhand/agent/skill"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/fs"
	"github.com/leadhand/leadhand/tools/planmode"
	"github.com/leadhand/leadhand/tools/rate"
	"github.com/leadhand/leadhand/tools/spill"
	"github.com/leadhand/leadhand/tools/text"
	"github.com/leadhand/leadhand/tools/workspace"
)

// resultLimit is how many characters of one tool result a model sees.
const resultLimit = 8000

// kept is where built-in tools keep what they keep.
type kept struct {
	files   workspace.Store
	outputs spill.Store
	plans   planmode.Store
	skills  *skill.Library
}

// builtin lists the built-in tools.
func builtin(k kept, zone *time.Location) tools.Fixed {
	return slices.Concat(
		fs.Tools(k.files), text.Tools(zone, time.Now), k.skills.Tools(), planmode.Tools(k.plans),
		[]tools.Tool{spill.Tool(k.outputs)},
	)
}

// knownTools are those that rules may name.
func knownTools() []tools.Descriptor {
	return tools.Descriptors(builtin(kept{skills: &skill.Library{}}, time.UTC))
}

// roleRules are what people of each role may not have used for them.
func (c *Config) roleRules() access.RoleRules {
	rules := access.DefaultRoleRules()
	for name, r := range c.Roles {
		rules[access.Role(name)] = r.Deny
	}
	return rules
}

// planner decides which tools a scope is offered, for its runs and for those who ask.
func (a *App) planner(source tools.Source, lifts ...tools.Exception) *tools.Planner {
	roles := a.cfg.roleRules()
	return &tools.Planner{
		Source: source,
		Gates: func(ctx context.Context, s tools.Scope) ([]tools.Gate, error) {
			policy := tools.Policy{
				Global: a.cfg.Tools, Agent: a.cfg.Agents[s.Agent].Tools, AgentName: s.Agent,
				Provider: cmp.Or(s.Model, a.cfg.answers(s.Agent)),
			}
			gates, err := a.rules.Gates(ctx, s, roles.Gate(access.Role(s.Role)), lifts...)
			if err != nil {
				return nil, err
			}
			skills, err := a.skills.Gate(ctx, s)
			if err != nil {
				return nil, err
			}
			return append(append([]tools.Gate{skills, policy.Gate()}, gates...), tools.CapGate(s.Cap)), nil
		},
	}
}

// pipeline is what every call goes through.
func (a *App) pipeline() *tools.Pipeline {
	hidden := func(_ context.Context, _ *tools.Call, r *tools.Result) { r.ForModel = a.hide.Text(r.ForModel) }
	large := spill.Spiller{Store: store.NewOutputs(a.db), Limit: resultLimit, Log: a.log}
	return &tools.Pipeline{
		Checks: []tools.Check{planmode.Check(store.NewPlanModes(a.db)), rate.New(a.cfg.Limits.calls()).Check},
		Around: []tools.Middleware{a.metrics.calls},
		After:  []tools.After{hidden, a.audit.After, a.metrics.refused, large.After()},
		Log:    a.log,
	}
}

// calls are the limits of calls, with the defaults where nothing is set.
func (l Limits) calls() rate.Limits {
	c := l.Calls
	c.Session, c.Person = cmp.Or(c.Session, rate.Default.Session), cmp.Or(c.Person, rate.Default.Person)
	return c
}
