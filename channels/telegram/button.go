package telegram

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// Prefixes mark the buttons of this program, in a form that may change. Telegram keeps 64 bytes for each.
const (
	buttonPrefix = "l1:"
	askPrefix    = "q1:" // pressing asks for a text first
)

// pack makes a button's command its data.
func pack(prefix string, cmd channels.Command) (string, error) {
	data := strings.TrimSpace(cmd.Name + " " + cmd.Args)
	if cmd.Name == "" || len(data) > channels.MaxButtonBytes {
		return "", fmt.Errorf("the command of a button has %d bytes, %d at most fit", len(data), channels.MaxButtonBytes)
	}
	return prefix + data, nil
}

// unpack is the command of a pressed button, and whether a text is to be asked for; ok is false when the button is not
// one of ours.
func unpack(data string) (cmd *channels.Command, ask, ok bool) {
	rest, ok := strings.CutPrefix(data, buttonPrefix)
	if !ok {
		rest, ask = strings.CutPrefix(data, askPrefix)
	}
	name, args, _ := strings.Cut(rest, " ")
	return &channels.Command{Name: name, Args: args}, ask, (ok || ask) && name != ""
}

// pressable is a button as Telegram has it.
type pressable struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// pressables makes a button one of Telegram's, or one for each option.
func pressables(b channels.Button) ([]pressable, error) {
	prefix := buttonPrefix
	if b.Ask != "" {
		prefix = askPrefix
	}
	if len(b.Options) == 0 {
		data, err := pack(prefix, b.Command)
		return []pressable{{b.Text, data}}, err
	}
	var all []pressable
	for _, o := range b.Options {
		data, err := pack(prefix, behind(b.Command, o.Value))
		if err != nil {
			return nil, err
		}
		all = append(all, pressable{o.Text, data})
	}
	return all, nil
}

// behind puts a value behind the arguments of a command.
func behind(cmd channels.Command, value string) channels.Command {
	cmd.Args = strings.TrimSpace(cmd.Args + " " + value)
	return cmd
}

// perRow is how many options stand beside each other.
const perRow = 2

// keyboard is the reply_markup of buttons; empty without any.
func keyboard(rows [][]channels.Button) (string, error) {
	var m markup
	for _, row := range rows {
		var shown []pressable
		for _, b := range row {
			ps, err := pressables(b)
			if err != nil {
				return "", err
			}
			if len(b.Options) == 0 {
				shown = append(shown, ps...)
				continue
			}
			for chunk := range slices.Chunk(ps, perRow) {
				m.Rows = append(m.Rows, chunk)
			}
		}
		if len(shown) > 0 {
			m.Rows = append(m.Rows, shown)
		}
	}
	if len(m.Rows) == 0 {
		return "", nil
	}
	text, err := json.Marshal(m)
	return string(text), err
}
