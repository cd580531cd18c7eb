package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/nearest"
)

// Choice is a model that people may choose.
type Choice struct {
	Name  string // in the configuration
	Model string // kind and model, "openai:gpt-5-mini"
	Price string // in words; empty when nobody knows
}

// Chooser chooses models for sessions and places.
type Chooser struct {
	Tenant   string
	Book     Book
	Agent    Answering
	Sessions interface {
		Model(ctx context.Context, tenant, agent string, c channels.Conversation) (string, error)
		Choose(ctx context.Context, tenant, agent string, c channels.Conversation, model string) error
	}
	// Choices are the models of an agent that may be chosen; the first is its own.
	Choices func(agent string) []Choice
	Zone    *time.Location
}

const (
	ownModel = "default" // the word for the agent's own model
	hereMark = "--here"  // behind a model: for the place, not only for the session
)

// Model shows and chooses the model that the agent asks here.
func Model(m Chooser) Verb {
	return Verb{
		Name: "model", Changes: unless(), Role: access.Member, Free: true,
		Help: "the model that I ask here; `model <name>` chooses one for this session, `--here` at the end for the place",
		Says: func(args string) bool {
			name, rest, _ := strings.Cut(args, " ")
			known := name == ownModel || slices.ContainsFunc(m.Choices(""), func(c Choice) bool { return c.Name == name })
			return known && (rest == "" || rest == hereMark)
		},
		Complete: func(_ context.Context, _ *bot.Request, args string) (fits []channels.Option) {
			for _, c := range m.Choices("") {
				if strings.HasPrefix(c.Name, strings.ToLower(args)) {
					fits = append(fits, channels.Option{Text: c.Name + " – " + c.Model, Value: c.Name})
				}
			}
			return fits
		},
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			agent, err := m.Agent(ctx, req.In.Conversation)
			if err != nil {
				return nil, err
			}
			name, here := strings.CutSuffix(args, hereMark)
			if name = strings.TrimSpace(name); name == "" {
				return m.show(ctx, req, agent)
			}
			choices := m.Choices(agent)
			if answer := unknownModel(choices, name); answer != nil {
				return answer, nil
			}
			if name == ownModel {
				name = ""
			}
			if here {
				return m.forPlace(ctx, req, name)
			}
			return m.forSession(ctx, req, agent, name)
		},
	}
}

// unknownModel says which models there are; nil when name is one of them.
func unknownModel(choices []Choice, name string) *bot.Answer {
	known := []string{ownModel}
	for _, c := range choices {
		known = append(known, c.Name)
	}
	if slices.Contains(known, name) {
		return nil
	}
	hint := strings.Join(known, ", ")
	if near := nearest.Nearest(name, known, 1); len(near) > 0 {
		hint += fmt.Sprintf("; did you mean `%s`?", near[0])
	}
	return aside("`%s` is none of: %s", inline(name), hint)
}

func (m Chooser) show(ctx context.Context, req *bot.Request, agent string) (*bot.Answer, error) {
	e, err := m.Book.At(ctx, req.In.Conversation)
	if err != nil {
		return nil, err
	}
	session, err := m.Sessions.Model(ctx, m.Tenant, agent, req.In.Conversation)
	if err != nil {
		return nil, err
	}
	choices := m.Choices(agent)
	is := func(name string) bool {
		return slices.ContainsFunc(choices, func(c Choice) bool { return c.Name == name })
	}
	now, source := choices[0].Name, "default"
	switch s := e.Get(place.KeyModel); {
	case is(session):
		now, source = session, "this session"
	case s != nil && is(s.Value):
		now, source = s.Value, s.Source(m.Zone)
	}
	lines := []string{fmt.Sprintf("I ask `%s` here (%s).", inline(now), channels.Literal(source)), ""}
	button := channels.Button{Text: "Choose for this session", Command: channels.Command{Name: "model"}}
	for _, c := range choices {
		line := fmt.Sprintf("- `%s`: %s", inline(c.Name), channels.Literal(c.Model))
		if c.Price != "" {
			line += ", " + channels.Literal(c.Price) + " for a million tokens"
		}
		lines = append(lines, line)
		button.Options = append(button.Options, channels.Option{Text: c.Name, Value: c.Name})
	}
	a := aside("%s", strings.Join(lines, "\n"))
	if len(choices) > 1 {
		a.Buttons = [][]channels.Button{{button}}
	}
	return a, nil
}

// forSession chooses the model of the session here. A chat of many is for leads to decide on.
func (m Chooser) forSession(ctx context.Context, req *bot.Request, agent, name string) (*bot.Answer, error) {
	if !req.In.Direct && !req.Person.Role.AtLeast(access.Lead) {
		return nil, access.Lacks(req.Person, access.Lead, "choose the model for others")
	}
	if err := m.Sessions.Choose(ctx, m.Tenant, agent, req.In.Conversation, name); err != nil {
		return nil, err
	}
	if name == "" {
		return openly("From the next message on this session asks the model that is set for the place."), nil
	}
	return openly("From the next message on this session asks `%s`. A new session begins with the usual one; "+
		"`model %s --here` sets it for all of them.", inline(name), inline(name)), nil
}

func (m Chooser) forPlace(ctx context.Context, req *bot.Request, name string) (*bot.Answer, error) {
	if !req.Person.Role.AtLeast(access.Lead) {
		return nil, access.Lacks(req.Person, access.Lead, "choose the model of a place")
	}
	t := Topics{Book: m.Book, Zone: m.Zone}
	a, err := t.set(ctx, req, req.In.Conversation, place.KeyModel, name)
	if errors.Is(err, place.ErrChanged) {
		return t.raced(ctx, req.In.Conversation, place.KeyModel)
	}
	return a, err
}
