package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/nearest"
)

// Book is what is set for places.
type Book interface {
	At(ctx context.Context, c channels.Conversation) (*place.Effective, error)
	// Fresh is At for who wants to change it.
	Fresh(ctx context.Context, c channels.Conversation) (*place.Effective, error)
	Fixed(at channels.Conversation, key place.Key) *place.Setting
	Set(ctx context.Context, s place.Setting) error
	// All lists what is set of one key, wherever that is.
	All(ctx context.Context, key place.Key) ([]place.Setting, error)
}

// Topics changes what is set for places.
type Topics struct {
	Book   Book
	Agents []string // that can be chosen; the first is the one where nothing is set
	Steers bool     // where nothing is set
	Tenant string
	People access.Known
	Zone   *time.Location
	// Skills are the names of those that are installed.
	Skills func() ([]string, error)
}

// choice is a setting that has one of few values.
type choice struct {
	word, help string
	key        place.Key
	values     []string
	narrow     string // the value that a lead may choose too; empty for none
}

func (t Topics) choices() []choice {
	return []choice{
		{"answer", "when I answer: when I am mentioned, or always", place.KeyAnswer,
			[]string{string(place.Mention), string(place.Always)}, string(place.Mention)},
		{"who", "who may talk to me: people who were let in, or everyone here", place.KeyWho,
			[]string{string(place.Members), string(place.Everyone), listWord}, string(place.Members)},
		{"agent", "which agent answers", place.KeyAgent, t.Agents, ""},
		{"steering", "whether messages join a running answer, or wait for their own", place.KeySteering,
			[]string{"steer", "queue"}, ""},
		{"reply", "where my answers stand: in a thread, as a reply, or plain", place.KeyReply, place.Replies(), ""},
	}
}

// Topic shows and changes what is set for a place, each value with its source.
func Topic(t Topics) Verb {
	subs := []Sub{{Name: "show", Help: "what counts here, and who set it"}}
	for _, c := range t.choices() {
		args := "<" + strings.Join(c.values, "|") + ">"
		subs = append(subs, Sub{Name: c.word, Args: args, Help: c.help, Role: access.Lead})
	}
	subs = append(subs,
		Sub{Name: "skills", Args: "<names|none>", Help: "which skills I may use", Role: access.Admin},
		Sub{Name: "prompt", Args: "<text>", Help: "add to the agent's instructions", Role: access.Admin},
		Sub{Name: "reset", Args: "<what>", Help: "take back what was set here", Role: access.Admin})
	return Verb{
		Name: "topic", Changes: unless("show"), Role: access.Member, Subs: subs, Admins: true,
		Help: "how I work here; `--chat` or `--channel` at the end means all of the chat or the channel",
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			word, rest, _ := strings.Cut(args, " ")
			at, rest := wide(req.In.Conversation, rest)
			switch word = strings.ToLower(word); word {
			case "", "show":
				return t.show(ctx, req)
			case "prompt":
				if rest == "" { // to take it back is `topic reset prompt`
					return t.show(ctx, req)
				}
				return t.set(ctx, req, at, place.KeyPrompt, rest)
			case "skills":
				return t.skills(ctx, req, at, rest)
			case "reset":
				return t.reset(ctx, req, at, rest)
			}
			for _, c := range t.choices() {
				if c.word == word {
					return t.choose(ctx, req, at, c, rest)
				}
			}
			return t.show(ctx, req)
		},
	}
}

// wide takes the words at the end of args that widen a place: --chat, --channel.
func wide(at channels.Conversation, args string) (channels.Conversation, string) {
	if rest, ok := strings.CutSuffix(args, "--chat"); ok {
		at.Topic, args = "", rest
	} else if rest, ok := strings.CutSuffix(args, "--channel"); ok {
		at.Chat, at.Topic, args = "", "", rest
	}
	return at, strings.TrimSpace(args)
}

func (t Topics) show(ctx context.Context, req *bot.Request) (*bot.Answer, error) {
	e, err := t.Book.At(ctx, req.In.Conversation)
	if err != nil {
		return nil, err
	}
	card := &channels.Card{Title: "How I work here"}
	add := func(name, value string, key place.Key) {
		value += " (" + channels.Literal(e.Get(key).Source(t.Zone)) + ")"
		card.Fields = append(card.Fields, channels.Field{Name: name, Value: value})
	}
	steering := "queue"
	if e.Steers(t.Steers) {
		steering = "steer"
	}
	add("Answer", string(e.Answer()), place.KeyAnswer)
	who, err := t.who(ctx, e.Get(place.KeyWho))
	if err != nil {
		return nil, err
	}
	add("Who", who, place.KeyWho)
	add("Agent", channels.Literal(e.Agent(t.Agents[0])), place.KeyAgent)
	add("Steering", steering, place.KeySteering)
	add("Reply", cmp.Or(string(e.Reply()), "as usual here"), place.KeyReply)
	if m := e.Model(); m != "" {
		add("Model", channels.Literal(m), place.KeyModel)
	}
	if e.Muted() {
		add("Muted", "I answer only who mentions me", place.KeyMute)
	}
	for _, rule := range e.Tools() {
		card.Fields = append(card.Fields, channels.Field{
			Name: "Tools", Value: channels.Literal(rule.String() + " (" + rule.Setting.Source(t.Zone) + ")"),
		})
	}
	if list, limited := e.Skills(); limited {
		add("Skills", channels.Literal(skillsShown(list)), place.KeySkills)
	}
	if p := e.Prompt(); p != "" {
		add("Prompt", channels.Literal(p), place.KeyPrompt)
	}
	return &bot.Answer{Card: card, Aside: true}, nil
}

func (t Topics) choose(
	ctx context.Context, req *bot.Request, at channels.Conversation, c choice, value string,
) (*bot.Answer, error) {
	if word, names, _ := strings.Cut(value, " "); c.key == place.KeyWho && strings.EqualFold(word, string(place.Listed)) {
		return t.list(ctx, req, at, names)
	}
	value = strings.ToLower(value)
	if !slices.Contains(c.values, value) {
		hint := strings.Join(c.values, ", ")
		if near := nearest.Nearest(value, c.values, 1); len(near) > 0 {
			hint += fmt.Sprintf("; did you mean `%s`?", near[0])
		}
		return aside("`%s` is none of: %s", inline(value), hint), nil
	}
	if value != c.narrow && !req.Person.Role.AtLeast(access.Admin) {
		return nil, access.Lacks(req.Person, access.Admin, fmt.Sprintf("set `%s` to `%s`", c.word, value))
	}
	if at != req.In.Conversation && !req.Person.Role.AtLeast(access.Admin) {
		return nil, access.Lacks(req.Person, access.Admin, "change more than this place")
	}
	return t.set(ctx, req, at, c.key, value)
}

func (t Topics) reset(
	ctx context.Context, req *bot.Request, at channels.Conversation, what string,
) (*bot.Answer, error) {
	var names []string
	for _, k := range place.Keys() {
		names = append(names, string(k))
	}
	if !slices.Contains(names, what) {
		return aside("Write `topic reset` and one of: %s.", strings.Join(names, ", ")), nil
	}
	return t.set(ctx, req, at, place.Key(what), "")
}

// set writes a value, or takes it away when it is empty, and says what was and what is.
func (t Topics) set(
	ctx context.Context, req *bot.Request, at channels.Conversation, key place.Key, value string,
) (*bot.Answer, error) {
	e, err := t.Book.Fresh(ctx, at)
	if err != nil {
		return nil, err
	}
	return t.write(ctx, req, e, at, key, value)
}

// write changes what e says, unless somebody did that meanwhile.
func (t Topics) write(
	ctx context.Context, req *bot.Request, e *place.Effective, at channels.Conversation, key place.Key, value string,
) (*bot.Answer, error) {
	if fixed := t.Book.Fixed(at, key); fixed != nil {
		value, err := t.shown(ctx, fixed)
		if err != nil {
			return nil, err
		}
		return openly("The configuration file sets `%s` here: %s. It counts before what is set from chat. Whoever runs "+
			"me can change it there, under `places`.", key, value), nil
	}
	before, here := e.Get(key), e.Here(at, key)
	s := place.Setting{At: at, Key: key, Value: value, By: req.Person.Name, When: time.Now()}
	if here != nil {
		s.Revision = here.Revision
	}
	if err := t.Book.Set(ctx, s); errors.Is(err, place.ErrChanged) {
		return t.raced(ctx, at, key)
	} else if err != nil {
		return nil, err
	}
	e, err := t.Book.At(ctx, at)
	if err != nil {
		return nil, err
	}
	was, err := t.shown(ctx, before)
	if err != nil {
		return nil, err
	}
	is, err := t.shown(ctx, e.Get(key))
	if err != nil {
		return nil, err
	}
	return openly("`%s`: %s → %s. It counts from the next message on.", key, was, is), nil
}

// raced tells that somebody else changed the same a moment ago, and to what.
func (t Topics) raced(ctx context.Context, at channels.Conversation, key place.Key) (*bot.Answer, error) {
	e, err := t.Book.At(ctx, at)
	if err != nil {
		return nil, err
	}
	is, err := t.shown(ctx, e.Get(key))
	if err != nil {
		return nil, err
	}
	return openly("Somebody changed `%s` a moment ago, so I did nothing: it is %s now. Say it again if "+
		"you still want it.", key, is), nil
}

// shown is a setting in words, with its source.
func (t Topics) shown(ctx context.Context, s *place.Setting) (string, error) {
	if s == nil {
		return "the default", nil
	}
	value := "`" + inline(s.Value) + "`"
	switch s.Key {
	case place.KeyTools:
		value = channels.Literal(place.ReadTools(s.Value).String())
	case place.KeySkills:
		value = "`" + inline(skillsShown(s.Skills())) + "`"
	case place.KeyWho:
		var err error
		if value, err = t.who(ctx, s); err != nil {
			return "", err
		}
		value = "`" + value + "`"
	}
	return fmt.Sprintf("%s (%s)", value, channels.Literal(s.Source(t.Zone))), nil
}
