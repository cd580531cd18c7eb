package telegram

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// Prefixes mark the buttons of this program, in a form that may change. Telegram keeps 64 bytes for each.
const (
	buttonPrefix = "l1:"
	askPrefix    = "q1:" // pressing asks for a text first
)

// unpack is which button was pressed, and whether a text is to be asked for; ok is false when the button is not one of
// ours.
func unpack(data string) (a *channels.Action, ask, ok bool) {
	rest, plain := strings.CutPrefix(data, buttonPrefix)
	if !plain {
		rest, ask = strings.CutPrefix(data, askPrefix)
	}
	a, ok = channels.Pressed(rest)
	return a, ask, ok && (plain || ask)
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
		data, err := b.Data(0)
		return []pressable{{b.Text, prefix + data}}, err
	}
	var all []pressable
	for i, o := range b.Options {
		data, err := b.Data(i + 1)
		if err != nil {
			return nil, err
		}
		all = append(all, pressable{cmp.Or(o.Text, o.Value), prefix + data})
	}
	return all, nil
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
