package slack_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// press lets Bob press a button.
func (r *rig) press(channel string, id channels.MessageID, action, value string) {
	r.Helper()
	if _, err := r.fake.Press(channel, string(id), action, bob, value); err != nil {
		r.Fatal(err)
	}
}

func TestPressesComeInTheirThread(t *testing.T) {
	modes(t, []slackfake.Option{slackfake.WithEvents("none")}, func(r *rig) {
		root := r.thread(general)
		for _, place := range []channels.Conversation{at(general, root), at(general, ""), at(dm, "")} {
			m := card()
			m.Conversation = place
			id := r.mustSend(m)
			for action, want := range map[string]channels.Action{
				"l2:0:0": {Token: channeltest.Token(1)}, "l2:1:0": {Token: channeltest.Token(3), Choice: 2},
			} {
				r.press(string(place.Chat), id, action, "l2:TOKEN00003.2")
				in := r.next()
				exp := &channels.Inbound{
					ID: id, Conversation: place, Sender: channels.Sender{ID: bob, Name: "bob"}, Direct: place.Chat == dm,
					Mentioned: true, Action: &want,
				}
				if diff := cmp.Diff(exp, in, cmpopts.IgnoreFields(channels.Inbound{}, "SentAt", "EventKey", "Via")); diff != "" || in.EventKey == "" || in.Via == "" {
					r.Errorf("%v: key %q (-want +got):\n%s", place, in.EventKey, diff)
				}
				r.fake.Wait("ack:interactive")
			}
		}
	})
}

func TestButtonThatAsks(t *testing.T) {
	modes(t, []slackfake.Option{slackfake.WithEvents("none")}, func(r *rig) {
		root := r.thread(general)
		m := card()
		m.Conversation = at(general, root)
		id := r.mustSend(m)
		r.press(general, id, "l2:0:1", "")
		r.fake.Wait("views.open")
		r.fake.Wait("ack:interactive")
		r.until(func() bool { return r.fake.View("") != nil }, "the form is open")
		view := r.fake.View("")["id"].(string)

		r.failing(func(*channels.Inbound) error { return errors.New("no database") })
		answer := map[string]map[string]string{"answer": {"text": "not  good\nenough"}}
		r.fake.Must(r.fake.Submit(view, bob, answer))
		ack := r.fake.Wait("ack:interactive")
		if p, _ := ack.Params["payload"].(fakekit.Object); p["response_action"] != "errors" || r.fake.View(view) == nil {
			r.Errorf("acknowledged with %v", p)
		}
		r.failing(nil)
		r.fake.Must(r.fake.Submit(view, bob, map[string]map[string]string{"answer": {"text": " "}}))
		r.fake.Wait("ack:interactive")
		r.fake.Must(r.fake.Submit(view, bob, answer))
		in := r.next()
		want := &channels.Action{Token: channeltest.Token(2), Answer: "not  good\nenough"}
		if diff := cmp.Diff(want, in.Action); diff != "" || in.Command != nil || in.Via == "" || in.Conversation != at(general, root) || in.ID != id || !in.Mentioned || in.Sender.ID != bob {
			r.Errorf("received %+v (-want +got):\n%s", in, diff)
		}
		r.fake.Wait("ack:interactive")
	})
}

func TestFormThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	r.fake.Inject(fakekit.Fault{Method: "views.open", Error: "expired_trigger_id"})
	root := r.thread(general)
	m := card()
	m.Conversation = at(general, root)
	r.press(general, r.mustSend(m), "l2:0:1", "")
	call := r.fake.Wait("chat.postEphemeral")
	if call.String("user") != bob || call.String("thread_ts") != root || !strings.Contains(call.String("text"), "press the button again") {
		t.Errorf("told %v", call.Params)
	}
}

func TestUnusablePresses(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	old := r.thread(general)
	if _, err := r.fake.SendMessage(slackfake.Incoming{Channel: general, ThreadTS: old, Text: "x", Extra: fakekit.Object{"blocks": []any{
		fakekit.Object{"type": "actions", "elements": []any{fakekit.Object{"type": "button", "action_id": "old", "value": "l1:stop"}}},
	}}}); err != nil {
		t.Fatal(err)
	}
	all := r.fake.Messages(general)
	r.press(general, channels.MessageID(all[len(all)-1]["ts"].(string)), "old", "")
	if call := r.fake.Wait("chat.postEphemeral"); !strings.Contains(call.String("text"), "does not work any more") {
		t.Errorf("told %v", call.Params)
	}
	r.fake.Wait("ack:interactive")

	r.failing(func(*channels.Inbound) error { return errors.New("no database") })
	r.press(general, r.mustSend(card()), "l2:0:0", "")
	if call := r.fake.Wait("chat.postEphemeral"); !strings.Contains(call.String("text"), "could not keep") {
		t.Errorf("told %v", call.Params)
	}
}

func TestSlashCommands(t *testing.T) {
	modes(t, []slackfake.Option{slackfake.WithEvents("none")}, func(r *rig) {
		for text, want := range map[string]*channels.Inbound{
			"stop all":              {Text: "stop all"},
			" STOP ":                {Text: "STOP"},
			"why is <@" + ann + ">": {Text: "why is @ann"},
		} {
			if _, err := r.fake.UseCommand(slackfake.Command{Channel: general, User: bob, Command: "/lead", Text: text}); err != nil {
				r.Fatal(err)
			}
			in := r.next()
			want.Conversation, want.Sender, want.Mentioned = at(general, ""), channels.Sender{ID: bob, Name: "bob"}, true
			if diff := cmp.Diff(want, in, cmpopts.IgnoreFields(channels.Inbound{}, "SentAt", "EventKey", "Via")); diff != "" || in.EventKey == "" || in.Via == "" {
				r.Errorf("%q: key %q (-want +got):\n%s", text, in.EventKey, diff)
			}
			r.fake.Wait("ack:slash_commands")
		}
		r.failing(func(*channels.Inbound) error { return errors.New("no database") })
		for text, want := range map[string]string{"": "/lead stop – stop what runs", "stop": "could not keep"} {
			if _, err := r.fake.UseCommand(slackfake.Command{Channel: dm, User: ann, Command: "/lead", Text: text}); err != nil {
				r.Fatal(err)
			}
			ack := r.fake.Wait("ack:slash_commands")
			if p, _ := ack.Params["payload"].(fakekit.Object); !strings.Contains(fakekit.Text(p["text"]), want) {
				r.Errorf("%q: answered %v", text, p)
			}
		}
	})
}

func TestShortcutMakesATask(t *testing.T) {
	modes(t, []slackfake.Option{slackfake.WithEvents("none")}, func(r *rig) {
		shortcut := `{"type":"message_action","callback_id":"lead_make_task","trigger_id":"7.1","team":{"id":"` + slackfake.TeamID + `"},
			"user":{"id":"` + ann + `"},"channel":{"id":"` + general + `"},
			"message":{"type":"message","user":"` + bob + `","text":"the &lt;b&gt; is red","ts":"1700000001.000001"}}`
		if hook := r.ch.(channels.Webhook).Webhook(); hook == nil {
			return // the fake has no shortcuts, so only the hook can be handed one
		}
		if code := r.deliverForm("payload", shortcut); code != 200 {
			r.Fatalf("status %d", code)
		}
		in := r.next()
		if in.Text != "Make a task of this message of bob:\n\nthe <b> is red" || !in.Mentioned || in.Sender.ID != ann ||
			in.Conversation != at(general, "1700000001.000001") || in.ID != "1700000001.000001" {
			r.Errorf("received %+v", in)
		}
	})
}
