package slack_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// heard are the events of which messages in channels and direct chats come once.
var heard = slackfake.WithEvents("message.channels", "message.im")

func TestWhatPeopleTakeBack(t *testing.T) {
	modes(t, []slackfake.Option{heard}, func(r *rig) {
		root := r.says(slackfake.Incoming{Channel: general, Text: bot + " a question"})
		r.next()
		joined := r.says(slackfake.Incoming{Channel: general, Text: "no mention yet"})
		r.next()
		r.join(at(general, joined))
		alone := r.says(slackfake.Incoming{Channel: general, Text: "talk"})
		r.next()
		inThread := r.says(slackfake.Incoming{Channel: general, ThreadTS: root, Text: "more"})
		r.next()
		inDM := r.says(slackfake.Incoming{Channel: dm, Text: "hi"})
		r.next()
		r.fake.Inject(fakekit.Fault{Method: "users.info", Status: 500, Times: -1}) // nobody is looked up
		before := len(r.fake.Calls("users.info"))
		for _, c := range []struct {
			ts    string
			place channels.Conversation
		}{
			{inThread, at(general, root)}, {joined, at(general, joined)}, {alone, at(general, "")}, {inDM, at(dm, "")},
			{root, at(general, root)},
		} {
			r.fake.Must(r.fake.DeleteMessage(string(c.place.Chat), c.ts))
			key := slackfake.TeamID + ":" + string(c.place.Chat) + ":" + c.ts
			want := &channels.Inbound{
				ID: channels.MessageID(c.ts), EventKey: "d:" + key, Revises: "m:" + key, Deleted: true, Conversation: c.place,
				Sender: channels.Sender{ID: ann, Name: "ann"}, Direct: c.place.Chat == dm,
			}
			if diff := cmp.Diff(want, r.next(), cmpopts.IgnoreFields(channels.Inbound{}, "SentAt")); diff != "" {
				r.Errorf("%s (-want +got):\n%s", c.ts, diff)
			}
		}
		if n := len(r.fake.Calls("users.info")); n != before {
			r.Errorf("%d look-ups", n-before)
		}
	})
}

func TestThreadWhoseFirstMessageIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, heard).start()
	root := r.says(slackfake.Incoming{Channel: general, Text: "a question"})
	key := r.next().EventKey
	r.join(at(general, root))
	reply := r.says(slackfake.Incoming{Channel: general, ThreadTS: root, User: bob, Text: "an answer"})
	r.next()
	r.fake.Must(r.fake.DeleteMessage(general, root)) // leaves a tombstone
	if in := r.next(); !in.Deleted || in.Revises != key || in.Conversation != at(general, root) || in.Text != "" {
		t.Errorf("received %+v", in)
	}
	r.fake.Must(r.fake.DeleteMessage(general, reply))
	if in := r.next(); !in.Deleted || in.Sender.ID != bob || in.Conversation != at(general, root) {
		t.Errorf("received %+v", in)
	}
	r.fake.Must(r.fake.DeleteMessage(general, root)) // Slack takes the tombstone away
	r.nothingBefore(general)
}

func TestWhatNobodyTookBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, heard).start()
	root := r.thread(general)
	r.next()
	mine := r.mustSend(&channels.Outbound{Conversation: at(general, ""), Text: "mine"})
	inThread := r.mustSend(&channels.Outbound{Conversation: at(general, string(mine)), Text: "mine too"})
	r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "and mine"})
	r.fake.Must(r.fake.DeleteMessage(general, string(mine))) // a tombstone
	r.fake.Must(r.fake.DeleteMessage(general, string(inThread)))
	was := fakekit.Object{"type": "message", "user": bob, "text": "joined", "ts": "1700000001.000001"}
	deleted := func(with fakekit.Object) fakekit.Object {
		e := fakekit.Object{"type": "message", "subtype": "message_deleted", "channel": general, "ts": "1700000009.000001"}
		for k, v := range with {
			e[k] = v
		}
		return e
	}
	join, other, app := fakekit.Object{"subtype": "channel_join"}, fakekit.Object{"bot_id": "B0OTHER"}, fakekit.Object{"user": "USLACKBOT"}
	for _, more := range []fakekit.Object{join, other, app} {
		m := fakekit.Object{}
		for _, part := range []fakekit.Object{was, more} {
			for k, v := range part {
				m[k] = v
			}
		}
		r.event(deleted(fakekit.Object{"previous_message": m, "deleted_ts": "1700000001.000001"}))
	}
	r.event(deleted(nil))
	r.event(deleted(fakekit.Object{"deleted_ts": "1700000001.000001"}))
	r.event(deleted(fakekit.Object{"previous_message": fakekit.Object{"user": bob, "text": "x"}}))
	r.event(deleted(fakekit.Object{"previous_message": "x"}))
	r.nothingBefore(general)
}

func TestDeletionComesAgainWithTheSameKey(t *testing.T) {
	t.Parallel()
	r := newRig(t, heard).start()
	ts := r.says(slackfake.Incoming{Channel: general, Text: "never mind"})
	r.next()
	fails := 2
	r.failing(func(*channels.Inbound) error {
		if fails--; fails >= 0 {
			return errors.New("no database")
		}
		return nil
	})
	r.fake.Must(r.fake.DeleteMessage(general, ts))
	first := r.next()
	r.fake.Must(r.fake.Redeliver())
	if again := r.next(); again.EventKey != first.EventKey || !again.Deleted {
		t.Errorf("received %+v, then %+v", first, again)
	}
}

func TestBotsThatAreListenedTo(t *testing.T) {
	t.Parallel()
	r := newRig(t, heard)
	r.make(settings{
		"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": r.fake.URL,
		"bots": []string{"B0DEPLOYS01", "U0REVIEWER1", slackfake.BotID, slackfake.BotUserID},
	})
	r.fake.AddUser("U0REVIEWER1", "reviewer")
	r.run()
	r.fake.Wait("socket")
	for name, c := range map[string]struct {
		extra fakekit.Object
		want  channels.Sender
	}{
		"by its bot id": {
			fakekit.Object{"subtype": "bot_message", "bot_id": "B0DEPLOYS01", "username": "Deploys", "user": nil},
			channels.Sender{ID: "B0DEPLOYS01", Name: "Deploys", Bot: true},
		},
		"without a name": {
			fakekit.Object{"subtype": "bot_message", "bot_id": "B0DEPLOYS01", "user": nil},
			channels.Sender{ID: "B0DEPLOYS01", Name: "B0DEPLOYS01", Bot: true},
		},
		"by its user id": {
			fakekit.Object{"bot_id": "B0REVIEWER1", "user": "U0REVIEWER1"},
			channels.Sender{ID: "U0REVIEWER1", Name: "reviewer", Bot: true},
		},
	} {
		ts := r.says(slackfake.Incoming{Channel: general, Text: bot + " " + name, Extra: c.extra})
		in := r.next()
		if in.Sender != c.want || in.Text != name || !in.Mentioned || in.Conversation != at(general, ts) {
			t.Errorf("%s: received %+v", name, in)
		}
		s := r.preview(general, ts) // nothing grows for a bot, but it is answered
		r.show(s, "One")
		r.finish(s, at(general, ts), "Done")
		r.fake.Must(r.fake.DeleteMessage(general, ts))
		if in := r.next(); !in.Deleted || !in.Sender.Bot || in.Sender.ID != c.want.ID {
			t.Errorf("%s: received %+v", name, in)
		}
	}
	if n := len(r.fake.Calls("chat.startStream")); n != 0 {
		t.Errorf("%d streams", n)
	}
	r.mustSend(&channels.Outbound{Conversation: at(general, ""), Text: bot + " talks to itself"})
	for _, e := range []fakekit.Object{
		{"subtype": "bot_message", "bot_id": "B0OTHER0001", "user": nil},
		{"bot_id": "B0OTHER0001", "user": bob},
		{"subtype": "bot_message", "bot_id": slackfake.BotID, "user": nil},
		{"user": slackfake.BotUserID},
		{"subtype": "channel_join", "user": "U0REVIEWER1"},
	} {
		r.says(slackfake.Incoming{Channel: general, Text: bot + " beep", Extra: e})
	}
	r.nothingBefore(general)
}
