package discord

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// component is a part of a message or a form that can be used.
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

// Prefixes of the ids of this program's components, in forms that may change.
const (
	actsPrefix = "l1:" // gives the command
	asksPrefix = "q1:" // asks first; the question is the rest of the id
)

// pack makes a command the id of a component: "l1:4:stop". What comes behind the command tells nothing about it.
func pack(prefix string, cmd channels.Command, rest string) (string, error) {
	data := strings.TrimSpace(cmd.Name + " " + cmd.Args)
	if cmd.Name == "" || len(data) > channels.MaxButtonBytes {
		return "", fmt.Errorf("the command of a button has %d bytes, %d at most fit", len(data), channels.MaxButtonBytes)
	}
	id := prefix + strconv.Itoa(len(data)) + ":" + data
	return id + cut(rest, maxCustomID-len([]rune(id))), nil
}

// unpack is the command of a component, and what stands behind it; ok is false when it is not one of ours.
func unpack(prefix, id string) (cmd *channels.Command, rest string, ok bool) {
	id, ok = strings.CutPrefix(id, prefix)
	length, data, found := strings.Cut(id, ":")
	n, err := strconv.Atoi(length)
	if !ok || !found || err != nil || n < 1 || n > len(data) {
		return nil, "", false
	}
	name, args, _ := strings.Cut(data[:n], " ")
	return &channels.Command{Name: name, Args: args}, data[n:], name != ""
}

// rows are the components of buttons. A menu takes a row of its own; a row that is too long is continued in the next.
func rows(buttons [][]channels.Button) ([]component, error) {
	out := []component{}
	used := map[string]bool{}
	for _, row := range buttons {
		var line []component
		flush := func() {
			if len(line) > 0 {
				out = append(out, component{Type: rowOfComponents, Components: line})
			}
			line = nil
		}
		for _, b := range row {
			c, err := button(b, used)
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

// button is one button or menu. Discord takes each id once in a message.
func button(b channels.Button, used map[string]bool) (component, error) {
	c := component{Type: buttonComponent, Label: cut(cmp.Or(b.Text, b.Command.Name), maxLabel), Style: style(b.Style)}
	prefix, rest := actsPrefix, ""
	switch {
	case b.Ask != "":
		prefix, rest = asksPrefix, b.Ask
	case len(b.Options) > 0:
		c = component{Type: selectMenu, Placeholder: cut(b.Text, maxPlaceholder)}
		for _, o := range b.Options[:min(len(b.Options), maxOptions)] {
			c.Options = append(c.Options, choice{cut(cmp.Or(o.Text, o.Value), maxOptionText), o.Value})
		}
	}
	var err error
	for n := 0; n == 0 || used[c.CustomID]; n++ {
		if c.CustomID, err = pack(prefix, b.Command, strings.Repeat(" ", n)+rest); err != nil {
			return c, err
		}
	}
	used[c.CustomID] = true
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
