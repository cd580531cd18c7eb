package discord

import (
	"cmp"
	"fmt"

	"github.com/leadhand/leadhand/channels"
)

// component is a part of a message or a form.
type component struct {
	Type        int         `json:"type"`
	CustomID    string      `json:"custom_id,omitempty"`
	Label       string      `json:"label,omitempty"`
	Style       int         `json:"style,omitempty"`
	Placeholder string      `json:"placeholder,omitempty"`
	Options     []choice    `json:"options,omitempty"`
	MaxLength   int         `json:"max_length,omitempty"`
	Value       string      `json:"value,omitempty"` // what was answered
	Components  []component `json:"components,omitempty"`
	display
}

type choice struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Types of components.
const (
	rowOfComponents = 1
	buttonComponent = 2
	selectMenu      = 3
	textInput       = 4
)

// Limits of components, in characters and numbers.
const (
	maxCustomID    = 100
	maxLabel       = 80
	maxPlaceholder = 150
	maxRows        = 5
	maxInRow       = 5
	maxOptions     = 25
	maxOptionText  = 100
)

// asks stands between the token of a button that asks first and its question. The question is a part of the id because
// a form must open within three seconds of the press, whatever the program does meanwhile.
const asks = "?"

// rows are the components of buttons. A menu takes a row of its own; a row that is too long is continued in the next.
func rows(buttons [][]channels.Button) ([]component, error) {
	out := []component{}
	for _, row := range buttons {
		var line []component
		flush := func() {
			if len(line) > 0 {
				out = append(out, component{Type: rowOfComponents, Components: line})
			}
			line = nil
		}
		for _, b := range row {
			c, err := button(&b)
			if err != nil {
				return nil, err
			}
			if len(line) == maxInRow || c.Type == selectMenu {
				flush()
			}
			line = append(line, c)
			if c.Type == selectMenu {
				flush()
			}
		}
		flush()
	}
	if len(out) > maxRows {
		return nil, fmt.Errorf("the buttons need %d rows, %d at most fit", len(out), maxRows)
	}
	return out, nil
}

// button is one button or menu.
func button(b *channels.Button) (component, error) {
	id, err := b.Data(0)
	if err != nil {
		return component{}, err
	}
	if len(b.Options) > 0 {
		return menu(b, id)
	}
	if b.Ask != "" {
		id += asks
		id += cut(b.Ask, maxCustomID-len(id))
	}
	return component{
		Type: buttonComponent, CustomID: id, Label: cut(cmp.Or(b.Text, b.Command.Name), maxLabel), Style: style(b.Style),
	}, nil
}

func menu(b *channels.Button, id string) (component, error) {
	c := component{Type: selectMenu, CustomID: id, Placeholder: cut(b.Text, maxPlaceholder)}
	for i, o := range b.Options[:min(len(b.Options), maxOptions)] {
		value, err := b.Data(i + 1)
		if err != nil {
			return c, err
		}
		c.Options = append(c.Options, choice{cut(cmp.Or(o.Text, o.Value), maxOptionText), value})
	}
	return c, nil
}

func style(s channels.Style) int {
	switch s {
	case channels.Primary:
		return 1
	case channels.Danger:
		return 4
	}
	return 2
}
