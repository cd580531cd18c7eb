package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Sessions finds the sessions of conversations.
type Sessions interface {
	// Current is the session that agent has in a conversation. The first message opens it, and title says what it is
	// about.
	Current(ctx context.Context, tenant, agent string, c channels.Conversation, title string) (id string, err error)
}

// Commands remembers the commands that were done, by channel and event.
type Commands interface {
	Done(ctx context.Context, channel, eventKey string) (bool, error)
	Finish(ctx context.Context, channel, eventKey string) error
}

// Talk keeps what people say to each other, until somebody speaks to the bot.
type Talk interface {
	Hear(ctx context.Context, tenant string, in *channels.Inbound) error
	// Revise changes what was heard; nothing happens when that is gone.
	Revise(ctx context.Context, in *channels.Inbound) error
	// Forget drops what was heard and then taken back.
	Forget(ctx context.Context, in *channels.Inbound) error
}

// Access is who may talk, and who asks to.
type Access struct {
	Admit  func(ctx context.Context, in *channels.Inbound) (*access.Person, error)
	People access.People
	Codes  access.Codes
}

// Places tells what counts in a conversation.
type Places interface {
	At(ctx context.Context, c channels.Conversation) (*place.Effective, error)
}

// Keep is what the Router remembers.
type Keep struct {
	Sessions Sessions
	Commands Commands
	Talk     Talk
	Buttons  Buttons
}

// RouterConfig is what a Router needs.
type RouterConfig struct {
	Tenant string
	Lead   string // the agent that talks to people where no other is set
	Access Access
	Places Places
	Keep   Keep
	Verbs  Verbs
	Inbox  *inbox.Inbox
	Outbox *outbox.Outbox
	// Revisions are those of the objects that buttons are about, by kind. Those of turns are known already.
	Revisions map[string]Revision
	// Waits is told of messages that are accepted but not begun; it must not block. It may be nil.
	Waits    func(in *channels.Inbound)
	Accepted func(channel string) // counts; may be nil
	Hide     Hider                // nil hides nothing
	// Redeemed is told whose code was used; it may be nil.
	Redeemed func(ctx context.Context, p *access.Person, in *channels.Inbound)
	Log      *slog.Logger
}

// Router decides what becomes of a received message.
type Router struct {
	cfg   RouterConfig
	doing singleflight.Group // commands and presses, by event
}

// NewRouter makes a Router.
func NewRouter(cfg RouterConfig) *Router {
	if cfg.Accepted == nil {
		cfg.Accepted = func(string) {}
	}
	if cfg.Waits == nil {
		cfg.Waits = func(*channels.Inbound) {}
	}
	if cfg.Hide == nil {
		cfg.Hide = open{}
	}
	cfg.Revisions = maps.Clone(cfg.Revisions)
	if cfg.Revisions == nil {
		cfg.Revisions = map[string]Revision{}
	}
	cfg.Revisions[turnObject] = turnRevision(cfg.Inbox.Ended)
	cfg.Revisions[requestObject] = requestRevision(cfg.Tenant, cfg.Access.Codes)
	return &Router{cfg: cfg}
}

// maxText is the longest message in bytes; all of it fits in a file of the workspace.
const maxText = 16 << 20

// Handle is the channels.Handler of all channels.
func (r *Router) Handle(ctx context.Context, in *channels.Inbound) error {
	clean(in)
	hide(in, r.cfg.Hide)
	if in.Deleted {
		return r.takeBack(ctx, in)
	}
	if ignored(in) {
		return r.ignore(ctx, in)
	}
	p, err := r.cfg.Access.Admit(ctx, in)
	refusal, refused := errors.AsType[*access.Refusal](err)
	switch {
	case err != nil && !refused:
		return fmt.Errorf("decide who %s is: %w", in.Sender.ID, err)
	case refused && !named(in):
		return nil // what others say to each other is none of the bot's business
	}
	if code, ok := codeIn(in, refused); ok {
		return r.once(ctx, in, func(ctx context.Context, in *channels.Inbound) error { return r.redeem(ctx, in, code) })
	}
	if refused {
		return r.refuse(ctx, in, refusal)
	}
	at, err := r.cfg.Places.At(ctx, in.Conversation)
	if err != nil {
		return err
	}
	return r.admitted(ctx, visitOf(in, p, at))
}

func (r *Router) admitted(ctx context.Context, v *visit) error {
	in := v.in
	if in.Direct && in.Revises == "" {
		if err := r.cfg.Access.People.Seen(ctx, r.cfg.Tenant, access.AccountOf(in), in.Conversation); err != nil {
			return err
		}
	}
	plain := in.Command == nil && in.Action == nil && in.Revises == "" && len(in.Attachments) == 0
	if plain && v.addressed && !in.Sender.Bot {
		in.Command = r.cfg.Verbs.Spoken(in.Text)
	}
	v.seat()
	switch {
	case in.Action != nil:
		return r.press(ctx, v)
	case in.Command != nil && in.Revises == "":
		return r.once(ctx, in, func(ctx context.Context, _ *channels.Inbound) error { return r.verb(ctx, v) })
	case in.Revises != "":
		return r.revise(ctx, v)
	case !v.addressed:
		return r.overhear(ctx, v)
	}
	if late, err := r.late(ctx, in); late || err != nil {
		return err
	}
	return r.accept(ctx, v)
}

// lateAfter is how old a message is when it is asked whether it was refused before. Platforms deliver again what they,
// or the bot, missed; what was refused is not worked hours later because its sender was let in meanwhile.
const lateAfter = time.Minute

func (r *Router) late(ctx context.Context, in *channels.Inbound) (bool, error) {
	if time.Since(in.SentAt) < lateAfter {
		return false, nil
	}
	return r.cfg.Keep.Commands.Done(ctx, in.Conversation.Channel, in.EventKey)
}

// overhear keeps what is not for the bot. A part of an album whose other part speaks to the bot is.
func (r *Router) overhear(ctx context.Context, v *visit) error {
	in := v.in
	if in.Album != "" {
		it, err := r.item(ctx, v)
		if err != nil {
			return err
		}
		if joined, err := r.cfg.Inbox.Join(ctx, it); joined || err != nil {
			return err
		}
	}
	return r.cfg.Keep.Talk.Hear(ctx, r.cfg.Tenant, in)
}

// revisable is how old a message may be of which a change still counts.
const revisable = 24 * time.Hour

// revise does what a changed message asks for: one that waits is replaced; of one that is being worked the agent is
// told; one that is done is done. One that did not speak to the bot counts like a new one if it does now.
func (r *Router) revise(ctx context.Context, v *visit) error {
	in := v.in
	fate, err := r.cfg.Inbox.Revise(ctx, in)
	switch {
	case err != nil:
		return err
	case fate == inbox.Running:
		return r.accept(ctx, v)
	case fate != inbox.Unknown:
		return nil
	case !v.addressed:
		return r.cfg.Keep.Talk.Revise(ctx, in)
	case in.Direct, time.Since(in.SentAt) > revisable: // it was answered, or is too old to know
		return nil
	}
	in.EventKey, in.Revises = in.Revises, ""
	return r.Handle(ctx, in)
}

// takeBack drops a message that was deleted: one that waits gets no turn, and what was heard is forgotten. One that is
// being worked goes on, because people may count on it already.
func (r *Router) takeBack(ctx context.Context, in *channels.Inbound) error {
	fate, err := r.cfg.Inbox.Withdraw(ctx, in)
	if err != nil || fate != inbox.Unknown {
		return err
	}
	return r.cfg.Keep.Talk.Forget(ctx, in)
}

// accept queues a message for the lead agent.
func (r *Router) accept(ctx context.Context, v *visit) error {
	in := v.in
	empty := strings.TrimSpace(in.Text) == "" && len(in.Attachments) == 0
	switch {
	case empty && !in.Mentioned:
		return nil
	case len(in.Text) > maxText:
		return r.say(ctx, in, fmt.Sprintf("Your message is too long for me: it has %d MB, and I read up to %d MB. "+
			"Nothing of it was kept; please send it in parts.", len(in.Text)>>20, maxText>>20), "")
	}
	it, err := r.item(ctx, v)
	if err != nil {
		return err
	}
	if looping, err := r.loops(ctx, it); looping || err != nil {
		return err
	}
	started, err := r.cfg.Inbox.Accept(ctx, it)
	if full, ok := errors.AsType[*inbox.FullError](err); ok {
		return r.full(ctx, in, full.Waiting)
	}
	if err != nil {
		return err
	}
	if !started {
		r.cfg.Waits(in)
	}
	r.cfg.Accepted(in.Conversation.Channel)
	return nil
}

// item is a message with for whom and where it is worked.
func (r *Router) item(ctx context.Context, v *visit) (*inbox.Item, error) {
	agent := v.at.Agent(r.cfg.Lead)
	id, err := r.cfg.Keep.Sessions.Current(ctx, r.cfg.Tenant, agent, v.in.Conversation, titleOf(v.in.Text))
	if err != nil {
		return nil, err
	}
	return &inbox.Item{Session: id, Message: *v.in, Scope: tools.Scope{
		Tenant: r.cfg.Tenant, Agent: agent, User: v.person.ID, Role: string(v.person.Role), Session: id,
		Conversation: v.in.Conversation,
	}}, nil
}

// maxTitle is how many characters of its first message a session is called by.
const maxTitle = 60

// titleOf is how a message begins.
func titleOf(text string) string {
	title := channels.OneLine(text)
	if r := []rune(title); len(r) > maxTitle {
		return strings.TrimSpace(string(r[:maxTitle])) + "…"
	}
	return title
}

// person identifies the sender by channel and the platform's immutable id, never by a name.
func person(in *channels.Inbound) string { return access.AccountOf(in).String() }

// told tells a person of a refusal; other errors are the caller's.
func (r *Router) told(ctx context.Context, in *channels.Inbound, err error) error {
	if refusal, ok := errors.AsType[*access.Refusal](err); ok {
		return r.say(ctx, in, refusalWords(refusal), in.Sender.ID)
	}
	return err
}

// refuse tells a stranger why nothing happens: once in ten minutes, which the message's key takes care of. In a direct
// message the admins are asked.
func (r *Router) refuse(ctx context.Context, in *channels.Inbound, why *access.Refusal) error {
	r.cfg.Log.Info("refused", "channel", in.Conversation.Channel, "user", person(in))
	if err := r.cfg.Keep.Commands.Finish(ctx, in.Conversation.Channel, in.EventKey); err != nil { // it is over, for good
		return err
	}
	if in.Sender.Bot { // which can do nothing about it
		return nil
	}
	if in.Direct && why.MayAsk {
		return r.askIn(ctx, in)
	}
	period := time.Now().Unix() / 600
	return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key:          fmt.Sprintf("refusal/%s/%s/%d", in.Conversation, in.Sender.ID, period),
		Conversation: in.Conversation, ReplyTo: in.Quote(), Via: in.Via, To: in.Sender.ID, Text: refusalWords(why),
	})
}

func refusalWords(why *access.Refusal) string { return why.What + "\n\n" + why.Why + " " + why.Who }

// said is the key of what the program itself says to a message: one that is delivered again is answered once.
func said(in *channels.Inbound) string { return "said/" + in.Conversation.Channel + "/" + in.EventKey }

// say answers a message with words of the program itself, to a person alone where the messenger can do that, unless to
// is empty.
func (r *Router) say(ctx context.Context, in *channels.Inbound, text string, to channels.UserID) error {
	return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key: said(in), Conversation: in.Conversation, ReplyTo: in.Quote(), Via: in.Via, To: to, Text: text,
	})
}

// full tells that a message was not taken, once in a minute to each person: more would only make the platform slow
// everybody down.
func (r *Router) full(ctx context.Context, in *channels.Inbound, waiting int) error {
	r.cfg.Log.Warn("queue full", "channel", in.Conversation.Channel, "user", person(in), "waiting", waiting)
	if err := r.cfg.Keep.Commands.Finish(ctx, in.Conversation.Channel, in.EventKey); err != nil {
		return err
	}
	return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key:          fmt.Sprintf("full/%s/%s/%d", in.Conversation, in.Sender.ID, time.Now().Unix()/60),
		Conversation: in.Conversation, ReplyTo: in.Quote(), Via: in.Via,
		Text: fmt.Sprintf("I have %s waiting here already, so I did not take this one. I take new ones when some are "+
			"done; until then nothing more is kept.", Count(waiting, "message")),
		Buttons: [][]channels.Button{{DropWaiting(time.Now())}},
	})
}

// clean makes the texts of a message fit for every database: valid UTF-8 without NUL.
func clean(in *channels.Inbound) {
	fix := func(s *string) { *s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "\uFFFD") }
	files := func(as []channels.Attachment) {
		for i := range as {
			fix(&as[i].Name)
			fix(&as[i].MediaType)
		}
	}
	fix(&in.Text)
	fix(&in.Sender.Name)
	files(in.Attachments)
	if in.Command != nil {
		fix(&in.Command.Name)
		fix(&in.Command.Args)
	}
	if in.Action != nil {
		fix(&in.Action.Token)
		fix(&in.Action.Answer)
	}
	if q := in.ReplyTo; q != nil {
		fix(&q.Text)
		fix(&q.Sender.Name)
		files(q.Attachments)
	}
}
