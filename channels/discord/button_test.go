package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
)

func TestManyButtons(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := out("x")
	tokens := 0
	token := func() string {
		tokens++
		return fmt.Sprintf("TOKEN%05d", tokens)
	}
	row := func() (row []channels.Button) {
		for range 8 {
			row = append(row, channels.Button{
				Text: strings.Repeat("text ", 30), Command: channels.Command{Name: "same"}, Token: token(), Ask: strings.Repeat("why? ", 30),
			})
		}
		return row
	}
	pick := channels.Button{Text: "Pick", Command: channels.Command{Name: "pick"}, Token: token()}
	for i := range 30 {
		pick.Options = append(pick.Options, channels.Option{Value: fmt.Sprint(i)})
	}
	m.Buttons = [][]channels.Button{row(), {}, {pick}, row()}
	r.mustSend(m) // the fake knows the limits
	m.Buttons = append(m.Buttons, row())
	if _, err := r.send(m); !refusal(t, err).Terminal {
		t.Errorf("too many buttons: %v", err)
	}
	for _, b := range []channels.Button{{Text: "x"}, {Text: "x", Options: pick.Options}, {Text: "x", Ask: "why?"}} {
		m.Buttons = [][]channels.Button{{b}}
		if _, err := r.send(m); !refusal(t, err).Terminal {
			t.Errorf("a button without a token: %v", err)
		}
	}
}
