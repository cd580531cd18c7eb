package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/nearest"
)

// command is one word that the program itself answers, without a turn and without waiting behind one.
type command struct {
	name, help string
	run        func(r *Router, ctx context.Context, in *channels.Inbound) (said, error)
	args       []channels.Option // what may stand behind it
}

// said is what a command answers; nothing when something else does.
type said struct {
	text    string
	buttons [][]channels.Button
	// aside is an answer that only who asked needs. It is shown to nobody else if the command was not seen either, as
	// those of a messenger's menu.
	aside bool
}

// commands lists them in the order in which help shows them.
func commands() []command {
	return []command{
		{name: "new", help: "start a new session here; the old one is kept", run: (*Router).newSession},
		{
			name: "stop", help: "end what I am doing here; `stop all` also drops what waits", run: (*Router).stop,
			args: []channels.Option{{Text: "all – also drop what waits", Value: "all"}},
		},
		{name: "help", help: "show this", run: (*Router).help},
	}
}

// startCommand is what a messenger sends when a person opens the bot for the first time.
const startCommand = "start"

// Menu lists the commands for the menus of messengers.
func Menu() []channels.CommandInfo {
	var menu []channels.CommandInfo
	for _, c := range commands() {
		menu = append(menu, channels.CommandInfo{Name: c.name, Help: strings.ReplaceAll(c.help, "`", "")})
	}
	return menu
}

// Complete lists what may stand behind a command that is being typed.
func Complete(_ context.Context, in *channels.Inbound) []channels.Option {
	if in.Command == nil {
		return nil
	}
	typed := strings.ToLower(strings.TrimSpace(in.Command.Args))
	var fits []channels.Option
	for _, c := range commands() {
		for _, o := range c.args {
			if c.name == in.Command.Name && strings.HasPrefix(o.Value, typed) {
				fits = append(fits, o)
			}
		}
	}
	return fits
}

// spoken recognises a command that was written as plain words: nothing but its name, or "stop all". Everything longer
// is a request.
func spoken(text string) *channels.Command {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 || len(words) > 2 {
		return nil
	}
	for _, c := range commands() {
		known := func(o channels.Option) bool { return o.Value == words[1] }
		if words[0] == c.name && (len(words) == 1 || slices.ContainsFunc(c.args, known)) {
			return &channels.Command{Name: c.name, Args: strings.Join(words[1:], " ")}
		}
	}
	return nil
}

// once does what a command or a press asks for, once: one that is delivered again after it was done is dropped.
func (r *Router) once(
	ctx context.Context, in *channels.Inbound, do func(ctx context.Context, in *channels.Inbound) error,
) error {
	channel := in.Conversation.Channel
	for _, key := range []string{in.EventKey, in.Revises} { // changing a command does not give it again
		if done, err := r.cfg.Commands.Done(ctx, channel, key); err != nil || done {
			return err
		}
	}
	if err := do(ctx, in); err != nil {
		return err
	}
	return r.cfg.Commands.Finish(ctx, channel, in.EventKey)
}

func (r *Router) run(ctx context.Context, in *channels.Inbound) error {
	name := strings.ToLower(in.Command.Name)
	if name == startCommand {
		name = "help"
	}
	var names []string
	for _, c := range commands() {
		if c.name == name {
			answer, err := c.run(r, ctx, in)
			if err != nil || answer.text == "" {
				return err
			}
			return r.answer(ctx, in, answer)
		}
		names = append(names, c.name)
	}
	hint := "`help` shows what there is."
	if near := nearest.Nearest(name, names, 1); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean `%s`? %s", near[0], hint)
	}
	return r.answer(ctx, in, said{
		text: fmt.Sprintf("There is no command `%s`. %s", oneLine(in.Command.Name), hint), aside: true,
	})
}

func (r *Router) answer(ctx context.Context, in *channels.Inbound, a said) error {
	if a.aside && in.Via != "" {
		return r.whisper(ctx, in, a.text)
	}
	return r.say(ctx, in, a.text, a.buttons...)
}

// oneLine makes a person's word safe to repeat inside a code span.
func oneLine(s string) string {
	s = strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(s)
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return s
}

func (r *Router) help(context.Context, *channels.Inbound) (said, error) {
	var b strings.Builder
	b.WriteString("Write what you need in plain words. Commands:\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "- `%s` – %s\n", c.name, c.help)
	}
	return said{text: b.String(), aside: true}, nil
}

func (r *Router) newSession(ctx context.Context, in *channels.Inbound) (said, error) {
	n, found, err := r.cfg.Sessions.End(ctx, r.cfg.Tenant, r.cfg.Lead, in.Conversation)
	switch {
	case err != nil:
		return said{}, err
	case !found:
		return said{text: "This is a new session already."}, nil
	}
	return said{text: fmt.Sprintf("New session. The old one, with %s of yours, is kept.", count(n, "message"))}, nil
}

// stop ends what runs here. What it ended says so itself, so there is no answer unless there was nothing to end.
func (r *Router) stop(ctx context.Context, in *channels.Inbound) (said, error) {
	busy, err := r.cfg.Sessions.Busy(ctx, r.cfg.Tenant, in.Conversation)
	if err != nil {
		return said{}, err
	}
	all := strings.EqualFold(strings.TrimSpace(in.Command.Args), "all")
	stopped, waiting := 0, 0
	for _, id := range busy {
		s, w, err := r.cfg.Inbox.Stop(ctx, id, all)
		if err != nil {
			return said{}, err
		}
		stopped, waiting = stopped+s, waiting+w
	}
	switch {
	case stopped == 0:
		return said{text: "Nothing is running here.", aside: true}, nil
	case waiting > 0:
		return said{
			text:    fmt.Sprintf("%s still waiting; `stop all` drops them too.", count(waiting, "message")),
			buttons: [][]channels.Button{{dropWaiting()}},
		}, nil
	}
	return said{}, nil
}

// dropWaiting is a button that is meant for what waits now, not for what may wait tomorrow.
func dropWaiting() channels.Button {
	return channels.Button{
		Text: "Drop what waits", Command: channels.Command{Name: "stop", Args: "all"},
		Guard: channels.Guard{Expires: time.Now().Add(time.Hour)},
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
