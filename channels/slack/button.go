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
	// buttonPrefix marks the buttons of this program, in a form that may change.
	buttonPrefix = "l1:"
	// askPrefix marks those that ask a question, which stands in the line below the command.
	askPrefix = "l1?"

	maxButtonText = 75
	maxOptionText = 75
	maxOptions    = 100
	maxQuestion   = 1500
	maxInRow      = 25
)

// pack makes a command what Slack keeps with a button.
func pack(cmd channels.Command, more ...string) (string, error) {
	data := strings.TrimSpace(strings.Join(append([]string{cmd.Name, cmd.Args}, more...), " "))
	if cmd.Name == "" || len(data) > channels.MaxButtonBytes {
		return "", fmt.Errorf("the command of a button has %d bytes, %d at most fit", len(data), channels.MaxButtonBytes)
	}
	return buttonPrefix + data, nil
}

// unpack is the command of a pressed button, and its question; ok is false when it is not one of ours.
func unpack(data string) (cmd *channels.Command, ask string, ok bool) {
	if rest, asks := strings.CutPrefix(data, askPrefix); asks {
		data, ask, _ = strings.Cut(rest, "\n")
	} else if data, ok = strings.CutPrefix(data, buttonPrefix); !ok {
		return nil, "", false
	}
	name, args, _ := strings.Cut(data, " ")
	return &channels.Command{Name: name, Args: strings.TrimSpace(args)}, ask, name != ""
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
	value, err := pack(b.Command)
	if err != nil {
		return nil, err
	}
	if b.Ask != "" {
		value = askPrefix + strings.TrimPrefix(value, buttonPrefix) + "\n" + cut(b.Ask, maxQuestion)
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
	for _, o := range b.Options[:min(len(b.Options), maxOptions)] {
		value, err := pack(b.Command, o.Value)
		if err != nil {
			return nil, err
		}
		options = append(options, slackgo.NewOptionBlockObject(value, plainText(cmp.Or(o.Text, o.Value), maxOptionText), nil))
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
