package place

import (
	"context"
	"fmt"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Grant lets one person use tools in a place for a time although the place or the role leaves them out, or is the wish
// for that.
type Grant struct {
	Code    string
	At      channels.Conversation
	Person  string // id
	Name    string // for showing
	Tools   []string
	Lasts   time.Duration
	AskedAt time.Time

	Decision  Decision
	By        string // who decided, for showing
	DecidedAt time.Time
	Until     time.Time // zero unless it was granted
}

// Decision is what became of a wish.
type Decision string

// Decisions.
const (
	Open    Decision = ""
	Granted Decision = "granted"
	Denied  Decision = "denied"
)

// Grants keeps grants.
type Grants interface {
	// Ask keeps a wish, or a grant that is decided already. A wish for the same that is open, or was refused within the
	// last hour, is given instead.
	Ask(ctx context.Context, tenant string, g *Grant) (*Grant, error)
	// Find is the grant of a code; nil when there is none.
	Find(ctx context.Context, tenant, code string) (*Grant, error)
	// Decide closes a wish and returns it; ok is false when it was closed before.
	Decide(ctx context.Context, tenant, code string, d Decision, by string) (g *Grant, ok bool, err error)
	// Holding lists what a person was granted in a place and is not over.
	Holding(ctx context.Context, tenant string, at channels.Conversation, person string) ([]Grant, error)
}

// Rules are what decides in places which tools may be used.
type Rules struct {
	Tenant string
	Book   *Book
	Grants Grants
	Zone   *time.Location // in which people are told times
}

// Gates are the gate of the person's role and those of the place where a scope works, narrowest first. What was granted
// lifts them, and so do lifts.
func (r *Rules) Gates(
	ctx context.Context, s tools.Scope, role tools.Gate, lifts ...tools.Exception,
) ([]tools.Gate, error) {
	e, err := r.Book.At(ctx, s.Conversation)
	if err != nil {
		return nil, err
	}
	holding, err := r.Grants.Holding(ctx, r.Tenant, s.Conversation, s.User)
	if err != nil {
		return nil, fmt.Errorf("look for what was granted: %w", err)
	}
	for _, g := range holding {
		lifts = append(lifts, tools.Exception{Selectors: g.Tools, Until: g.Until.In(r.Zone), By: g.By})
	}
	now := time.Now()
	gates := []tools.Gate{tools.Except(role, lifts, now)}
	for _, rule := range e.Tools() {
		gate := tools.ListGate(rule.Setting.where(), rule.Setting.who(r.Zone), rule.allowlist())
		if !rule.Setting.When.IsZero() { // what the configuration file sets nobody lifts from chat
			gate = tools.Except(gate, lifts, now)
		}
		gates = append(gates, gate)
	}
	return gates, nil
}
