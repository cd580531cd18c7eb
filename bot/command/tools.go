package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Toolbox shows, explains and changes which tools may be used in a place.
type Toolbox struct {
	Tenant string
	Book   Book
	Grants place.Grants
	People access.Known
	// Plan decides on the tools of a scope as its runs do; lifts are more exceptions than there are.
	Plan func(ctx context.Context, s tools.Scope, lifts ...tools.Exception) (*tools.Plan, error)
	// Scope is where a turn for the person would run.
	Scope func(ctx context.Context, req *bot.Request) (tools.Scope, error)
	// Name is what people call a conversation.
	Name func(ctx context.Context, c channels.Conversation) string
	// Say tells people something where they are.
	Say  func(ctx context.Context, m channels.Outbound) error
	Zone *time.Location // in which people are told times
}

// Tools is the verb about tools.
func Tools(t Toolbox) Verb {
	return Verb{
		Name: "tools", Changes: unless("why"), Role: access.Guest, Complete: t.complete,
		Help: "which tools I may use here; `--chat` or `--channel` at the end means all of the chat or the channel",
		Subs: []Sub{
			{Name: "list", Help: "the tools that may be used here"},
			{Name: "why", Args: "<tool>", Help: "who lets me use it here, or does not"},
			{Name: "only", Args: "<tools|none>", Help: "use only these here", Role: access.Lead},
			{Name: "allow", Args: "<tools> [for <name> <2h>]", Help: "use these here too, or for one person for a time",
				Role: access.Lead},
			{Name: "deny", Args: "<tools>", Help: "don't use these here", Role: access.Lead},
			{Name: "copy", Args: "from <place>", Help: "have the list of tools of another place here", Role: access.Admin},
			{Name: "reset", Help: "take back what was set here", Role: access.Lead},
			{Name: "ask", Args: "<tool> [2h]", Help: "ask an admin to let you use it here", Role: access.Member},
			{Name: "grant", Args: "<request>", Help: "say yes to who asked", Role: access.Admin},
			{Name: "refuse", Args: "<request>", Help: "say no to who asked", Role: access.Admin},
		},
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			word, rest, _ := strings.Cut(args, " ")
			rest = strings.TrimSpace(rest)
			switch word = strings.ToLower(word); word {
			case "why":
				return t.why(ctx, req, rest)
			case "only", "allow", "deny", "reset":
				return t.change(ctx, req, word, rest)
			case "copy":
				return t.copy(ctx, req, rest)
			case "ask":
				return t.ask(ctx, req, rest)
			case "grant":
				return t.decide(ctx, req, rest, place.Granted)
			case "refuse":
				return t.decide(ctx, req, rest, place.Denied)
			}
			return t.list(ctx, req)
		},
	}
}

// topics changes the settings of places for the toolbox.
func (t Toolbox) topics() Topics {
	return Topics{Book: t.Book, Tenant: t.Tenant, People: t.People, Zone: t.Zone}
}

func (t Toolbox) plan(ctx context.Context, req *bot.Request) (*tools.Plan, error) {
	s, err := t.Scope(ctx, req)
	if err != nil {
		return nil, err
	}
	return t.Plan(ctx, s)
}

// complete lists the names of tools and groups.
func (t Toolbox) complete(ctx context.Context, req *bot.Request, args string) []channels.Option {
	word, part, more := strings.Cut(args, " ")
	if !more || !slices.Contains([]string{"why", "only", "allow", "deny", "ask"}, strings.ToLower(word)) {
		return nil
	}
	plan, err := t.Plan(ctx, tools.Scope{Tenant: t.Tenant, Conversation: req.In.Conversation})
	if err != nil {
		return nil
	}
	before, last := "", part
	if i := strings.LastIndexByte(part, ' '); i >= 0 {
		before, last = part[:i+1], part[i+1:]
	}
	var names []string
	for _, d := range descriptors(plan) {
		names = append(names, d.Name, "group:"+d.Group)
	}
	slices.Sort(names)
	var fits []channels.Option
	for _, name := range slices.Compact(names) {
		if strings.HasPrefix(name, strings.ToLower(last)) && (word == "only" || word == "allow" || word == "deny" ||
			!strings.HasPrefix(name, "group:")) {
			fits = append(fits, channels.Option{Text: word + " " + before + name, Value: word + " " + before + name})
		}
	}
	return fits
}

// descriptors are those of all tools of a plan, whether they may be used or not.
func descriptors(p *tools.Plan) []tools.Descriptor {
	ds := tools.Descriptors(p.Visible)
	for _, h := range p.Hidden {
		ds = append(ds, h.Descriptor)
	}
	return ds
}

func (t Toolbox) list(ctx context.Context, req *bot.Request) (*bot.Answer, error) {
	plan, err := t.plan(ctx, req)
	if err != nil {
		return nil, err
	}
	all := len(plan.Visible) + len(plan.Hidden)
	if len(plan.Visible) == 0 {
		return aside("I may use none of %s for you here. `tools why <name>` says why.", bot.Count(all, "tool")), nil
	}
	var names, hidden []string
	for _, v := range plan.Visible {
		names = append(names, "`"+v.Name+"`")
	}
	for _, h := range plan.Hidden {
		hidden = append(hidden, "`"+h.Name+"`")
	}
	text := fmt.Sprintf("For you here: %d of %s. %s", len(names), bot.Count(all, "tool"), strings.Join(names, ", "))
	if len(hidden) > 0 {
		text += fmt.Sprintf("\n\nHidden: %s. `tools why <name>` says why.", strings.Join(hidden, ", "))
	}
	return &bot.Answer{Text: text, Aside: true}, nil
}

// why tells what every layer says about a tool, and who can change it.
func (t Toolbox) why(ctx context.Context, req *bot.Request, name string) (*bot.Answer, error) {
	plan, err := t.plan(ctx, req)
	if err != nil {
		return nil, err
	}
	verdicts, err := plan.Why(name)
	if err != nil {
		return aside("I can't explain that: %v.", err), nil
	}
	hides := func(v tools.Verdict) bool { return v.Hides }
	hidden := slices.ContainsFunc(verdicts, hides)
	lines := []string{fmt.Sprintf("✓ `%s` may be used for you here.", name)}
	if hidden {
		lines = []string{fmt.Sprintf("✗ `%s` is hidden for you here.", name)}
	}
	lines = append(lines, "")
	for _, v := range verdicts {
		line := "- " + channels.Literal(v.String())
		if v.Hides {
			line += " ← **hides it**"
		}
		lines = append(lines, line)
	}
	a := &bot.Answer{Aside: true}
	if hidden {
		who, err := t.changers(ctx)
		if err != nil {
			return nil, err
		}
		lines = append(lines, "", "Can change it: "+who)
		if ok, err := t.liftable(ctx, req, name); err != nil {
			return nil, err
		} else if ok && req.Person.Role.AtLeast(access.Member) {
			a.Buttons = [][]channels.Button{{{
				Text:    fmt.Sprintf("Request %s for 2 h", name),
				Command: channels.Command{Name: "tools", Args: "ask " + name + " 2h"},
				Guard:   channels.Guard{Actors: []channels.UserID{req.In.Sender.ID}},
			}}}
			lines = append(lines, fmt.Sprintf("Ask for it: `tools ask %s 2h`", name))
		}
	}
	a.Text = strings.Join(lines, "\n")
	return a, nil
}

// changers names who can change what a place allows.
func (t Toolbox) changers(ctx context.Context) (string, error) {
	all, err := t.People.All(ctx, t.Tenant)
	if err != nil {
		return "", err
	}
	var names []string
	for _, p := range all {
		if p.Role.AtLeast(access.Admin) {
			names = append(names, channels.Literal(p.Name))
		}
	}
	if len(names) == 0 {
		return "whoever runs me, in the configuration file", nil
	}
	return strings.Join(names, ", "), nil
}

// liftable tells whether an exception would let the person use a tool: it lifts what a place and a role say, and
// nothing else.
func (t Toolbox) liftable(ctx context.Context, req *bot.Request, name string) (bool, error) {
	s, err := t.Scope(ctx, req)
	if err != nil {
		return false, err
	}
	plan, err := t.Plan(ctx, s, tools.Exception{Selectors: []string{name}, Until: time.Now().Add(time.Hour)})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(plan.Visible, func(v tools.Tool) bool { return v.Name == name }), nil
}
