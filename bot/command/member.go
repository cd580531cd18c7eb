package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// Members are the people who may talk to the bot, as admins change them.
type Members struct {
	Tenant string
	People access.People
	Codes  access.Codes
	// Say tells people something where they are.
	Say func(ctx context.Context, m channels.Outbound) error
}

// Member lists people, lets them in, and gives and takes roles.
func Member(m Members) Verb {
	return Verb{
		Name: "member", Help: "who may talk to me, and in which role", Role: access.Member, Admins: true,
		Subs: []Sub{
			{Name: "list", Help: "everybody, with their roles"},
			{Name: "role", Args: "<name> <role>", Help: "give a role: " + roleNames(), Role: access.Admin},
			{Name: "remove", Args: "<name>", Help: "take the right to talk to me", Role: access.Admin},
			{Name: "pair", Args: "<request> <role|later|block>", Help: "decide who asks to be let in", Role: access.Admin},
		},
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			word, rest, _ := strings.Cut(args, " ")
			rest = strings.TrimSpace(rest)
			switch strings.ToLower(word) {
			case "role":
				return m.role(ctx, req, rest)
			case "remove":
				return m.remove(ctx, req, rest)
			case "pair":
				return m.pair(ctx, req, rest)
			}
			return m.list(ctx)
		},
	}
}

func roleNames() string {
	var names []string
	for _, r := range access.Roles() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

func (m Members) list(ctx context.Context) (*bot.Answer, error) {
	all, err := m.People.All(ctx, m.Tenant)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return aside("Nobody was let in yet."), nil
	}
	slices.SortStableFunc(all, func(a, b access.Person) int {
		return slices.Index(access.Roles(), a.Role) - slices.Index(access.Roles(), b.Role)
	})
	var lines []string
	for _, p := range all {
		lines = append(lines, fmt.Sprintf("- %s – %s, on %s", bot.Literal(p.Name), p.Role, bot.Literal(where(p))))
	}
	return &bot.Answer{Text: strings.Join(lines, "\n"), Aside: true}, nil
}

// where lists the channels that a person writes on.
func where(p access.Person) string {
	var names []string
	for _, a := range p.Accounts {
		names = append(names, a.Channel)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// pick finds the one person of a name. The answer says why there is none.
func (m Members) pick(ctx context.Context, name string) (*access.Person, *bot.Answer, error) {
	all, err := m.People.All(ctx, m.Tenant)
	if err != nil {
		return nil, nil, err
	}
	found := named(all, name)
	switch {
	case len(found) == 1:
		return &found[0], nil, nil
	case len(found) == 0:
		return nil, aside("I know nobody called `%s`. `member list` shows everybody.", inline(name)), nil
	}
	var names []string
	for _, p := range found {
		names = append(names, fmt.Sprintf("%s (`%s`)", bot.Literal(p.Name), inline(p.ID)))
	}
	return nil, aside("I know %d people called `%s`: %s. Please take what stands in brackets.",
		len(found), inline(name), strings.Join(names, "; ")), nil
}

// named are the people whose whole name, a word of it, or id is what somebody wrote.
func named(all []access.Person, name string) []access.Person {
	name = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "@"))
	if name == "" {
		return nil
	}
	var exact, close []access.Person
	for _, p := range all {
		known := strings.ToLower(p.Name)
		words := strings.Fields(known)
		isWord := func(w string) bool { return strings.TrimPrefix(w, "@") == name }
		switch {
		case strings.EqualFold(p.ID, name), known == name:
			exact = append(exact, p)
		case slices.ContainsFunc(words, isWord):
			close = append(close, p)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return close
}

func (m Members) role(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
	i := strings.LastIndexByte(args, ' ')
	name, role := args[:max(i, 0)], access.Role(strings.ToLower(args[i+1:]))
	if i < 0 || !role.Known() {
		return aside("Write `member role <name> <role>`; roles are %s.", roleNames()), nil
	}
	p, answer, err := m.pick(ctx, name)
	if p == nil {
		return answer, err
	}
	if !req.Person.Role.MayGive(role) || !req.Person.Role.MayGive(p.Role) {
		return nil, access.Lacks(req.Person, access.Owner, fmt.Sprintf("make %s %s", p.Role, role))
	}
	err = m.People.Change(ctx, m.Tenant, p.ID, role)
	if text := refusedChange(err); text != "" {
		return openly("%s", text), nil
	}
	if err != nil {
		return nil, err
	}
	return openly("%s: %s → %s.", bot.Literal(p.Name), p.Role, role), nil
}

func (m Members) remove(ctx context.Context, req *bot.Request, name string) (*bot.Answer, error) {
	p, answer, err := m.pick(ctx, name)
	if p == nil {
		return answer, err
	}
	if !req.Person.Role.MayGive(p.Role) {
		return nil, access.Lacks(req.Person, access.Owner, "remove an "+string(p.Role))
	}
	err = m.People.Remove(ctx, m.Tenant, p.ID)
	if text := refusedChange(err); text != "" {
		return openly("%s", text), nil
	}
	if err != nil {
		return nil, err
	}
	return openly("%s was %s and may not talk to me any more.", bot.Literal(p.Name), p.Role), nil
}

// refusedChange is what people are told of a change that can't be; empty for other errors and none.
func refusedChange(err error) string {
	switch {
	case errors.Is(err, access.ErrLastOwner):
		return "That would leave me without an owner, so I did nothing. Make somebody else an owner first."
	case errors.Is(err, access.ErrNobody):
		return "That person was removed meanwhile."
	}
	return ""
}

// pair decides about a wish to be let in, once, and tells whoever asked.
func (m Members) pair(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
	words := strings.Fields(args)
	if len(words) != 2 {
		return aside("Write `member pair <request> <role>`, or `later` or `block` in place of the role."), nil
	}
	code, decision := strings.ToUpper(words[0]), strings.ToLower(words[1])
	role := access.Role(decision)
	switch {
	case decision != access.Later && decision != access.Block && !role.Known():
		return aside("`%s` is no role; roles are %s.", inline(words[1]), roleNames()), nil
	case role.Known() && !req.Person.Role.MayGive(role):
		return nil, access.Lacks(req.Person, access.Owner, "let people in as "+decision)
	}
	asked, err := m.Codes.Asked(ctx, m.Tenant, code)
	if err != nil {
		return nil, err
	}
	if asked == nil {
		return aside("There is no request `%s`.", inline(words[0])), nil
	}
	if ok, err := m.Codes.Decide(ctx, m.Tenant, code, decision, req.Person.Name); err != nil || !ok {
		return openly("%s decided this already: %s.", bot.Literal(asked.DecidedBy), asked.Decision), err
	}
	return m.decided(ctx, asked, decision)
}

func (m Members) decided(ctx context.Context, asked *access.Request, decision string) (*bot.Answer, error) {
	var err error
	who, told := bot.Literal(asked.Name), ""
	var said string
	switch decision {
	case access.Block:
		err = m.People.Block(ctx, m.Tenant, asked.Account, asked.Name)
		said = who + " is blocked: I don't answer that account, and it can't ask again."
	case access.Later:
		told = "An admin said: not now. You can ask again in an hour."
		said = who + " is told: not now."
	default:
		_, err = m.People.Let(ctx, m.Tenant, asked.Account, asked.Name, access.Role(decision))
		told = fmt.Sprintf("You were let in as %s. What can I do for you? `help` shows what there is.", decision)
		said = fmt.Sprintf("%s was let in as %s.", who, decision)
	}
	if err != nil {
		return nil, err
	}
	if told != "" {
		err = m.Say(ctx, channels.Outbound{Key: "decided/" + asked.Code, Conversation: asked.At, Text: told})
	}
	return &bot.Answer{Text: said, Edits: true}, err
}
