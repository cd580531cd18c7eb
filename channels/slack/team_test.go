package slack_test

import (
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

const elsewhere = "T0ELSEWHERE"

// inOrganisation is an app of a whole organisation; the channel "other" is in another team than the app's own.
func inOrganisation(t *testing.T) *rig {
	r := newRig(t, slackfake.WithEnterprise("E0FAKEORG01"), slackfake.WithEvents("app_mention", "message.channels", "agent_session_stopped"))
	r.fake.SetTeam(other, elsewhere)
	return r
}

func TestOtherTeamOfAnOrganisation(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*rig) *rig{"socket": (*rig).start, "HTTP": (*rig).startHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(inOrganisation(t))
			const chat = elsewhere + ":" + other
			ts := r.says(slackfake.Incoming{Channel: other, Text: bot + " go"})
			in, again := r.next(), r.next()
			if in.Conversation != at(chat, ts) || again.EventKey != in.EventKey || again.Conversation != in.Conversation {
				t.Fatalf("received %+v and %+v", in, again)
			}
			s := r.preview(chat, ts)
			r.show(s, "so")
			if start := r.fake.Wait("chat.startStream"); start.String("channel") != other || start.String("recipient_team_id") != elsewhere {
				t.Errorf("started %v", start.Params)
			}
			r.finish(s, at(chat, ts), "so far")
			m := card()
			m.Conversation, m.Attachments = in.Conversation, []channels.Attachment{{Name: "a.txt", Data: []byte("a")}}
			id := r.mustSend(m)
			for _, shown := range r.shown(other) {
				if shown["thread_ts"] != ts {
					t.Errorf("shown %v", shown)
				}
			}
			if len(r.shown(other)) != 3 || len(r.shown(general)) != 0 {
				t.Errorf("%d messages", len(r.shown(other)))
			}

			r.press(other, id, "l2:0:0", "")
			if in := r.next(); in.Conversation != at(chat, ts) || *in.Action != (channels.Action{Token: channeltest.Token(1)}) {
				t.Errorf("received %+v", in)
			}
			r.press(other, id, "l2:0:1", "")
			r.until(func() bool { return r.fake.View("") != nil }, "the form is open")
			r.fake.Must(r.fake.Submit(r.fake.View("")["id"].(string), bob, map[string]map[string]string{"answer": {"text": "so"}}))
			if in := r.next(); in.Conversation != at(chat, ts) || in.Action.Answer != "so" {
				t.Errorf("received %+v", in)
			}
			if _, err := r.fake.UseCommand(slackfake.Command{Channel: other, User: bob, Command: "/lead", Text: "stop"}); err != nil {
				t.Fatal(err)
			}
			if in = r.next(); in.Conversation != at(chat, "") || in.Text != "stop" {
				t.Errorf("received %+v", in)
			}
			r.mustSend(&channels.Outbound{Conversation: in.Conversation, Via: in.Via, To: bob, Text: "for Bob"})
			if got := r.fake.Whispers(other, bob); len(got) != 1 || got[0]["text"] != "for Bob" {
				t.Errorf("Bob sees %v", got)
			}
			r.fake.Must(r.fake.StopSession(other, ts, bob))
			if in := r.next(); in.Conversation != at(chat, ts) {
				t.Errorf("received %+v", in)
			}
			r.fake.Must(r.fake.DeleteMessage(other, ts))
			if in := r.next(); !in.Deleted || in.Revises != again.EventKey || in.Conversation != at(chat, ts) {
				t.Errorf("received %+v", in)
			}
		})
	}
}

// TestPressWithoutATeam: Slack does not name the team of some interactions of an app of a whole organisation.
func TestPressWithoutATeam(t *testing.T) {
	t.Parallel()
	r := inOrganisation(t).startHTTP()
	press := func(channel, more string) *channels.Inbound {
		t.Helper()
		body := `{"type":"block_actions","trigger_id":"1.` + channel + `","team":null,"user":{"id":"` + bob + `"` + more + `},
			"channel":{"id":"` + channel + `"},"actions":[{"value":"l2:TOKEN00001"}],
			"container":{"message_ts":"1700000001.000001","thread_ts":"1700000000.000001"}}`
		if code := r.deliverForm("payload", body); code != 200 {
			t.Fatalf("status %d", code)
		}
		return r.next()
	}
	r.says(slackfake.Incoming{Channel: other, Text: "talk", Extra: fakekit.Object{"x": 1}})
	r.next()
	for channel, want := range map[string]struct {
		more string
		chat string
	}{
		other: {`,"team_id":"` + slackfake.TeamID + `"`, elsewhere + ":" + other}, // it was heard of
		"C1":  {`,"team_id":"` + elsewhere + `"`, elsewhere + ":C1"},
		"C2":  {`,"team_id":"E0FAKEORG01"`, "C2"},
		"C3":  {``, "C3"},
	} {
		if in := press(channel, want.more); in.Conversation != at(want.chat, "1700000000.000001") {
			t.Errorf("%s: received in %v", channel, in.Conversation)
		}
	}
}
