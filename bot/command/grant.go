package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// ask asks the admins to let a person use a tool here for a time.
func (t Toolbox) ask(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
	words := strings.Fields(args)
	d := usualGrant
	if len(words) == 2 {
		var ok bool
		if d, ok = lasts(words[1]); !ok {
			words = nil
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return aside("Write `tools ask <tool> <2h>`; at most 30 days."), nil
	}
	name := words[0]
	plan, err := t.plan(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := tools.CheckSelectors([]string{name}, descriptors(plan)); err != nil || strings.Contains(name, ":") {
		return t.why(ctx, req, name)
	}
	if _, err := plan.Lookup(name); err == nil {
		return aside("`%s` may be used for you here already.", name), nil
	}
	if ok, err := t.liftable(ctx, req, name); err != nil {
		return nil, err
	} else if !ok {
		return aside("Nobody can grant `%s` from chat: the configuration leaves it out. "+
			"`tools why %s` shows where.", name, name), nil
	}
	g := &place.Grant{
		Code: access.NewRequestCode(), At: req.In.Conversation, Person: req.Person.ID, Name: req.In.Sender.Name,
		Tools: []string{name}, Lasts: d,
	}
	if g, err = t.Grants.Ask(ctx, t.Tenant, g); err != nil {
		return nil, err
	}
	if g.Decision == place.Denied {
		return aside("%s said no a moment ago. You can ask again in an hour.", channels.Literal(g.By)), nil
	}
	if err := t.present(ctx, g); err != nil { // also one that was asked before: showing it may have failed
		return nil, err
	}
	return openly("I asked the admins (request %s). You hear from me here.", g.Code), nil
}

// grantObject is the kind of wishes for tools as what buttons are about; their id is the code.
const grantObject = "grant"

// GrantRevision is number 0 while a wish for tools is open, and 1 once it is decided.
func GrantRevision(tenant string, grants place.Grants) (kind string, revision bot.Revision) {
	return grantObject, func(ctx context.Context, id string) (bot.State, error) {
		g, err := grants.Find(ctx, tenant, id)
		if err != nil || g == nil {
			return bot.Decided(), err
		}
		return bot.StateOf(string(g.Decision), g.By, g.DecidedAt), nil
	}
}

// present shows the admins what somebody asks for: in the place, and where each of them is alone with the bot.
func (t Toolbox) present(ctx context.Context, g *place.Grant) error {
	guard := channels.Guard{Object: grantObject + ":" + g.Code}
	card := &channels.Card{
		Title: fmt.Sprintf("%s asks for a tool", g.Name), Tone: channels.Warning,
		Fields: []channels.Field{
			{Name: "Where", Value: channels.Literal(t.Name(ctx, g.At))},
			{Name: "Tool", Value: "`" + strings.Join(g.Tools, "`, `") + "`"},
			{Name: "For", Value: words(g.Lasts)}, {Name: "Request", Value: g.Code},
		},
	}
	rows := [][]channels.Button{{
		{Text: "Allow for " + words(g.Lasts), Style: channels.Primary, Guard: guard,
			Command: channels.Command{Name: "tools", Args: "grant " + g.Code}},
		{Text: "Refuse", Style: channels.Danger, Guard: guard,
			Command: channels.Command{Name: "tools", Args: "refuse " + g.Code}},
	}}
	to := []channels.Conversation{g.At}
	admins, err := access.Reachable(ctx, t.People, t.Tenant)
	if err != nil {
		return err
	}
	for _, p := range admins {
		if p.ID != g.Person {
			to = append(to, p.Direct...)
		}
	}
	for _, at := range to {
		err := t.Say(ctx, channels.Outbound{
			Key: "grant/" + g.Code + "/" + at.String(), Conversation: at, Card: card, Buttons: rows,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// decide says yes or no to a wish, once, and tells whoever asked.
func (t Toolbox) decide(ctx context.Context, req *bot.Request, code string, d place.Decision) (*bot.Answer, error) {
	g, ok, err := t.Grants.Decide(ctx, t.Tenant, strings.ToUpper(code), d, req.Person.Name)
	switch {
	case err != nil:
		return nil, err
	case g == nil:
		return aside("There is no request `%s`.", inline(code)), nil
	case !ok && (g.By != req.Person.Name || g.Decision != d):
		return openly("%s decided this already: %s.", channels.Literal(g.By), g.Decision), nil
	}
	what := "`" + strings.Join(g.Tools, "`, `") + "`"
	told := fmt.Sprintf("%s: %s says no to %s.", channels.Literal(g.Name), channels.Literal(g.By), what)
	if d == place.Granted {
		told = fmt.Sprintf("%s: you may use %s here until %s, %s says.", channels.Literal(g.Name), what, t.until(g.Until),
			channels.Literal(g.By))
	}
	if g.At != req.In.Conversation {
		if err := t.Say(ctx, channels.Outbound{Key: "granted/" + g.Code, Conversation: g.At, Text: told}); err != nil {
			return nil, err
		}
	}
	return &bot.Answer{Text: told, Edits: true}, nil
}
