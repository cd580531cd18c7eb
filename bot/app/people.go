package app

import (
	"context"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/bot/command"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// makePeople makes who may talk, what is set for places, and what people can tell the program.
func (a *App) makePeople() {
	a.people, a.codes = access.Cached(store.NewPeople(a.db)), store.NewCodes(a.db)
	a.book = place.NewBook(tenant, store.NewPlaces(a.db), a.places(), a.agents(), a.log)
	a.rules = &place.Rules{Tenant: tenant, Book: a.book, Grants: store.NewGrants(a.db), Zone: a.zone()}
	a.files = store.NewWorkspaces(a.db, a.workspaceLimits())
	a.skills = a.cfg.library(a.book)
	a.tools = builtin(kept{
		files: a.files, outputs: store.NewOutputs(a.db), plans: store.NewPlanModes(a.db), skills: a.skills,
	}, a.zone())
	a.audit = &audit.Log{Tenant: tenant, Store: store.NewAudit(a.db), Hide: a.hide.Text, Log: a.log}
	a.verbs = command.New(commands(a)...).Recording(a.recordWords)
}

// revisions are those of the objects that verbs put buttons on.
func (a *App) revisions() map[string]bot.Revision {
	kind, revision := command.GrantRevision(tenant, a.rules.Grants)
	return map[string]bot.Revision{kind: revision}
}

// scope is where a turn for the person who gives a command would run.
func (a *App) scope(ctx context.Context, req *bot.Request) (tools.Scope, error) {
	e, err := a.book.At(ctx, req.In.Conversation)
	if err != nil {
		return tools.Scope{}, err
	}
	s := tools.Scope{
		Tenant: tenant, Agent: e.Agent(lead), User: req.Person.ID, Role: string(req.Person.Role),
		Conversation: req.In.Conversation,
	}
	s.Model, err = a.chosen(ctx, s)
	return s, err
}

// agents are the names of the agents that can answer people, the one where nothing is set first.
func (a *App) agents() []string {
	all := []string{lead}
	for _, name := range names(a.cfg.Agents) {
		if name != lead {
			all = append(all, name)
		}
	}
	return all
}

// commands are the verbs, in the order in which help shows them.
func commands(a *App) []command.Verb {
	sessions := store.NewSessions(a.db)
	answers := func(ctx context.Context, c channels.Conversation) (string, error) {
		e, err := a.book.At(ctx, c)
		if err != nil {
			return "", err
		}
		return e.Agent(lead), nil
	}
	stop := func(ctx context.Context, session string, all bool) (stopped, waiting int, err error) {
		return a.inbox.Stop(ctx, session, all)
	}
	say := func(ctx context.Context, m channels.Outbound) error { return a.outbox.Post(ctx, tenant, "", m) }
	return []command.Verb{
		command.Ask(),
		command.Fresh(tenant, sessions, answers),
		command.Resume(tenant, sessions, answers, a.zone()),
		command.Stop(tenant, sessions, stop),
		command.Status(tenant, sessions),
		command.WhoAmI(tenant, a.people),
		command.Link(tenant, a.codes, a.people),
		command.Topic(command.Topics{
			Book: a.book, Agents: a.agents(), Steers: a.cfg.Steering == "steer", Tenant: tenant,
			People: a.people, Zone: a.zone(),
			Skills: func() ([]string, error) { return skillNames(a.skills) },
		}),
		command.Tools(command.Toolbox{
			Tenant: tenant, Book: a.book, Grants: a.rules.Grants, People: a.people, Scope: a.scope, Say: say, Zone: a.zone(),
			Name: bot.Naming(a.channel).Of,
			Plan: func(ctx context.Context, s tools.Scope, lifts ...tools.Exception) (*tools.Plan, error) {
				return a.planner(a.tools, lifts...).Plan(ctx, s)
			},
		}),
		command.Model(command.Chooser{
			Tenant: tenant, Book: a.book, Agent: answers, Sessions: sessions, Choices: a.choices, Zone: a.zone(),
		}),
		command.Usage(command.Meter{Tenant: tenant, Spent: store.NewUsage(a.db).Spent, People: a.people}),
		command.Audit(command.Auditor{
			Tenant: tenant, Find: store.NewAudit(a.db).Find, People: a.people, Zone: a.zone(),
		}),
		command.Mute(a.book),
		command.Unmute(a.book),
		command.Doctor(a.examine, a.pressed),
		command.Member(command.Members{Tenant: tenant, People: a.people, Codes: a.codes, Say: say}),
	}
}

// access is who may talk. owner names the channel whose people are owners.
func (a *App) access(owner string) bot.Access {
	gate := &access.Gate{
		Tenant: tenant, People: a.people, Open: a.cfg.Access == "open", Local: owner, Door: a.book.Door,
	}
	return bot.Access{Admit: gate.Admit, People: a.people, Codes: a.codes}
}

// places is what the configuration file sets for places.
func (a *App) places() []place.Setting {
	var all []place.Setting
	for _, s := range a.cfg.Places {
		at := s.place().conversation()
		if name, ok := channelKinds()[a.cfg.Channels[s.Channel].Kind].topics[s.Topic]; ok {
			at.Topic = name
		}
		values := s.values()
		for _, key := range place.Keys() {
			if value := values[key]; value != "" {
				all = append(all, place.Setting{At: at, Key: key, Value: value})
			}
		}
	}
	return all
}

// values are what a place sets, as settings hold it; empty where it sets nothing.
func (s PlaceSettings) values() map[place.Key]string {
	values := map[place.Key]string{
		place.KeyAgent: s.Agent, place.KeyAnswer: s.Answer, place.KeyWho: s.Who, place.KeyPrompt: s.Prompt,
		place.KeySteering: s.Steering, place.KeyReply: s.Reply,
	}
	if len(s.People) > 0 {
		values[place.KeyWho] = place.List(s.People)
	}
	if s.Skills != nil {
		values[place.KeySkills] = place.SkillList(*s.Skills)
	}
	if s.Tools != nil || len(s.Deny) > 0 {
		l := place.ToolList{Deny: s.Deny}
		if s.Tools != nil {
			l.Limited, l.Only = true, *s.Tools
		}
		values[place.KeyTools] = l.Encode()
	}
	return values
}
