package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// codeIn is the code that a direct message consists of. From people who are known a code must say what it is for: what
// looks like one may be anything else they talk about.
func codeIn(in *channels.Inbound, stranger bool) (string, bool) {
	if !in.Direct || in.Revises != "" || in.Sender.Bot || len(in.Attachments) > 0 {
		return "", false
	}
	text := in.Text
	if c := in.Command; c != nil {
		text = "/" + c.Name + " " + c.Args
		if c.Name == "claim" || c.Name == "link" {
			text = c.Name + " " + c.Args
		}
	}
	code, ok := access.ReadCode(text)
	named := len(strings.Fields(text)) > 1
	return code, ok && (stranger || named)
}

// redeem uses a code up: the first owner's, or one that joins accounts.
func (r *Router) redeem(ctx context.Context, in *channels.Inbound, code string) error {
	a, people := access.AccountOf(in), r.cfg.Access.People
	p, err := people.Claim(ctx, r.cfg.Tenant, code, a, in.Sender.Name)
	words := "You are an owner of this bot now. `help` shows what you can tell me, `member list` who may talk to me. " +
		"Add me to a chat, and mention me there."
	if errors.Is(err, access.ErrCode) {
		p, err = people.Link(ctx, r.cfg.Tenant, code, a, in.Sender.Name)
		words = "This account belongs to you now, as your others do."
	}
	switch {
	case errors.Is(err, access.ErrCode):
		r.cfg.Log.Warn("a code is not good", "channel", a.Channel, "user", a.String())
		return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{ // whoever guesses is told once in ten minutes
			Key:          fmt.Sprintf("badcode/%s/%s/%d", in.Conversation, in.Sender.ID, time.Now().Unix()/600),
			Conversation: in.Conversation, ReplyTo: in.ID, Via: in.Via, To: in.Sender.ID,
			Text: "This code is unknown, used, or too old.",
		})
	case errors.Is(err, access.ErrTaken):
		return r.say(ctx, in, "This account belongs to somebody already. An admin can remove it there first.", in.Sender.ID)
	case err != nil:
		return err
	}
	r.cfg.Log.Info("a code was used", "channel", a.Channel, "user", p.ID, "role", p.Role)
	if r.cfg.Redeemed != nil {
		r.cfg.Redeemed(ctx, p, in)
	}
	if err := people.Seen(ctx, r.cfg.Tenant, a, in.Conversation); err != nil { // the next message tells it again
		r.cfg.Log.Warn("keep where a person is", "err", err)
	}
	return r.say(ctx, in, words, in.Sender.ID)
}

// requestObject is the kind of wishes to be let in as what buttons are about; their id is the code.
const requestObject = "request"

// maxNamed is how many characters of an account's id are shown.
const maxNamed = 60

// requestRevision is number 0 while a wish is open, and 1 once it is decided.
func requestRevision(tenant string, codes access.Codes) Revision {
	return func(ctx context.Context, id string) (State, error) {
		req, err := codes.Asked(ctx, tenant, id)
		if err != nil || req == nil {
			return Decided(), err
		}
		return StateOf(req.Decision, req.DecidedBy, req.DecidedAt), nil
	}
}

// askIn asks the admins whether a stranger may be let in, and tells the stranger so, once in an hour. Nothing else of
// what they wrote is kept.
func (r *Router) askIn(ctx context.Context, in *channels.Inbound) error {
	admins, err := access.Reachable(ctx, r.cfg.Access.People, r.cfg.Tenant)
	if err != nil {
		return err
	}
	words := "I answer only people who were let in, and nobody can do that yet. Whoever runs me has to make themselves " +
		"the owner first: `leadhand init` prints a code for it."
	state := "nobody" // what the words are about: news are told at once
	if len(admins) > 0 {
		req, err := r.cfg.Access.Codes.Ask(ctx, r.cfg.Tenant, &access.Request{
			Code: access.NewRequestCode(), Account: access.AccountOf(in), Name: in.Sender.Name, At: in.Conversation,
		})
		switch {
		case errors.Is(err, access.ErrTooMany):
			words = "I answer only people who were let in, and many ask for that at the moment. Please ask an admin of this " +
				"bot, or try again in an hour."
			state = "many"
		case err != nil:
			return err
		case req.Decision != "":
			words, state = "An admin said: not now. You can ask again in an hour.", req.Code+"/"+req.Decision
		default:
			words = fmt.Sprintf("I answer only people who were let in. I asked the admins about you (request %s), and you "+
				"hear from me here. Until then I keep nothing of what you write.", req.Code)
			state = req.Code
		}
		if err == nil && req.Decision == "" { // also one that was asked before: showing it may have failed
			if err := r.present(ctx, req, admins); err != nil {
				return err
			}
		}
	}
	return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key:          fmt.Sprintf("asked/%s/%s/%s/%d", in.Conversation, in.Sender.ID, state, time.Now().Unix()/3600),
		Conversation: in.Conversation, ReplyTo: in.ID, Via: in.Via, Text: words,
	})
}

// present shows the admins who wants to be let in.
func (r *Router) present(ctx context.Context, req *access.Request, admins []access.Person) error {
	guard := channels.Guard{Object: requestObject + ":" + req.Code}
	decide := func(text, decision string, style channels.Style) channels.Button {
		return channels.Button{
			Text: text, Style: style, Guard: guard,
			Command: channels.Command{Name: "member", Args: "pair " + req.Code + " " + decision},
		}
	}
	card := &channels.Card{
		Title: "Somebody wants to talk to me", Tone: channels.Warning,
		Fields: []channels.Field{
			{Name: "Who", Value: channels.Literal(req.Name)}, {Name: "On", Value: channels.Literal(req.Account.Channel)},
			{Name: "Id", Value: "`" + channels.InCode(string(req.Account.User), maxNamed) + "`"},
			{Name: "Request", Value: req.Code},
		},
	}
	rows := [][]channels.Button{
		{
			decide("Let in as member", string(access.Member), channels.Primary),
			decide("As guest", string(access.Guest), channels.Plain),
		},
		{decide("Not now", access.Later, channels.Plain), decide("Block", access.Block, channels.Danger)},
	}
	for _, admin := range admins {
		for _, at := range admin.Direct {
			err := r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
				Key: "request/" + req.Code + "/" + at.String(), Conversation: at, Card: card, Buttons: rows,
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
