package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/leadhand/leadhand/bot/command"
	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/channels"
)

// checkup is the task that looks at everything and tells an admin what it found.
const checkup = "checkup"

// checkupArgs is what the task is given: where to tell, and for which request.
type checkupArgs struct {
	Key string                `json:"key"`
	To  channels.Conversation `json:"to"`
}

// examine asks for a checkup. Models and messengers may take a minute to answer, and no messenger waits so long.
func (a *App) examine(ctx context.Context, key string, to channels.Conversation) error {
	return a.jobs.Add(ctx, job.Request{Task: checkup, Key: key, Args: checkupArgs{Key: key, To: to}})
}

// checkup does what examine asks for.
func (a *App) checkup(ctx context.Context, raw json.RawMessage) error {
	var args checkupArgs
	if err := json.Unmarshal(raw, &args); err != nil {
		return fmt.Errorf("read what a checkup is for: %w", err)
	}
	d := &doctor{cfg: a.cfg, env: a.env, db: a.db, given: a.given}
	found := []channels.Finding{fine("database: it works")}
	if err := a.db.Ping(ctx); err != nil {
		found[0] = failed("database: "+err.Error(), "see to the database")
	}
	card, buttons := command.Checkup(d.hide(append(found, d.parts(ctx)...)), Worst)
	return a.outbox.Post(ctx, tenant, "", channels.Outbound{
		Key: "checkup/" + args.Key, Conversation: args.To, Card: card, Buttons: buttons,
	})
}
