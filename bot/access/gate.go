package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/leadhand/leadhand/channels"
)

// Refusal is an error that may be shown to the person it concerns: what was refused, why, and who can change it.
type Refusal struct {
	What, Why, Who string
	// MayAsk tells that this person can ask to be let in.
	MayAsk bool
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s %s %s", r.What, r.Why, r.Who) }

// Door is what a place says about who may talk there: everyone, as guests; or only the people with these ids, if only
// is not nil. Otherwise whoever was let in.
type Door func(ctx context.Context, c channels.Conversation) (everyone bool, only []string, err error)

// Gate is the rule of one installation.
type Gate struct {
	Tenant string
	People People
	// Open lets everybody talk who can reach the bot, as members.
	Open bool
	// Local names the channel of the terminal: whoever sits there owns the data directory, and so the bot.
	Local string
	// Door tells who may talk in a place; nil: everywhere those who were let in.
	Door Door
}

// Admit tells who the sender of a message is, or gives a *Refusal. Any other error means that it is not known: nothing
// may be done for the sender then.
func (g *Gate) Admit(ctx context.Context, in *channels.Inbound) (*Person, error) {
	a := AccountOf(in)
	stranger := &Person{ID: a.String(), Name: in.Sender.Name}
	if g.Local != "" && a.Channel == g.Local {
		stranger.Role = Owner
		return stranger, nil
	}
	p, blocked, err := g.People.Find(ctx, g.Tenant, a)
	switch {
	case err != nil:
		return nil, err
	case blocked:
		return nil, &Refusal{
			What: "I can't talk with you.", Why: "An admin of this bot keeps your account out.",
			Who: "The admins of this bot can change that.",
		}
	}
	everyone, only := false, []string(nil)
	if g.Door != nil && !in.Direct {
		if everyone, only, err = g.Door(ctx, in.Conversation); err != nil {
			return nil, err
		}
	}
	known := p != nil && p.Role.Known()
	if !known {
		p = stranger
	}
	switch {
	case known && p.Role.AtLeast(Admin):
		return p, nil
	case only != nil && !slices.Contains(only, p.ID):
		return nil, &Refusal{
			What: "I can't talk with you here.", Why: "Only the people on this place's list may talk to me, and you are not " +
				"on it.", Who: "An admin of this bot can put you on it: `topic who list <names>`.",
		}
	case known:
		return p, nil
	case g.Open:
		p.Role = Member
		return p, nil
	case everyone:
		p.Role = Guest
		return p, nil
	}
	return nil, &Refusal{
		What: "I can't talk with you yet.", Why: "I answer only people who were let in, and you are not among them.",
		Who: "An admin of this bot can let you in: write to me in a direct message, and I ask them.", MayAsk: true,
	}
}

// Lacks refuses what needs a role. doing is what was wanted, as in "give a role".
func Lacks(p *Person, least Role, doing string) *Refusal {
	giver := "An owner or admin"
	if least.AtLeast(Admin) {
		giver = "An owner"
	}
	who := giver + " of this bot can give you the role"
	if p.Role.AtLeast(Member) {
		who += "; `member list` shows who that is"
	}
	return &Refusal{
		What: fmt.Sprintf("You can't %s.", doing),
		Why:  fmt.Sprintf("That needs the role %s, and you are %s.", least, article(p.Role)), Who: who + ".",
	}
}

func article(r Role) string {
	switch r {
	case Owner, Admin:
		return "an " + string(r)
	case "":
		return "nobody known"
	}
	return "a " + string(r)
}
