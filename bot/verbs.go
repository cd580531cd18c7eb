package bot

import (
	"context"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// Verbs are what people can tell the program itself, without a turn and without waiting behind one. bot/command has
// them.
type Verbs interface {
	// Spoken recognises a verb in plain words; nil when they are a request.
	Spoken(text string) *channels.Command
	// Do does what a verb says. A nil Answer means that something else answers. An *access.Refusal is told to the person.
	Do(ctx context.Context, req *Request) (*Answer, error)
}

// Request is one use of a verb, in In.Command.
type Request struct {
	In     *channels.Inbound
	Person *access.Person
}

// Answer is what a verb says.
type Answer struct {
	Text    string
	Card    *channels.Card
	Buttons [][]channels.Button
	Files   []channels.Attachment
	// Request is what a verb asks of the agent in the person's name; then there is no other answer.
	Request string
	// Aside is an answer that only who asked needs. It is shown to nobody else if the command was not seen either, as
	// those of a messenger's menu.
	Aside bool
	// Edits says that the answer takes the place of the message whose button was pressed.
	Edits bool
	// Posted is called when the answer is stored, from where it is sent; it may be nil.
	Posted func()
}

// verb does what a command says and tells what came of it.
func (r *Router) verb(ctx context.Context, v *visit) error {
	in := v.in
	a, err := r.cfg.Verbs.Do(ctx, &Request{In: in, Person: v.person})
	if err != nil {
		return r.told(ctx, in, err)
	}
	switch {
	case a == nil:
		return nil
	case a.Request != "":
		in.Text, in.Command, in.Action = a.Request, nil, nil
		v.seat()
		return r.accept(ctx, v)
	}
	out := channels.Outbound{
		Key: said(in), Conversation: in.Conversation, ReplyTo: in.Quote(), Via: in.Via, Text: a.Text, Card: a.Card,
		Buttons: a.Buttons, Attachments: a.Files,
	}
	if a.Aside && in.Via != "" {
		out.To = in.Sender.ID
	}
	if a.Edits && in.Action != nil {
		out.Edit, out.ReplyTo = in.ID, ""
	}
	err = r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", out)
	if err == nil && a.Posted != nil {
		a.Posted()
	}
	return err
}
