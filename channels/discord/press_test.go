package discord_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
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
				{Text: "Approve", Command: channels.Command{Name: "approve", Args: "#42 r3"}, Style: channels.Primary},
				{Text: "Send back", Command: channels.Command{Name: "reject", Args: "#42 r3"}, Style: channels.Danger, Ask: "Why is it sent back?"},
			},
			{{Text: "Give to", Command: channels.Command{Name: "assign", Args: "#42"}, Options: []channels.Option{{Text: "Ann", Value: "ann"}, {Text: "Bob", Value: "bob"}}}},
		},
	})
	shown := ids(r.find(threadID, id))
	want := channels.Inbound{
		ID: id, Conversation: at(roomID, threadID), Sender: channels.Sender{ID: annID, Name: "Ann @ann"}, Mentioned: true,
	}
	check := func(interaction string, cmd channels.Command) {
		t.Helper()
		want.EventKey, want.Command = "i:"+interaction, &cmd
		if diff := cmp.Diff(&want, r.next(), cmpopts.IgnoreFields(channels.Inbound{}, "SentAt")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	press := func(i int, values ...string) string {
		t.Helper()
		got, err := r.fake.PressComponent(threadID, string(id), shown[i], ann(), values...)
		r.fake.Must(err)
		return got
	}
	check(press(0), channels.Command{Name: "approve", Args: "#42 r3"})
	if c := r.fake.Wait(acks); c.Int("type") != 6 {
		t.Errorf("acknowledged with %v", c.Params)
	}
	check(press(2, "bob"), channels.Command{Name: "assign", Args: "#42 bob"})
	r.fake.Wait(acks)

	asked := press(1)
	c := r.fake.Wait(acks)
	if c.Int("type") != 9 || !strings.Contains(string(mustJSON(t, c.Params)), "Why is it sent back?") {
		t.Errorf("the form is %v", c.Params)
	}
	answer, err := r.fake.SubmitModal(asked, map[string]string{"answer": " tests\nare missing "})
	r.fake.Must(err)
	check(answer, channels.Command{Name: "reject", Args: "#42 r3 tests\nare missing"})
}

func TestPressesAreAcknowledgedAlthoughNothingCanBeStored(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id := r.mustSend(&channels.Outbound{
		Key: "k", Conversation: at(roomID, ""), Text: "x",
		Buttons: [][]channels.Button{{{Text: "Stop", Command: channels.Command{Name: "stop"}}}},
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
	if in := r.next(); in.Command == nil || in.Command.Name != "stop" {
		t.Errorf("received %+v", in)
	}
}

func TestLatePressesCountAllTheSame(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id := r.mustSend(&channels.Outbound{
		Key: "k", Conversation: at(directID, ""), Text: "x",
		Buttons: [][]channels.Button{{{Text: "Stop", Command: channels.Command{Name: "stop"}}}},
	})
	r.fake.HandleFunc(acks, func(fakekit.Call) (any, error) {
		return nil, &discordfake.Error{Status: 404, Code: 10062, Message: "Unknown interaction"}
	})
	_, err := r.fake.PressComponent(directID, string(id), ids(r.find(directID, id))[0], ann())
	r.fake.Must(err)
	if in := r.next(); in.Command == nil || !in.Direct {
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
		event(3, fakekit.Object{"custom_id": "l1:99:stop", "component_type": 2}),
		event(2, fakekit.Object{"id": "1", "name": "lead", "type": 1}),
		event(2, fakekit.Object{"id": "1", "name": "other", "type": 1}),
		event(5, fakekit.Object{"custom_id": "x", "components": []any{}}),
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
	const register = "PUT /applications/{application_id}/commands"
	r.fake.Wait(register)
	use := func(channel, name, text string) string {
		t.Helper()
		sub := fakekit.Object{"name": name, "type": 1}
		if text != "" {
			sub["options"] = []any{fakekit.Object{"name": "text", "type": 3, "value": text}}
		}
		id, err := r.fake.UseCommand(discordfake.Command{ChannelID: channel, User: ann(), Name: "lead", Options: []fakekit.Object{sub}})
		r.fake.Must(err)
		return id
	}
	id := use(threadID, "stop", " all ")
	in := r.next()
	want := &channels.Inbound{
		ID: channels.MessageID(id), EventKey: "i:" + id, Conversation: at(roomID, threadID), Mentioned: true,
		Sender: channels.Sender{ID: annID, Name: "Ann @ann"}, Command: &channels.Command{Name: "stop", Args: "all"},
	}
	if diff := cmp.Diff(want, in, cmpopts.IgnoreFields(channels.Inbound{}, "SentAt")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := r.fake.Ephemeral(id); len(e) != 1 || e[0]["content"] != "On it." {
		t.Errorf("whispered %v", e)
	}
	use(directID, "ask", "why is it red?")
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
	if n := len(r.fake.Commands(guildID)); n != 1 {
		t.Errorf("%d commands", n)
	}
}
