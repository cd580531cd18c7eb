package command

import (
	"context"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
)

// listWord is how help shows a list of people.
const listWord = string(place.Listed) + " <names>"

// list lets only some people talk in a place.
func (t Topics) list(
	ctx context.Context, req *bot.Request, at channels.Conversation, names string,
) (*bot.Answer, error) {
	if !req.Person.Role.AtLeast(access.Admin) {
		return nil, access.Lacks(req.Person, access.Admin, "say who may talk to me here")
	}
	all, err := t.People.All(ctx, t.Tenant)
	if err != nil {
		return nil, err
	}
	ids, answer := pickMany(all, names)
	if answer != nil {
		return answer, nil
	}
	return t.set(ctx, req, at, place.KeyWho, place.List(ids))
}

// pickMany finds the people of several names. The answer says why there are none. Names may have blanks: they are
// taken apart at commas, or else as few words as name one person alone.
func pickMany(all []access.Person, names string) (ids []string, answer *bot.Answer) {
	if strings.TrimSpace(names) == "" {
		return nil, aside("Name the people: `topic who list ann, bob`. Owners and admins may always talk to me.")
	}
	add := func(found []access.Person) {
		if !slices.Contains(ids, found[0].ID) {
			ids = append(ids, found[0].ID)
		}
	}
	if strings.Contains(names, ",") {
		for name := range strings.SplitSeq(names, ",") {
			found := named(all, name)
			if len(found) != 1 {
				return nil, unclear(found, name)
			}
			add(found)
		}
		return ids, nil
	}
	words := strings.Fields(names)
	for len(words) > 0 {
		n := 1
		found := named(all, words[0])
		for len(found) != 1 && n < len(words) {
			n++
			found = named(all, strings.Join(words[:n], " "))
		}
		if len(found) != 1 {
			return nil, unclear(named(all, words[0]), words[0])
		}
		add(found)
		words = words[n:]
	}
	return ids, nil
}

// who is who may talk, by names.
func (t Topics) who(ctx context.Context, s *place.Setting) (string, error) {
	if s == nil {
		return string(place.Members), nil
	}
	ids := s.People()
	if ids == nil {
		return s.Value, nil
	}
	all, err := t.People.All(ctx, t.Tenant)
	if err != nil {
		return "", err
	}
	var names []string
	for _, id := range ids {
		name := id
		if i := slices.IndexFunc(all, func(p access.Person) bool { return p.ID == id }); i >= 0 {
			name = all[i].Name
		}
		names = append(names, inline(name))
	}
	return "only " + strings.Join(names, ", "), nil
}
