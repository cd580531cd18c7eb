package bot

import "github.com/leadhand/leadhand/channels"

// Hider takes secrets out of texts.
type Hider interface {
	Text(text string) string
	// Partial is Text of a text that still grows.
	Partial(text string) string
}

// hide takes secrets out of what a person wrote: neither the database nor a model is given them.
func hide(in *channels.Inbound, h Hider) {
	in.Text = h.Text(in.Text)
	if in.Command != nil {
		in.Command.Args = h.Text(in.Command.Args)
	}
	if in.Action != nil {
		in.Action.Answer = h.Text(in.Action.Answer)
	}
	if in.ReplyTo != nil {
		in.ReplyTo.Text = h.Text(in.ReplyTo.Text)
	}
}

// open hides nothing.
type open struct{}

func (open) Text(s string) string    { return s }
func (open) Partial(s string) string { return s }
