package telegram

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// buttonPrefix marks the buttons of this program, in a form that may change. Telegram keeps 64 bytes for each.
const buttonPrefix = "l1:"

// pack makes a button's command its data.
func pack(cmd channels.Command) (string, error) {
	data := strings.TrimSpace(cmd.Name + " " + cmd.Args)
	if cmd.Name == "" || len(data) > channels.MaxButtonBytes {
		return "", fmt.Errorf("the command of a button has %d bytes, %d at most fit", len(data), channels.MaxButtonBytes)
	}
	return buttonPrefix + data, nil
}

// unpack is the command of a pressed button; ok is false when it is not one of ours.
func unpack(data string) (cmd *channels.Command, ok bool) {
	data, ok = strings.CutPrefix(data, buttonPrefix)
	name, args, _ := strings.Cut(data, " ")
	return &channels.Command{Name: name, Args: args}, ok && name != ""
}

// keyboard is the reply_markup of buttons; empty without any.
func keyboard(rows [][]channels.Button) (string, error) {
	type button struct {
		Text string `json:"text"`
		Data string `json:"callback_data"`
	}
	var markup struct {
		Rows [][]button `json:"inline_keyboard"`
	}
	for _, row := range rows {
		var shown []button
		for _, b := range row {
			data, err := pack(b.Command)
			if err != nil {
				return "", err
			}
			shown = append(shown, button{b.Text, data})
		}
		if len(shown) > 0 {
			markup.Rows = append(markup.Rows, shown)
		}
	}
	if len(markup.Rows) == 0 {
		return "", nil
	}
	text, err := json.Marshal(markup)
	return string(text), err
}
