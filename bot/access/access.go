// Package access decides who may talk to the bot, and in which role. It fails closed.
package access

import (
	"fmt"

	"github.com/leadhand/leadhand/channels"
)

// Role is what a person may do. The order of rights is owner, admin, lead, member, guest.
type Role string

// Roles of people.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Lead   Role = "lead"
	Member Role = "member"
	Guest  Role = "guest"
)

// Refusal is an error that may be shown to the person it concerns: what was refused, why, and who can change it.
type Refusal struct{ What, Why, Who string }

func (r *Refusal) Error() string { return fmt.Sprintf("%s %s %s", r.What, r.Why, r.Who) }

// Gate is the rule of one installation.
type Gate struct {
	// Open lets everybody talk who can reach the bot.
	Open bool
	// Local names the channel of the terminal: whoever sits there owns the data directory, and so the bot.
	Local string
}

// Admit gives the sender's role, or a *Refusal.
func (g Gate) Admit(in *channels.Inbound) (Role, error) {
	switch {
	case g.Local != "" && in.Conversation.Channel == g.Local:
		return Owner, nil
	case g.Open:
		return Member, nil
	}
	return "", &Refusal{
		What: "I can't talk with you yet.",
		Why:  "This bot answers only people who were let in, and you are not among them.",
		Who:  "Whoever runs it can let everybody in: LEADHAND_ACCESS=open, or `access: open` in the configuration file.",
	}
}
