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

// noneWord is how people say that there shall be none of something.
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
	if timed {
		return t.timed(ctx, req, word, names, at, strings.TrimSpace(forWhom))
	}
	e, err := t.Book.Fresh(ctx, at)
	if err != nil {
		return nil, err
	}
	value, changed := changedList(e, at, word, names)
	if !changed {
		return aside("Nothing is set here that keeps those tools away, so I did nothing. `tools why <name>` shows what " +
			"does."), nil
	}
	after := e.With(place.Setting{At: at, Key: place.KeyTools, Value: value})
	if !req.Person.Role.AtLeast(access.Admin) && (at != req.In.Conversation || widens(e, at, word, names) ||
		moreTools(e, after, all)) {
		return nil, access.Lacks(req.Person, access.Admin, "let more tools be used")
	}
	a, err := t.topics().write(ctx, req, e, at, place.KeyTools, value)
	if err != nil {
		return nil, err
	}
	switch away := stillAway(after, names, all); {
	case word == "only" && len(names) == 0:
		a.Text += " No tools may be used here now."
	case word != "deny" && word != "reset" && len(away) > 0:
		a.Text += fmt.Sprintf(" Something else keeps `%s` away; `tools why %s` shows what.",
			strings.Join(away, "`, `"), away[0])
	}
	return a, nil
}

// stillAway are the tools of those names that may not be used all the same.
func stillAway(after *place.Effective, names []string, all []tools.Descriptor) (away []string) {
	for i := range all {
		named := slices.ContainsFunc(names, func(s string) bool { return tools.Matches(s, &all[i]) })
		if named && !after.Allows(&all[i]) {
			away = append(away, all[i].Name)
		}
	}
	return away
}

// changedList is the list of a place after a change; changed is false when there is nothing to change.
func changedList(
	e *place.Effective, at channels.Conversation, word string, names []string,
) (value string, changed bool) {
	l := listAt(e, at)
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
		if !l.Limited && len(without(l.Deny)) == len(l.Deny) {
			return "", false
		}
		l.Deny = without(l.Deny)
		if l.Limited {
			l.Only = append(without(l.Only), names...)
		}
	}
	if !l.Limited && len(l.Deny) == 0 {
		return "", true
	}
	return l.Encode(), true
}

func listAt(e *place.Effective, at channels.Conversation) place.ToolList {
	if here := e.Here(at, place.KeyTools); here != nil {
		return place.ReadTools(here.Value)
	}
	return place.ToolList{}
}

// widens tells by the words alone whether a change may let more be used than before, also of tools that are not there
// yet.
func widens(e *place.Effective, at channels.Conversation, word string, names []string) bool {
	l := listAt(e, at)
	more := func(s string) bool { return l.Limited && !slices.Contains(l.Only, s) || slices.Contains(l.Deny, s) }
	return word == "allow" || word == "reset" || word == "only" && slices.ContainsFunc(names, more)
}

// moreTools tells whether any tool may be used after a change that might not before.
func moreTools(before, after *place.Effective, all []tools.Descriptor) bool {
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

// timed lets one person use tools here for a time.
func (t Toolbox) timed(
	ctx context.Context, req *bot.Request, word string, names []string, at channels.Conversation, forWhom string,
) (*bot.Answer, error) {
	switch {
	case word != "allow" || at != req.In.Conversation:
		return aside("Only `tools allow` can be for one person, and only in one place: here."), nil
	case !req.Person.Role.AtLeast(access.Admin):
		return nil, access.Lacks(req.Person, access.Admin, "let somebody use more tools")
	}
	i := strings.LastIndexByte(forWhom, ' ')
	d, ok := lasts(forWhom[i+1:])
	if i < 0 || !ok {
		return aside("Write `tools allow <tools> for <name> <2h>`; it lasts at most 30 days."), nil
	}
	p, answer, err := pick(ctx, t.People, t.Tenant, forWhom[:i])
	if p == nil {
		return answer, err
	}
	g := &place.Grant{
		Code: access.NewRequestCode(), At: at, Person: p.ID, Name: p.Name, Tools: names, Lasts: d,
		Decision: place.Granted, By: req.Person.Name,
	}
	if _, err := t.Grants.Ask(ctx, t.Tenant, g); err != nil {
		return nil, err
	}
	return openly("%s may use %s here until %s, as far as the configuration lets anybody.",
		channels.Literal(g.Name), channels.Literal(strings.Join(names, ", ")), t.until(time.Now().Add(d))), nil
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
