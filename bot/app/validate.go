package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones by name also where the system has no database

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/app/strict"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/tools"
)

// problems collects what is wrong with a configuration.
type problems []error

func (p *problems) add(key string, err error) {
	if err != nil {
		*p = append(*p, fmt.Errorf("%s: %w", key, err))
	}
}

func (p *problems) oneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		p.add(key, strict.UnknownName("value", value, allowed))
	}
}

// number accepts 0, which means the default.
func (p *problems) number(key string, n, low, high int64) {
	if n != 0 && (n < low || n > high) {
		p.add(key, fmt.Errorf("%d is not between %d and %d", n, low, high))
	}
}

func (c *Config) validate(env Environ) error {
	var p problems
	p.oneOf("access", c.Access, "open", "closed")
	p.oneOf("steering", c.Steering, "steer", "queue")
	p.oneOf("log", c.Log, "debug", "info", "warn", "error")
	if _, err := time.LoadLocation(c.TimeZone); err != nil {
		p.add("time_zone", fmt.Errorf("%q is not a time zone such as Europe/Berlin", c.TimeZone))
	}
	for _, name := range names(c.Channels) {
		p.kind("channels."+name, c.Channels[name].Kind, names(channelKinds()))
	}
	for _, name := range names(c.Models) {
		m := c.Models[name]
		if p.kind("models."+name, m.Kind, names(modelKinds())) {
			_, err := m.modelSettings(env)
			p.add("models."+name+".settings", err)
		}
	}
	for _, name := range names(c.Agents) {
		c.Agents[name].validate("agents."+name, names(c.Models), &p)
	}
	c.rules(&p)
	c.Limits.validate(&p)
	if c.Notices != (Place{}) {
		p.oneOf("notices.channel", c.Notices.Channel, names(c.Channels)...)
		if c.Notices.Chat == "" {
			p.add("notices.chat", errors.New("it is missing"))
		}
	}
	for i, s := range c.Places {
		key := fmt.Sprintf("places[%d]", i)
		p.oneOf(key+".channel", s.Channel, names(c.Channels)...)
		s.validate(key, append(names(c.Agents), lead), &p)
		if s.Topic != "" && s.Chat == "" {
			p.add(key+".topic", errors.New("a topic needs its chat"))
		}
		same := func(other PlaceSettings) bool { return s.place() == other.place() }
		if first := slices.IndexFunc(c.Places, same); first < i {
			p.add(key, fmt.Errorf("it is the place of places[%d]", first))
		}
	}
	p = append(p, env.misspelt()...)
	return errors.Join(p...)
}

// rules checks what is said about tools, of all agents, of each, and of roles.
func (c *Config) rules(p *problems) {
	known := knownTools()
	p.add("tools", c.Tools.Check(known))
	p.providers("tools", c.Tools, names(c.Models))
	for _, name := range names(c.Agents) {
		p.add("agents."+name+".tools", c.Agents[name].Tools.Check(known))
		p.providers("agents."+name+".tools", c.Agents[name].Tools, names(c.Models))
	}
	var roles []string
	for _, r := range access.Roles() {
		roles = append(roles, string(r))
	}
	for _, name := range names(c.Roles) {
		if !slices.Contains(roles, name) {
			p.add("roles", strict.UnknownName("role", name, roles))
		}
		p.add("roles."+name+".deny", tools.CheckSelectors(c.Roles[name].Deny, known))
	}
}

// providers checks that rules for models are about models that there are.
func (p *problems) providers(key string, rules tools.Rules, models []string) {
	for _, name := range names(rules.Providers) {
		if !slices.Contains(models, name) {
			p.add(key+".providers", strict.UnknownName("model", name, models))
		}
	}
}

func (s PlaceSettings) validate(key string, agents []string, p *problems) {
	allowed := map[place.Key][]string{
		place.KeyAgent: agents, place.KeyAnswer: {string(place.Mention), string(place.Always)},
		place.KeyWho: {string(place.Members), string(place.Everyone)}, place.KeySteering: {"steer", "queue"},
		place.KeyReply: place.Replies(),
	}
	if len(s.People) > 0 {
		delete(allowed, place.KeyWho)
		if s.Who != "" {
			p.add(key+".people", errors.New("there is who, too: take one of them"))
		}
	}
	for _, id := range s.People {
		if channel, user, ok := strings.Cut(id, ":"); !ok || channel == "" || user == "" {
			p.add(key+".people", fmt.Errorf("%q is no id such as tg:501: `member list` and `whoami` show them", id))
		}
	}
	p.skillList(key+".skills", s.Skills)
	set, values := false, s.values()
	for _, name := range place.Keys() {
		value := values[name]
		set = set || value != ""
		if value != "" && allowed[name] != nil {
			p.oneOf(key+"."+string(name), value, allowed[name]...)
		}
	}
	if s.Tools != nil {
		p.add(key+".tools", tools.CheckSelectors(*s.Tools, knownTools()))
	}
	p.add(key+".deny", tools.CheckSelectors(s.Deny, knownTools()))
	if !set {
		p.add(key, errors.New("it sets none of agent, answer, who, people, tools, deny, prompt, reply, skills, steering"))
	}
}

// kind checks the kind of a module and tells whether it is known.
func (p *problems) kind(key, kind string, known []string) bool {
	switch {
	case kind == "" && len(known) > 0:
		p.add(key, fmt.Errorf("it has no kind: choose one of %s", strings.Join(known, ", ")))
	case !slices.Contains(known, kind):
		p.add(key+".kind", strict.UnknownName("value", kind, known))
	default:
		return true
	}
	return false
}

// The highest values catch slips of the keyboard; nothing breaks right above them.
const (
	maxWindow        = 100_000_000
	maxSteps         = 1000
	maxTurns         = 1024
	maxWaiting       = 100_000
	maxBytes         = 1 << 40
	maxRetentionDays = 36_500
	maxCalls         = 100_000
)

func (a Agent) validate(key string, models []string, p *problems) {
	for at, listed := range map[string][]string{".models": a.Models, ".choices": a.Choices} {
		for _, m := range listed {
			if !slices.Contains(models, m) {
				p.add(key+at, strict.UnknownName("model", m, models))
			}
		}
	}
	p.skillList(key+".skills", a.Skills)
	p.number(key+".window", int64(a.Window), 1000, maxWindow)
	p.number(key+".max_steps", int64(a.MaxSteps), 1, maxSteps)
	p.number(key+".max_output", int64(a.MaxOutput), 1, maxWindow)
}

func (l Limits) validate(p *problems) {
	p.number("limits.turns", int64(l.Turns), 1, maxTurns)
	p.number("limits.waiting", int64(l.Waiting), 1, maxWaiting)
	p.number("limits.workspace_bytes", l.WorkspaceBytes, 1, maxBytes)
	p.number("limits.file_bytes", l.FileBytes, 1, maxBytes)
	p.number("limits.retention_days", int64(l.RetentionDays), 1, maxRetentionDays)
	p.number("limits.calls.session", int64(l.Calls.Session), 1, maxCalls)
	p.number("limits.calls.person", int64(l.Calls.Person), 1, maxCalls)
	for _, name := range names(l.Calls.Tools) {
		p.number("limits.calls.tools."+name, int64(l.Calls.Tools[name]), 1, maxCalls)
		p.add("limits.calls.tools", tools.CheckSelectors([]string{name}, knownTools()))
	}
	if l.WorkspaceBytes > 0 && l.FileBytes > l.WorkspaceBytes {
		p.add("limits.file_bytes",
			fmt.Errorf("a file of %d bytes cannot be in a workspace of %d", l.FileBytes, l.WorkspaceBytes))
	}
}
