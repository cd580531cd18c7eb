package access

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Account is how one messenger knows a person: by the name of its channel and an id that never changes.
type Account struct {
	Channel string
	User    channels.UserID
}

// String is the id of a person who has only this account.
func (a Account) String() string { return a.Channel + ":" + string(a.User) }

// AccountOf is the account of a message's sender.
func AccountOf(in *channels.Inbound) Account { return Account{in.Conversation.Channel, in.Sender.ID} }

// Person is a human, whatever messengers they write from.
type Person struct {
	ID       string // that of their first account
	Name     string // for showing only
	Role     Role
	Accounts []Account
	// Direct is where each account was last seen alone with the bot; what is for this person is told there.
	Direct []channels.Conversation
}

// Errors of changes.
var (
	ErrLastOwner = errors.New("the last owner can't stop being one")
	ErrNobody    = errors.New("there is no such person")
	ErrCode      = errors.New("this code is unknown, used, or too old")
	ErrTaken     = errors.New("this account belongs to somebody already")
)

// People keeps who may talk to the bot.
type People interface {
	Known
	Changes
}

// Known tells who is who.
type Known interface {
	// Find is the person who has an account; nil when nobody has. blocked tells that it is kept out.
	Find(ctx context.Context, tenant string, a Account) (p *Person, blocked bool, err error)
	// All lists everybody, by name.
	All(ctx context.Context, tenant string) ([]Person, error)
	// Blocked lists the names of the accounts that are kept out.
	Blocked(ctx context.Context, tenant string) ([]string, error)
	// Seen keeps where an account is alone with the bot.
	Seen(ctx context.Context, tenant string, a Account, at channels.Conversation) error
}

// Reachable are the owners and admins whom the bot can write to.
func Reachable(ctx context.Context, known Known, tenant string) ([]Person, error) {
	all, err := known.All(ctx, tenant)
	if err != nil {
		return nil, err
	}
	unable := func(p Person) bool { return !p.Role.AtLeast(Admin) || len(p.Direct) == 0 }
	return slices.DeleteFunc(all, unable), nil
}

// Changes changes who may talk to the bot.
type Changes interface {
	// Decide closes an open request and does what was decided: lets its account in, or blocks it. The request as it is
	// then is given back; ok is false when it was closed before. ErrTaken when the account belongs to somebody by now.
	Decide(ctx context.Context, tenant, code, decision, by string) (r *Request, ok bool, err error)
	// Unblock lets blocked accounts ask again, by their name or id, and tells which.
	Unblock(ctx context.Context, tenant, name string) ([]string, error)
	// Change gives a person another role. ErrLastOwner when there would be no owner any more, ErrNobody.
	Change(ctx context.Context, tenant, id string, role Role) error
	// Remove forgets a person: none of their accounts may talk any more. ErrLastOwner, ErrNobody.
	Remove(ctx context.Context, tenant, id string) error
	// Claim uses a claim code up and makes the owner of the account an owner of the bot. ErrCode.
	Claim(ctx context.Context, tenant, code string, a Account, name string) (*Person, error)
	// Link uses a link code up and adds the account to the person who got it. ErrCode, ErrTaken.
	Link(ctx context.Context, tenant, code string, a Account, name string) (*Person, error)
}

// Codes keeps codes of which only a hash is stored, and who asked to be let in.
type Codes interface {
	// Issue keeps a code until it expires. person is whose account a link code adds to.
	Issue(ctx context.Context, tenant string, kind Kind, code, person string, ttl time.Duration) error
	// Ask keeps that somebody wants to be let in. It gives the request that is open already, or was decided a moment ago,
	// if there is one. ErrTooMany when too many ask.
	Ask(ctx context.Context, tenant string, r *Request) (*Request, error)
	// Open lists the open requests, the oldest first.
	Open(ctx context.Context, tenant string) ([]Request, error)
	// Asked is a request, whether open or decided; nil when there is none.
	Asked(ctx context.Context, tenant, code string) (*Request, error)
}

// Kind is what a code is for.
type Kind string

// Kinds of codes.
const (
	ClaimCode Kind = "claim" // makes its user an owner
	LinkCode  Kind = "link"  // joins an account to a person
)

// ErrTooMany refuses one more request while many are open.
var ErrTooMany = errors.New("too many people ask to be let in at the moment")

// Request is somebody's wish to be let in.
type Request struct {
	Code      string
	Account   Account
	Name      string
	At        channels.Conversation // where they asked
	AskedAt   time.Time
	Decision  string // empty while it is open: a role, "later" or "block"
	DecidedBy string
	DecidedAt time.Time
}

// Decisions besides roles.
const (
	Later = "later"
	Block = "block"
)
