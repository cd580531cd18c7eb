package command

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/nearest"
)

// source is a place with a list of tools of its own.
type source struct {
	list place.Setting
	name string // what people call the place
}

// copy gives a place the list of tools of another one. Places are named as their people name them, or chosen.
func (t Toolbox) copy(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
	at, args := wide(req.In.Conversation, args)
	if word, rest, _ := strings.Cut(args, " "); strings.EqualFold(word, "from") {
		args = strings.TrimSpace(rest)
	}
	all, err := t.sources(ctx, at)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return aside("No other place has a list of tools of its own."), nil
	case args == "":
		return offered("From where?", all, at != req.In.Conversation), nil
	}
	found := matching(all, args)
	if len(found) == 0 {
		var names []string
		for _, s := range all {
			names = append(names, s.name)
		}
		hint := ""
		if near := nearest.Nearest(args, names, 1); len(near) > 0 {
			hint = " Did you mean " + channels.Literal(near[0]) + "?"
		}
		return offered("No place called `"+inline(args)+"` has a list of tools of its own."+hint, all,
			at != req.In.Conversation), nil
	}
	if len(found) > 1 {
		return offered("Several places are called so.", found, at != req.In.Conversation), nil
	}
	e, err := t.Book.Fresh(ctx, at)
	if err != nil {
		return nil, err
	}
	a, err := t.topics().write(ctx, req, e, at, place.KeyTools, found[0].list.Value)
	if err != nil {
		return nil, err
	}
	a.Text = "Copied from " + channels.Literal(found[0].name) + ". " + a.Text
	return a, nil
}

// sources are the places but one that have a list of tools of their own, by name.
func (t Toolbox) sources(ctx context.Context, but channels.Conversation) ([]source, error) {
	lists, err := t.Book.All(ctx, place.KeyTools)
	if err != nil {
		return nil, err
	}
	lists = slices.DeleteFunc(lists, func(s place.Setting) bool { return s.At == but })
	all := make([]source, len(lists))
	const atOnce = 8
	var asking errgroup.Group
	asking.SetLimit(atOnce)
	for i, s := range lists {
		asking.Go(func() error {
			all[i] = source{s, t.Name(ctx, s.At)}
			return nil
		})
	}
	_ = asking.Wait() // none fails
	slices.SortStableFunc(all, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// matching are the places that somebody means by a name, or by the key that a choice gives.
func matching(all []source, name string) (found []source) {
	plain := func(s string) string { return strings.ToLower(strings.TrimPrefix(s, "#")) }
	for _, s := range all {
		if s.list.At.String() == name {
			return []source{s}
		}
		if plain(s.name) == plain(name) {
			found = append(found, s)
		}
	}
	return found
}

// mostSources is how many places can be chosen from: messengers take about so many options.
const mostSources = 20

// offered lets people choose a place.
func offered(text string, all []source, wider bool) *bot.Answer {
	choice := channels.Button{Text: "Copy from", Command: channels.Command{Name: "tools", Args: "copy from"}}
	for _, s := range all[:min(len(all), mostSources)] {
		value := s.list.At.String()
		if wider {
			value += " --chat"
		}
		choice.Options = append(choice.Options, channels.Option{Text: s.name, Value: value})
	}
	return &bot.Answer{Text: text, Aside: true, Buttons: [][]channels.Button{{choice}}}
}
