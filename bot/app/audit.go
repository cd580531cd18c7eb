package app

import (
	"context"
	"errors"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/channels"
)

// recordWords keeps what people changed by words, or were refused to.
func (a *App) recordWords(ctx context.Context, req *bot.Request, words string, err error) {
	e := &audit.Entry{
		Kind: audit.Word, Person: req.Person.ID, Conversation: req.In.Conversation, What: words, Outcome: audit.Done,
	}
	if err != nil {
		e.Outcome, e.Detail = audit.Failed, err.Error()
		if _, refused := errors.AsType[*access.Refusal](err); refused {
			e.Outcome = audit.Refused
		}
	}
	a.audit.Record(ctx, e)
}

// recordCode keeps who used a code. The code itself is worth nothing any more, and is not kept.
func (a *App) recordCode(ctx context.Context, p *access.Person, in *channels.Inbound) {
	a.audit.Record(ctx, &audit.Entry{
		Kind: audit.Code, Person: p.ID, Conversation: in.Conversation, What: "a code", Outcome: audit.Done,
		Detail: "role " + string(p.Role) + ", account " + access.AccountOf(in).String(),
	})
}
