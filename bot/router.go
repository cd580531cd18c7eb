package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Sessions finds and ends the sessions of conversations.
type Sessions interface {
	Current(ctx context.Context, tenant, agent string, c channels.Conversation) (id string, err error)
	End(ctx context.Context, tenant, agent string, c channels.Conversation) (messages int, found bool, err error)
	Busy(ctx context.Context, tenant string, c channels.Conversation) (ids []string, err error)
}

// Commands remembers the commands that were done, by channel and event.
type Commands interface {
	Done(ctx context.Context, channel, eventKey string) (bool, error)
	Finish(ctx context.Context, channel, eventKey string) error
}

// RouterConfig is what a Router needs.
type RouterConfig struct {
	Tenant   string
	Lead     string // the agent that talks to people
	Admit    func(in *channels.Inbound) (access.Role, error)
	Sessions Sessions
	Commands Commands
	Inbox    *inbox.Inbox
	Outbox   *outbox.Outbox
	Accepted func(channel string) // counts; may be nil
	Log      *slog.Logger
}

// Router decides what becomes of a received message.
type Router struct{ cfg RouterConfig }

// NewRouter makes a Router.
func NewRouter(cfg RouterConfig) *Router {
	if cfg.Accepted == nil {
		cfg.Accepted = func(string) {}
	}
	return &Router{cfg}
}

// maxText is the longest message in bytes; all of it fits in a file of the workspace.
const maxText = 16 << 20

// Handle is the channels.Handler of all channels.
func (r *Router) Handle(ctx context.Context, in *channels.Inbound) error {
	clean(in)
	if in.Command == nil && (in.Direct || in.Mentioned) {
		in.Command = spoken(in.Text)
	}
	if !in.Direct && !in.Mentioned && in.Command == nil {
		return nil
	}
	role, err := r.cfg.Admit(in)
	if refusal, ok := errors.AsType[*access.Refusal](err); ok {
		return r.refuse(ctx, in, refusal)
	}
	if err != nil {
		return fmt.Errorf("decide who %s is: %w", in.Sender.ID, err)
	}
	if in.Command != nil {
		return r.command(ctx, in)
	}
	if strings.TrimSpace(in.Text) == "" && len(in.Attachments) == 0 {
		return nil
	}
	if len(in.Text) > maxText {
		return r.say(ctx, in, fmt.Sprintf("Your message is too long for me: it has %d MB, and I read up to %d MB. "+
			"Nothing of it was kept; please send it in parts.", len(in.Text)>>20, maxText>>20))
	}
	return r.accept(ctx, in, role)
}

// accept queues a message for the lead agent.
func (r *Router) accept(ctx context.Context, in *channels.Inbound, role access.Role) error {
	id, err := r.cfg.Sessions.Current(ctx, r.cfg.Tenant, r.cfg.Lead, in.Conversation)
	if err != nil {
		return err
	}
	scope := tools.Scope{
		Tenant: r.cfg.Tenant, Agent: r.cfg.Lead, User: person(in), Role: string(role), Session: id,
		Conversation: in.Conversation,
	}
	if err := r.cfg.Inbox.Accept(ctx, &inbox.Item{Session: id, Scope: scope, Message: *in}); err != nil {
		return err
	}
	r.cfg.Accepted(in.Conversation.Channel)
	return nil
}

// person identifies the sender by channel and the platform's immutable id, never by a name.
func person(in *channels.Inbound) string { return in.Conversation.Channel + ":" + string(in.Sender.ID) }

// refuse tells a person why nothing happens: once in ten minutes, which the message's key takes care of.
func (r *Router) refuse(ctx context.Context, in *channels.Inbound, why *access.Refusal) error {
	r.cfg.Log.Info("refused", "channel", in.Conversation.Channel, "user", person(in))
	period := time.Now().Unix() / 600
	return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key:          fmt.Sprintf("refusal/%s/%s/%d", in.Conversation, in.Sender.ID, period),
		Conversation: in.Conversation, ReplyTo: in.ID,
		Text: why.What + "\n\n" + why.Why + " " + why.Who,
	})
}

// say answers a message with words of the program itself. A message that is delivered again is answered once.
func (r *Router) say(ctx context.Context, in *channels.Inbound, text string) error {
	return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key:          "said/" + in.Conversation.Channel + "/" + in.EventKey,
		Conversation: in.Conversation, ReplyTo: in.ID, Text: text,
	})
}

// clean makes the texts of a message fit for every database: valid UTF-8 without NUL.
func clean(in *channels.Inbound) {
	fix := func(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD") }
	in.Text = fix(in.Text)
	in.Sender.Name = fix(in.Sender.Name)
	if in.Command != nil {
		in.Command.Name, in.Command.Args = fix(in.Command.Name), fix(in.Command.Args)
	}
	for i := range in.Attachments {
		in.Attachments[i].Name = fix(in.Attachments[i].Name)
		in.Attachments[i].MediaType = fix(in.Attachments[i].MediaType)
	}
}
