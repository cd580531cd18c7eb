package slack

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

const (
	// buttonPrefix marks the buttons of this program, in a form that may change. Those of the form before it held
	// commands and began with l1.
	buttonPrefix = "l2:"
	// askPrefix marks those that ask a question, which stands in the line below the token: the form that asks it must
	// be open within three seconds.
	askPrefix = "l2?"

	maxButtonText = 75
	maxOptionText = 75
	maxOptions    = 100
	maxQuestion   = 1500
	maxInRow      = 25
)

// unpack reads what is kept with a pressed button, and its question; ok is false when it is not one of ours.
func unpack(value string) (a *channels.Action, ask string, ok bool) {
	data, plain := strings.CutPrefix(value, buttonPrefix)
	if !plain {
		rest, asks := strings.CutPrefix(value, askPrefix)
		if data, ask, ok = strings.Cut(rest, "\n"); !asks || !ok || ask == "" {
			return nil, "", false
		}
	}
	a, ok = channels.Pressed(data)
	return a, ask, ok
}

// keyboard is the blocks of buttons, one for each row.
func keyboard(rows [][]channels.Button) ([]slackgo.Block, error) {
	var blocks []slackgo.Block
	for r, row := range rows {
		var shown []slackgo.BlockElement
		for i, b := range row[:min(len(row), maxInRow)] {
			e, err := element(fmt.Sprintf("%s%d:%d", buttonPrefix, r, i), b)
			if err != nil {
				return nil, err
			}
			shown = append(shown, e)
		}
		if len(shown) > 0 {
			blocks = append(blocks, slackgo.NewActionBlock("", shown...))
		}
	}
	return blocks, nil
}

var errNoText = errors.New("a button has no text")

func element(id string, b channels.Button) (slackgo.BlockElement, error) {
	if strings.TrimSpace(b.Text) == "" {
		return nil, errNoText
	}
	if len(b.Options) > 0 {
		return choice(id, b)
	}
	data, err := b.Data(0)
	if err != nil {
		return nil, err
	}
	value := buttonPrefix + data
	if b.Ask != "" {
		value = askPrefix + data + "\n" + cut(b.Ask, maxQuestion)
	}
	e := slackgo.NewButtonBlockElement(id, value, plainText(b.Text, maxButtonText))
	switch b.Style {
	case channels.Primary:
		e.Style = slackgo.StylePrimary
	case channels.Danger:
		e.Style = slackgo.StyleDanger
	}
	return e, nil
}

func choice(id string, b channels.Button) (slackgo.BlockElement, error) {
	var options []*slackgo.OptionBlockObject
	for i, o := range b.Options[:min(len(b.Options), maxOptions)] {
		data, err := b.Data(i + 1)
		if err != nil {
			return nil, err
		}
		text := plainText(cmp.Or(o.Text, o.Value), maxOptionText)
		options = append(options, slackgo.NewOptionBlockObject(buttonPrefix+data, text, nil))
	}
	return slackgo.NewOptionsSelectBlockElement(
		slackgo.OptTypeStatic, plainText(b.Text, maxButtonText), id, options...), nil
}

// plainText is a text without markup of at most n characters.
func plainText(s string, n int) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.PlainTextType, cut(s, n), true, false)
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
