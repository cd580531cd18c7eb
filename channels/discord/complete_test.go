package discord_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func TestSuggestions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.complete = func(ctx context.Context, in *channels.Inbound) []channels.Option {
		switch in.Command.Args {
		case "panic":
			panic("oops")
		case "slow":
			<-ctx.Done()
			return nil
		case "none":
			return nil
		}
		list := []channels.Option{
			{Value: strings.Repeat("x", 101), Text: "too long"}, {Text: "empty"},
			{Value: "first", Text: fmt.Sprintf("%s %s of %s in %s", in.Command.Name, in.Command.Args, in.Sender.ID, in.Conversation)},
			{Value: strings.Repeat("y", 100)},
		}
		for i := range 30 {
			list = append(list, channels.Option{Text: strings.Repeat("ä", 120), Value: fmt.Sprint(i)})
		}
		return list
	}
	r.start(nil)
	r.fake.Wait(register)
	types := func(sub, text string) fakekit.Call {
		t.Helper()
		_, err := r.fake.UseCommand(discordfake.Command{
			ChannelID: threadID, User: ann(), Name: "lead", Autocomplete: true, Options: []fakekit.Object{{
				"name": sub, "type": 1, "options": []any{fakekit.Object{"name": "text", "type": 3, "value": text, "focused": true}},
			}},
		})
		r.fake.Must(err)
		return r.fake.Wait(acks)
	}
	choices := func(c fakekit.Call) []any {
		t.Helper()
		data, _ := c.Params["data"].(fakekit.Object)
		list, ok := data["choices"].([]any)
		if c.Int("type") != 8 || !ok {
			t.Errorf("answered %v", c.Params)
		}
		return list
	}
	list := choices(types("stop", "al"))
	want := fakekit.Object{"name": "stop al of 501 in dc/" + roomID + "/" + threadID, "value": "first"}
	if diff := cmp.Diff(any(want), list[0]); diff != "" || len(list) != 25 {
		t.Errorf("%d suggestions (-want +got):\n%s", len(list), diff)
	}
	for _, text := range []string{"none", "panic", "slow"} {
		began := time.Now()
		if list := choices(types("stop", text)); len(list) != 0 || time.Since(began) > 3*time.Second {
			t.Errorf("%s: %v after %s", text, list, time.Since(began))
		}
	}
	if list := choices(types("ask", "al")); len(list) != 0 {
		t.Errorf("suggested %v", list)
	}
	lead := r.fake.Commands("")[1]
	for _, o := range lead["options"].([]any) {
		o := o.(fakekit.Object)
		text := o["options"].([]any)[0].(fakekit.Object)
		if (text["autocomplete"] == true) != (o["name"] != "ask") {
			t.Errorf("%v", o)
		}
	}
	r.nothingFrom(roomID)
}
