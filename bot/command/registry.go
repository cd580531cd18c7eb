// Package command is the chat grammar: one registry of verbs, one file for each. Messengers only register it, and
// people say the same words everywhere.
package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/nearest"
)

// Verb is one word that people can tell the program.
type Verb struct {
	Name, Help string
	// Role is the least that may use it.
	Role access.Role
	// Subs are the words that may follow. A verb without any takes no words, unless Free.
	Subs []Sub
	// Admins marks verbs that menus show only to those who run a chat, where a messenger can tell them apart.
	Admins bool
	// Free verbs take any words. In plain words they are told from a request by Says; nil: only without words behind them.
	Free bool
	Says func(args string) bool
	// Complete lists what may stand in place of args, which were begun; may be nil.
	Complete func(ctx context.Context, req *bot.Request, args string) []channels.Option
	// Changes tells whether the words change something, so that they are recorded; nil: they never do.
	Changes func(args string) bool
	Do      func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error)
}

// Sub is a word behind a verb.
type Sub struct {
	Name, Help string
	Args       string // what stands behind it, for help: "<tool>"; empty for nothing
	Role       access.Role
}

// Registry is all verbs. It is read-only once it is made.
type Registry struct {
	verbs  []Verb
	record Recorder // may be nil
}

// Recorder is told what people changed, or were refused to change, by words. err is what came of it.
type Recorder func(ctx context.Context, req *bot.Request, words string, err error)

// Recording makes record be told. It is for the making of r.
func (r *Registry) Recording(record Recorder) *Registry {
	r.record = record
	return r
}

// New makes a Registry. Help shows the verbs in the given order; it is itself the last.
func New(verbs ...Verb) *Registry {
	r := &Registry{verbs: verbs}
	r.verbs = append(r.verbs, r.help())
	return r
}

var _ bot.Verbs = (*Registry)(nil)

// find is the verb of a name; nil when there is none.
func (r *Registry) find(name string) *Verb {
	for i := range r.verbs {
		if strings.EqualFold(r.verbs[i].Name, name) {
			return &r.verbs[i]
		}
	}
	return nil
}

// leadWord may stand before every verb: "/lead stop".
const leadWord = "lead"

// Spoken implements bot.Verbs. The first word must be a verb and the second, if any, one that it knows: "new plan for
// the launch" is a request, and so is "stop the deployment".
func (r *Registry) Spoken(text string) *channels.Command {
	words := strings.Fields(text)
	if len(words) > 1 && strings.EqualFold(strings.TrimPrefix(words[0], "/"), leadWord) {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	v := r.find(words[0])
	if v == nil {
		return nil
	}
	args := strings.Join(words[1:], " ")
	if args != "" && !v.knows(words[1:]) && (v.Says == nil || !v.Says(args)) {
		return nil
	}
	return &channels.Command{Name: v.Name, Args: args}
}

// knows tells whether words are a sub of the verb with what may stand behind it.
func (v *Verb) knows(words []string) bool {
	s := v.sub(words[0])
	return s != nil && (s.Args != "" || len(words) == 1)
}

func (v *Verb) sub(word string) *Sub {
	for i := range v.Subs {
		if strings.EqualFold(v.Subs[i].Name, word) {
			return &v.Subs[i]
		}
	}
	return nil
}

// startWord is what a messenger sends when a person opens the bot for the first time.
const startWord = "start"

// Do implements bot.Verbs.
func (r *Registry) Do(ctx context.Context, req *bot.Request) (*bot.Answer, error) {
	name, args := strings.ToLower(req.In.Command.Name), strings.TrimSpace(req.In.Command.Args)
	switch name {
	case startWord:
		name, args = helpWord, ""
	case leadWord: // "/lead stop all", where a messenger knows only the first word
		if args == "" {
			args = helpWord
		}
		cmd := r.Spoken(args)
		if cmd == nil {
			first, rest, _ := strings.Cut(args, " ")
			cmd = &channels.Command{Name: first, Args: rest}
		}
		name, args = strings.ToLower(cmd.Name), cmd.Args
	}
	v := r.find(name)
	if v == nil {
		return r.unknown(name), nil
	}
	answer, err := v.do(ctx, req, args)
	if r.record != nil && v.Changes != nil && v.Changes(args) {
		r.record(ctx, req, strings.TrimSpace(v.Name+" "+args), err)
	}
	return answer, err
}

// always tells that a verb changes something whatever its words are.
func always(string) bool { return true }

// unless tells that a verb changes something by all words but these; without words it does not.
func unless(reads ...string) func(args string) bool {
	return func(args string) bool {
		word, _, _ := strings.Cut(args, " ")
		return word != "" && !slices.Contains(reads, strings.ToLower(word))
	}
}

// do does what the verb says, if the person may.
func (v *Verb) do(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
	if !req.Person.Role.AtLeast(v.Role) {
		return nil, access.Lacks(req.Person, v.Role, "use `"+v.Name+"`")
	}
	word, _, _ := strings.Cut(args, " ")
	s := v.sub(word)
	switch {
	case s != nil && s.Role != "" && !req.Person.Role.AtLeast(s.Role):
		return nil, access.Lacks(req.Person, s.Role, "use `"+v.Name+" "+s.Name+"`")
	case s == nil && args != "" && !v.Free:
		return v.misused(word), nil
	}
	return v.Do(ctx, req, args)
}

func (r *Registry) unknown(name string) *bot.Answer {
	var names []string
	for _, v := range r.verbs {
		names = append(names, v.Name)
	}
	hint := "`help` shows what there is."
	if near := nearest.Nearest(name, names, 1); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean `%s`? %s", near[0], hint)
	}
	return aside("There is no command `%s`. %s", inline(name), hint)
}

// misused tells how a verb is used.
func (v *Verb) misused(word string) *bot.Answer {
	text := fmt.Sprintf("`%s` takes nothing behind it.", v.Name)
	if len(v.Subs) > 0 {
		var names []string
		for _, s := range v.Subs {
			names = append(names, s.Name)
		}
		text = fmt.Sprintf("`%s` does not know `%s`.", v.Name, inline(word))
		if near := nearest.Nearest(word, names, 1); len(near) > 0 {
			text += fmt.Sprintf(" Did you mean `%s %s`?", v.Name, near[0])
		}
		text += "\n\n" + v.usage()
	}
	return &bot.Answer{Text: text, Aside: true}
}

// usage lists what can be said with a verb.
func (v *Verb) usage() string {
	lines := []string{fmt.Sprintf("- `%s` – %s", v.Name, v.Help)}
	for _, s := range v.Subs {
		lines = append(lines, fmt.Sprintf("- `%s` – %s", strings.TrimSpace(v.Name+" "+s.Name+" "+s.Args), s.Help))
	}
	return strings.Join(lines, "\n")
}

// aside is an answer that only who asked needs.
func aside(format string, args ...any) *bot.Answer {
	return &bot.Answer{Text: fmt.Sprintf(format, args...), Aside: true}
}

// openly is an answer for everybody.
func openly(format string, args ...any) *bot.Answer {
	return &bot.Answer{Text: fmt.Sprintf(format, args...)}
}

// inline makes a person's word safe to repeat inside a code span.
func inline(s string) string { return channels.InCode(s, maxWord) }

// maxWord is how many characters of a person's word are repeated.
const maxWord = 40

// Menu lists the verbs for the menus of messengers.
func (r *Registry) Menu() []channels.CommandInfo {
	var menu []channels.CommandInfo
	for _, v := range r.verbs {
		menu = append(menu, channels.CommandInfo{
			Name: v.Name, Help: strings.ReplaceAll(v.Help, "`", ""), Admins: v.Admins,
		})
	}
	return menu
}

// Complete lists what may stand behind a verb that is being typed. Nobody is asked who they are for it: it must tell
// nothing that is not for everybody.
func (r *Registry) Complete(ctx context.Context, in *channels.Inbound) []channels.Option {
	if in.Command == nil {
		return nil
	}
	v := r.find(in.Command.Name)
	if v == nil {
		return nil
	}
	args := strings.TrimLeft(in.Command.Args, " ")
	var fits []channels.Option
	for _, s := range v.Subs {
		if strings.HasPrefix(strings.ToLower(s.Name), strings.ToLower(args)) {
			fits = append(fits, channels.Option{Text: strings.TrimSpace(s.Name+" "+s.Args) + " – " + s.Help, Value: s.Name})
		}
	}
	if v.Complete != nil {
		fits = append(fits, v.Complete(ctx, &bot.Request{In: in}, args)...)
	}
	return slices.Clip(fits)
}
