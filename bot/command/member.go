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
		Changes: unless("list"),
		Subs: []Sub{
			{Name: "list", Help: "everybody, with their roles"},
			{Name: "role", Args: "<name> <role>", Help: "give a role: " + roleNames(), Role: access.Admin},
			{Name: "remove", Args: "<name>", Help: "take the right to talk to me", Role: access.Admin},
			{Name: "unblock", Args: "<name>", Help: "let a blocked account ask again", Role: access.Admin},
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
			case "unblock":
				return m.unblock(ctx, rest)
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
	slices.SortStableFunc(all, func(a, b access.Person) int {
		return slices.Index(access.Roles(), a.Role) - slices.Index(access.Roles(), b.Role)
	})
	var lines []string
	for _, p := range all {
		lines = append(lines, fmt.Sprintf("- %s – %s, on %s", channels.Literal(p.Name), p.Role, channels.Literal(where(p))))
	}
	open, err := m.Codes.Open(ctx, m.Tenant)
	if err != nil {
		return nil, err
	}
	for _, r := range open {
		lines = append(lines, fmt.Sprintf("- %s – asks to be let in (request %s)", channels.Literal(r.Name), r.Code))
	}
	blocked, err := m.People.Blocked(ctx, m.Tenant)
	if err != nil {
		return nil, err
	}
	for _, name := range blocked {
		lines = append(lines, fmt.Sprintf("- %s – blocked", channels.Literal(name)))
	}
	if len(lines) == 0 {
		return aside("Nobody was let in yet."), nil
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
func pick(ctx context.Context, known access.Known, tenant, name string) (*access.Person, *bot.Answer, error) {
	all, err := known.All(ctx, tenant)
	if err != nil {
		return nil, nil, err
	}
	found := named(all, name)
	if len(found) == 1 {
		return &found[0], nil, nil
	}
	return nil, unclear(found, name), nil
}

// unclear says that a name is nobody's, or that of several people.
func unclear(found []access.Person, name string) *bot.Answer {
	if len(found) == 0 {
		return aside("I know nobody called `%s`. `member list` shows everybody.", inline(strings.TrimSpace(name)))
	}
	var names []string
	for _, p := range found {
		names = append(names, fmt.Sprintf("%s (`%s`)", channels.Literal(p.Name), inline(p.ID)))
	}
	return aside("I know %d people called `%s`: %s. Please take what stands in brackets.",
		len(found), inline(strings.TrimSpace(name)), strings.Join(names, "; "))
}

// named are the people whose id is what somebody wrote, or else whose name or a word of it. Nobody is taken for
// somebody else by calling themselves like them: then there are two.
func named(all []access.Person, name string) []access.Person {
	id := strings.TrimSpace(name)
	if i := slices.IndexFunc(all, func(p access.Person) bool { return p.ID == id }); i >= 0 {
		return all[i : i+1]
	}
	name = strings.ToLower(strings.TrimPrefix(id, "@"))
	if name == "" {
		return nil
	}
	var found []access.Person
	for _, p := range all {
		known := strings.ToLower(p.Name)
		isWord := func(w string) bool { return strings.TrimPrefix(w, "@") == name }
		if known == name || slices.ContainsFunc(strings.Fields(known), isWord) {
			found = append(found, p)
		}
	}
	return found
}

func (m Members) role(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
	i := strings.LastIndexByte(args, ' ')
	name, role := args[:max(i, 0)], access.Role(strings.ToLower(args[i+1:]))
	if i < 0 || !role.Known() {
		return aside("Write `member role <name> <role>`; roles are %s.", roleNames()), nil
	}
	p, answer, err := pick(ctx, m.People, m.Tenant, name)
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
	return openly("%s: %s → %s.", channels.Literal(p.Name), p.Role, role), nil
}

func (m Members) remove(ctx context.Context, req *bot.Request, name string) (*bot.Answer, error) {
	p, answer, err := pick(ctx, m.People, m.Tenant, name)
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
	return openly("%s was %s and may not talk to me any more.", channels.Literal(p.Name), p.Role), nil
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
	asked, ok, err := m.People.Decide(ctx, m.Tenant, code, decision, req.Person.Name)
	switch {
	case errors.Is(err, access.ErrTaken):
		return openly("That account belongs to somebody by now, so I did nothing. `member list` shows who that is."), nil
	case err != nil:
		return nil, err
	case asked == nil:
		return aside("There is no request `%s`.", inline(words[0])), nil
	case !ok && asked.DecidedBy == req.Person.Name && asked.Decision == decision: // the same again
	case !ok && asked.DecidedBy == "":
		return openly("Whoever asked came in another way meanwhile, so I did nothing."), nil
	case !ok:
		return openly("%s decided this already: %s.", channels.Literal(asked.DecidedBy), asked.Decision), nil
	}
	return m.decided(ctx, asked, decision)
}

// decided tells whoever asked what became of it.
func (m Members) decided(ctx context.Context, asked *access.Request, decision string) (*bot.Answer, error) {
	who, told := channels.Literal(asked.Name), ""
	var said string
	switch decision {
	case access.Block:
		said = who + " is blocked: I don't answer that account, and it can't ask again until `member unblock`."
	case access.Later:
		told = "An admin said: not now. You can ask again in an hour."
		said = who + " is told: not now."
	default:
		told = fmt.Sprintf("You were let in as %s. What can I do for you? `help` shows what there is.", decision)
		said = fmt.Sprintf("%s was let in as %s.", who, decision)
	}
	if told != "" {
		err := m.Say(ctx, channels.Outbound{Key: "decided/" + asked.Code, Conversation: asked.At, Text: told})
		if err != nil { // it is decided all the same
			return nil, err
		}
	}
	return &bot.Answer{Text: said, Edits: true}, nil
}

// unblock lets blocked accounts ask again.
func (m Members) unblock(ctx context.Context, name string) (*bot.Answer, error) {
	names, err := m.People.Unblock(ctx, m.Tenant, name)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return aside("I block nobody called `%s`. `member list` shows whom I block.", inline(name)), nil
	}
	return openly("%s may ask to be let in again.", channels.Literal(strings.Join(names, ", "))), nil
}
