package channels

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Button is shown below a message. Pressing it is giving its command.
type Button struct {
	Text    string  `json:"text"`
	Command Command `json:"command"`
	Style   Style   `json:"style,omitempty"`
	// Options make the button a choice. The value of the chosen one is put behind the command's arguments.
	Options []Option `json:"options,omitempty"`
	// Ask makes the button ask a question first. The text that a person answers is put behind the command's arguments.
	Ask   string `json:"ask,omitempty"`
	Guard Guard  `json:"guard,omitzero"`
	// Token is all that a platform is given of a button, with the number of an option. It names what is kept of the
	// button, and is made when that is kept; adapters refuse a button without one.
	Token string `json:"token,omitempty"`
}

// Guard is what is asked when a button is pressed. Who posted it never counts.
type Guard struct {
	// Object is what the button is about, "kind:id", and Revision its state when the button was shown: when it is
	// another one by now, the press does nothing but say so.
	Object   string `json:"object,omitempty"`
	Revision int64  `json:"revision,omitempty"`
	// Actors are those who may press it; empty is everybody who may talk there.
	Actors  []UserID  `json:"actors,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // 30 days after it was shown when zero
}

// Option is one of several values to choose.
type Option struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

// Style is how a button looks where platforms have styles.
type Style string

// Styles of buttons.
const (
	Plain   Style = ""
	Primary Style = "primary"
	Danger  Style = "danger"
)

// Choices is buttons as text, for where there are none: what people can write instead.
func Choices(rows [][]Button) string {
	var lines []string
	for _, row := range rows {
		for _, b := range row {
			command := strings.TrimSpace(b.Command.Name + " " + b.Command.Args)
			var values []string
			for _, o := range b.Options {
				values = append(values, "`"+command+" "+o.Value+"` ("+o.Text+")")
			}
			switch {
			case len(values) > 0:
				lines = append(lines, "- "+b.Text+": "+strings.Join(values, ", "))
			case b.Ask != "":
				lines = append(lines, "- "+b.Text+": `"+command+" …` ("+b.Ask+")")
			default:
				lines = append(lines, "- "+b.Text+": `"+command+"`")
			}
		}
	}
	return strings.Join(lines, "\n")
}

// TokenLength is that of a button's token, in letters and digits.
const TokenLength = 10

var errNoToken = errors.New("a button has no token: it was never kept")

// Data is what a platform keeps with a button, or with its option number choice, counted from 1: the token and the
// number, at most TokenLength + 4 bytes.
func (b *Button) Data(choice int) (string, error) {
	switch {
	case len(b.Token) != TokenLength:
		return "", errNoToken
	case choice == 0:
		return b.Token, nil
	}
	return b.Token + "." + strconv.Itoa(choice), nil
}

// Pressed reads what Data wrote; ok is false when it is something else.
func Pressed(data string) (a *Action, ok bool) {
	token, number, chosen := strings.Cut(data, ".")
	choice := 0
	if chosen {
		var err error
		if choice, err = strconv.Atoi(number); err != nil || choice < 1 {
			return nil, false
		}
	}
	outside := func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }
	if len(token) != TokenLength || strings.ContainsFunc(token, outside) {
		return nil, false
	}
	return &Action{Token: token, Choice: choice}, true
}
