package discord_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// ids are the ids of the components of a message, in order.
func ids(m fakekit.Object) []string {
	var out []string
	var walk func(v any)
	walk = func(v any) {
		for _, c := range v.([]any) {
			c := c.(fakekit.Object)
			if id, ok := c["custom_id"].(string); ok {
				out = append(out, id)
			}
			if inner, ok := c["components"]; ok {
				walk(inner)
			}
		}
	}
	walk(m["components"])
	return out
}

func TestButtonsMenusAndForms(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id := r.mustSend(&channels.Outbound{
		Key: "k", Conversation: at(roomID, threadID), Text: "Task 42", Buttons: [][]channels.Button{
			{
				{Text: "Approve", Style: channels.Primary, Token: channeltest.Token(1)},
				{Text: "Send back", Style: channels.Danger, Ask: "Why is it sent back?", Token: channeltest.Token(2)},
			},
			{{
				Text: "Give to", Token: channeltest.Token(3), Options: []channels.Option{{Text: "Ann", Value: "ann"}, {Text: "Bob", Value: "bob"}},
			}},
		},
	})
	shown := ids(r.find(threadID, id))
	want := channels.Inbound{
		ID: id, Conversation: at(roomID, threadID), Sender: channels.Sender{ID: annID, Name: "Ann @ann"}, Mentioned: true,
	}
	check := func(interaction string, a channels.Action) {
		t.Helper()
		want.EventKey, want.Action = "i:"+interaction, &a
		got := r.next()
		if diff := cmp.Diff(&want, got, cmpopts.IgnoreFields(channels.Inbound{}, "SentAt", "Via")); diff != "" || got.Via == "" {
			t.Errorf("via %q (-want +got):\n%s", got.Via, diff)
		}
	}
	press := func(i int, values ...string) string {
		t.Helper()
		got, err := r.fake.PressComponent(threadID, string(id), shown[i], ann(), values...)
		r.fake.Must(err)
		return got
	}
	check(press(0), channels.Action{Token: channeltest.Token(1)})
	if c := r.fake.Wait(acks); c.Int("type") != 6 {
		t.Errorf("acknowledged with %v", c.Params)
	}
	check(press(2, channeltest.Token(3)+".2"), channels.Action{Token: channeltest.Token(3), Choice: 2})
	r.fake.Wait(acks)

	asked := press(1)
	c := r.fake.Wait(acks)
	if c.Int("type") != 9 || !strings.Contains(string(mustJSON(t, c.Params)), "Why is it sent back?") {
		t.Errorf("the form is %v", c.Params)
	}
	answer, err := r.fake.SubmitModal(asked, map[string]string{"answer": " tests\nare missing "})
	r.fake.Must(err)
	check(answer, channels.Action{Token: channeltest.Token(2), Answer: "tests\nare missing"})
}

func TestPressesAreAcknowledgedAlthoughNothingCanBeStored(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id := r.mustSend(&channels.Outbound{
		Key: "k", Conversation: at(roomID, ""), Text: "x",
		Buttons: [][]channels.Button{{{Text: "Stop", Command: channels.Command{Name: "stop"}, Token: channeltest.Token(1)}}},
	})
	var down atomic.Bool
	down.Store(true)
	r.failing(func(*channels.Inbound) error {
		if down.Load() {
			return errors.New("no database")
		}
		return nil
	})
	r.says(roomID, "first")
	r.waitFor("not stored yet")
	// The answer gets lost once, and is then found to have been given.
	r.fake.Inject(fakekit.Fault{Method: acks, DropResponse: true})
	_, err := r.fake.PressComponent(roomID, string(id), ids(r.find(roomID, id))[0], ann())
	r.fake.Must(err)
	r.fake.Wait(acks)
	r.fake.Wait(acks)
	down.Store(false)
	if in := r.next(); in.Text != "first" {
		t.Errorf("received %+v", in)
	}
	if in := r.next(); in.Action == nil || in.Action.Token != channeltest.Token(1) {
		t.Errorf("received %+v", in)
	}
}

func TestLatePressesCountAllTheSame(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id := r.mustSend(&channels.Outbound{
		Key: "k", Conversation: at(directID, ""), Text: "x",
		Buttons: [][]channels.Button{{{Text: "Stop", Command: channels.Command{Name: "stop"}, Token: channeltest.Token(1)}}},
	})
	r.fake.HandleFunc(acks, func(fakekit.Call) (any, error) {
		return nil, &discordfake.Error{Status: 404, Code: 10062, Message: "Unknown interaction"}
	})
	_, err := r.fake.PressComponent(directID, string(id), ids(r.find(directID, id))[0], ann())
	r.fake.Must(err)
	if in := r.next(); in.Action == nil || !in.Direct || in.Via != "" { // nothing can be answered to it
		t.Errorf("received %+v", in)
	}
	if n := len(r.fake.Calls(acks)); n != 1 {
		t.Errorf("answered %d times", n)
	}
}

func TestStrangeComponents(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	event := func(kind int, data fakekit.Object) fakekit.Object {
		return fakekit.Object{
			"id": r.fake.NewID(), "token": "t", "type": kind, "channel_id": roomID, "data": data,
			"member": fakekit.Object{"user": ann()},
		}
	}
	r.fake.HandleFunc(acks, func(fakekit.Call) (any, error) { return nil, nil })
	for _, e := range []fakekit.Object{
		event(3, fakekit.Object{"custom_id": "other:stop", "component_type": 2}),
		event(3, fakekit.Object{"custom_id": "l1:4:stop", "component_type": 2}), // of earlier versions of this program
		event(3, fakekit.Object{"custom_id": "q1:4:stopWhy?", "component_type": 2}),
		event(3, fakekit.Object{"custom_id": channeltest.Token(1), "component_type": 3, "values": []any{"ann"}}),
		event(2, fakekit.Object{"id": "1", "name": "Make a task", "type": 3, "target_id": "7"}),
		event(2, fakekit.Object{"id": "1", "name": "Other", "type": 3, "target_id": "7"}),
		event(2, fakekit.Object{"id": "1", "name": "lead", "type": 1}),
		event(2, fakekit.Object{"id": "1", "name": "other", "type": 1}),
		event(5, fakekit.Object{"custom_id": "x", "components": []any{}}),
		event(5, fakekit.Object{"custom_id": "l1:4:stop", "components": []any{}}),
		event(9, fakekit.Object{}),
	} {
		r.fake.Dispatch("INTERACTION_CREATE", e)
		if c := r.fake.Wait(acks); !strings.Contains(string(mustJSON(t, c.Params)), "does not work any more") {
			t.Errorf("answered %v", c.Params)
		}
	}
	r.nothingFrom(roomID)
}

func TestCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.fake.Wait(register)
	id := r.command(threadID, "stop", " all ")
	in := r.next()
	want := &channels.Inbound{
		ID: channels.MessageID(id), EventKey: "i:" + id, Conversation: at(roomID, threadID), Mentioned: true,
		Sender: channels.Sender{ID: annID, Name: "Ann @ann"}, Command: &channels.Command{Name: "stop", Args: "all"},
	}
	if diff := cmp.Diff(want, in, cmpopts.IgnoreFields(channels.Inbound{}, "SentAt", "Via")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := r.fake.Ephemeral(id); len(e) != 1 || e[0]["content"] != "On it." {
		t.Errorf("whispered %v", e)
	}
	r.command(directID, "ask", "why is it red?")
	if in := r.next(); in.Text != "why is it red?" || in.Command != nil || !in.Direct {
		t.Errorf("asked %+v", in)
	}
	// The answer to something that is no message refers to nothing, and is shown.
	r.mustSend(&channels.Outbound{Key: "a", Conversation: in.Conversation, ReplyTo: in.ID, Text: "stopped"})

	// Commands that are registered already are left alone.
	r.fake.RefuseResume()
	r.fake.DropGateway()
	r.fake.Wait("GET /applications/{application_id}/commands")
	r.fake.Wait("GET /applications/{application_id}/commands")
	r.says(roomID, "x")
	r.next()
	if n := len(r.fake.Calls(register)); n != 1 {
		t.Errorf("registered %d times", n)
	}
}

func TestCommandsOfOneServer(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(settings{"guild": guildID})
	r.fake.Wait("PUT /applications/{application_id}/guilds/{guild_id}/commands")
	if n := len(r.fake.Commands(guildID)); n != 2 {
		t.Errorf("%d commands", n)
	}
}
