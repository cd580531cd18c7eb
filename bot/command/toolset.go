package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// noneWord stands for no tools at all.
const noneWord = "none"

// change sets the list of a place. Leads may only narrow what counts; who may widen it is an admin.
func (t Toolbox) change(ctx context.Context, req *bot.Request, word, args string) (*bot.Answer, error) {
	at, args := wide(req.In.Conversation, args)
	selectors, forWhom, timed := strings.Cut(args+" ", " for ")
	names := strings.Fields(strings.ReplaceAll(selectors, ",", " "))
	plan, err := t.plan(ctx, req)
	if err != nil {
		return nil, err
	}
	all := descriptors(plan)
	switch {
	case word == "reset":
		names = nil
	case len(names) == 0:
		return aside("Name the tools: `tools %s read_file group:web`.", word), nil
	case word == "only" && slices.Equal(names, []string{noneWord}):
		names = []string{}
	default:
		if err := tools.CheckSelectors(names, all); err != nil {
			return aside("I did nothing: %v.", err), nil
		}
	}
	if timed && word == "allow" {
		return t.allowFor(ctx, req, names, strings.TrimSpace(forWhom))
	}
	e, err := t.Book.At(ctx, at)
	if err != nil {
		return nil, err
	}
	value, changed := changedList(e, at, word, names)
	if !changed {
		return aside("Nothing here keeps those tools away, so I did nothing. `tools why <name>` shows what does."), nil
	}
	after := e.With(place.Setting{At: at, Key: place.KeyTools, Value: value})
	if !req.Person.Role.AtLeast(access.Admin) && (widens(e, after, all) || at != req.In.Conversation) {
		return nil, access.Lacks(req.Person, access.Admin, "let more tools be used")
	}
	topics := Topics{Book: t.Book, Agents: []string{""}}
	a, err := topics.set(ctx, req, at, place.KeyTools, value)
	if err == nil && word == "only" && len(names) == 0 {
		a.Text += " No tools may be used here now."
	}
	return a, err
}

// changedList is the list of a place after a change; changed is false when there is nothing to change.
func changedList(
	e *place.Effective, at channels.Conversation, word string, names []string,
) (value string, changed bool) {
	var l place.ToolList
	if here := e.Here(at, place.KeyTools); here != nil {
		l = place.ReadTools(here.Value)
	}
	without := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(names, s) })
	}
	switch word {
	case "reset":
		return "", e.Here(at, place.KeyTools) != nil
	case "only":
		l.Limited, l.Only, l.Deny = true, names, without(l.Deny)
	case "deny":
		l.Deny = append(without(l.Deny), names...)
	case "allow":
		limit, limited := e.Limit()
		denied := len(without(l.Deny)) < len(l.Deny)
		if !limited && !denied {
			return "", false
		}
		l.Deny = without(l.Deny)
		if limited {
			l.Limited, l.Only = true, append(without(limit), names...)
		}
	}
	if !l.Limited && len(l.Deny) == 0 {
		return "", true
	}
	return l.Encode(), true
}

// widens tells whether any tool may be used after a change that might not before.
func widens(before, after *place.Effective, all []tools.Descriptor) bool {
	return slices.ContainsFunc(all, func(d tools.Descriptor) bool { return after.Allows(&d) && !before.Allows(&d) })
}

// How long a grant may last.
const (
	usualGrant = 2 * time.Hour
	maxGrant   = 30 * 24 * time.Hour
)

// lasts reads how long something is to last: 30m, 2h, 3d.
func lasts(text string) (time.Duration, bool) {
	day := time.Duration(1)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		text, day = days+"h", 24
	}
	d, err := time.ParseDuration(text)
	return d * day, err == nil && d > 0 && d*day <= maxGrant
}

// allowFor lets one person use tools here for a time.
func (t Toolbox) allowFor(ctx context.Context, req *bot.Request, names []string, forWhom string) (*bot.Answer, error) {
	if !req.Person.Role.AtLeast(access.Admin) {
		return nil, access.Lacks(req.Person, access.Admin, "let somebody use more tools")
	}
	i := strings.LastIndexByte(forWhom, ' ')
	d, ok := lasts(forWhom[i+1:])
	if i < 0 || !ok {
		return aside("Write `tools allow <tools> for <name> <2h>`; it lasts at most 30 days."), nil
	}
	all, err := t.People.All(ctx, t.Tenant)
	if err != nil {
		return nil, err
	}
	found := named(all, forWhom[:i])
	if len(found) != 1 {
		return aside("I know %s called `%s`; `member list` shows everybody.",
			bot.Count(len(found), "person"), inline(forWhom[:i])), nil
	}
	g := &place.Grant{
		Code: access.NewRequestCode(), At: req.In.Conversation, Person: found[0].ID, Name: found[0].Name, Tools: names,
		Lasts: d, Decision: place.Granted, By: req.Person.Name,
	}
	if err := t.Grants.Ask(ctx, t.Tenant, g); err != nil {
		return nil, err
	}
	return openly("%s may use %s here until %s, as far as the configuration lets anybody.",
		bot.Literal(g.Name), bot.Literal(strings.Join(names, ", ")), t.until(time.Now().Add(d))), nil
}

func (t Toolbox) until(at time.Time) string { return at.In(t.Zone).Format("2 Jan 15:04") }

// words is a time span as people say it.
func words(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0:
		return bot.Count(int(d/(24*time.Hour)), "day")
	case d%time.Hour == 0:
		return bot.Count(int(d/time.Hour), "hour")
	}
	return d.String()
}
