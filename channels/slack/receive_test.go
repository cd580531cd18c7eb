package slack_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// modes runs a test over sockets and over HTTP.
func modes(t *testing.T, opts []slackfake.Option, test func(*rig)) {
	t.Parallel()
	for name, start := range map[string]func(*rig) *rig{"socket": (*rig).start, "HTTP": (*rig).startHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(start(newRig(t, opts...)))
		})
	}
}

func TestMentionOpensItsThread(t *testing.T) {
	modes(t, nil, func(r *rig) {
		ts := r.says(slackfake.Incoming{Channel: general, Text: bot + " what&apos;s &lt;up&gt;, <@" + bob + ">?"})
		want := &channels.Inbound{
			ID: channels.MessageID(ts), EventKey: "m:" + slackfake.TeamID + ":" + general + ":" + ts,
			Conversation: at(general, ts), Sender: channels.Sender{ID: ann, Name: "ann"}, Mentioned: true,
			Text: "what&apos;s <up>, @bob?", Thread: channels.TopicID(ts),
		}
		for range 2 { // as a message and as a mention
			if diff := cmp.Diff(want, r.next(), cmpopts.IgnoreFields(channels.Inbound{}, "SentAt")); diff != "" {
				r.Errorf("received (-want +got):\n%s", diff)
			}
		}
		for range 2 {
			r.fake.Wait("ack:events_api")
		}
	})
}

// TestChannelsAreReadByName: those whose name not all may see stay unnamed.
func TestChannelsAreReadByName(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	r.fake.AddChannel("G0SECRET001", "layoffs")
	r.says(slackfake.Incoming{Channel: general, Text: "see <#" + other + "> and <#G0SECRET001|> and <#C0NOWHERE01>"})
	if got := r.next().Text; got != "see #other and #private-channel and #C0NOWHERE01" {
		t.Errorf("received %q", got)
	}
}

func TestDoublesInEitherOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	for i, order := range [][]string{{"app_mention", "message"}, {"message", "app_mention"}} {
		ts := []string{"1700000001.000100", "1700000002.000100"}[i]
		for _, kind := range order {
			r.event(fakekit.Object{"type": kind, "channel": general, "user": ann, "text": bot + " status?", "ts": ts, "event_ts": ts})
		}
		first, second := r.next(), r.next()
		if first.EventKey != second.EventKey || !first.Mentioned || !second.Mentioned || first.Conversation != second.Conversation {
			t.Errorf("%v: %+v and %+v", order, first, second)
		}
	}
}

func TestWhoIsSpokenTo(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels", "message.im")).start()
	type heard struct {
		Text      string
		Place     channels.Conversation
		Mentioned bool
		Direct    bool
	}
	check := func(want heard) {
		t.Helper()
		in := r.next()
		if got := (heard{in.Text, in.Conversation, in.Mentioned, in.Direct}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	root := r.says(slackfake.Incoming{Channel: general, Text: "talk"})
	check(heard{"talk", at(general, ""), false, false})
	r.says(slackfake.Incoming{Channel: general, ThreadTS: root, Text: "more talk"})
	check(heard{"more talk", at(general, root), false, false})
	r.join(at(general, root))
	r.says(slackfake.Incoming{Channel: general, ThreadTS: root, Text: "follow-up"})
	check(heard{"follow-up", at(general, root), true, false})
	dmRoot := r.says(slackfake.Incoming{Channel: dm, Text: "hi"})
	check(heard{"hi", at(dm, ""), false, true})
	r.says(slackfake.Incoming{Channel: dm, ThreadTS: dmRoot, Text: "in the thread"})
	check(heard{"in the thread", at(dm, dmRoot), false, true})
	r.says(slackfake.Incoming{Channel: general, Text: "write `" + bot + " hi` to me"})
	check(heard{"write `@fakebot hi` to me", at(general, ""), false, false})
}

func TestPromptsAtOnceOpenAThreadEach(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	threads := map[string]string{}
	for _, text := range []string{"one", "two", "three"} {
		threads[text] = r.says(slackfake.Incoming{Channel: general, Text: bot + " " + text})
	}
	for range threads { // Slack itself keeps no order
		if in := r.next(); in.Conversation != at(general, threads[in.Text]) || !in.Mentioned {
			t.Errorf("received %+v", in)
		}
	}
	r.join(at(general, threads["two"]))
	r.says(slackfake.Incoming{Channel: general, ThreadTS: threads["two"], Text: "about two"})
	if in := r.next(); in.Conversation != at(general, threads["two"]) || !in.Mentioned {
		t.Errorf("received %+v", in)
	}
}

func TestMentionInAForeignThreadBringsItsRoot(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	root := r.says(slackfake.Incoming{Channel: general, User: bob, Text: "the &lt;build&gt; is red"})
	r.next()
	r.says(slackfake.Incoming{Channel: general, ThreadTS: root, Text: bot + " why?"})
	in := r.next()
	want := &channels.Quoted{ID: channels.MessageID(root), Sender: channels.Sender{ID: bob, Name: "bob"}, Text: "the <build> is red"}
	if diff := cmp.Diff(want, in.ReplyTo); diff != "" || !in.Mentioned || in.Text != "why?" {
		t.Errorf("received %+v (-want +got):\n%s", in, diff)
	}
	r.join(at(general, root))
	r.says(slackfake.Incoming{Channel: general, ThreadTS: root, Text: bot + " and now?"})
	if in := r.next(); in.ReplyTo != nil || !in.Mentioned {
		t.Errorf("received %+v", in)
	}
}

func TestSharedMessageIsQuoted(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	r.says(slackfake.Incoming{Channel: general, Text: bot + " is this true?", Extra: fakekit.Object{"attachments": []any{
		fakekit.Object{"ts": 12.5, "title": "something else"},
		fakekit.Object{"is_share": true, "ts": "1700000000.000001", "author_id": bob, "author_name": "bob", "text": "tea &gt; coffee"},
	}}})
	want := &channels.Quoted{ID: "1700000000.000001", Sender: channels.Sender{ID: bob, Name: "bob"}, Text: "tea > coffee"}
	if diff := cmp.Diff(want, r.next().ReplyTo); diff != "" {
		t.Errorf("quoted (-want +got):\n%s", diff)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	ts := r.says(slackfake.Incoming{Channel: general, Text: "deploy"})
	first := r.next()
	r.fake.Must(r.fake.EditMessage(general, ts, bot+" deploy staging"))
	in := r.next()
	if in.Revises != first.EventKey || in.EventKey == first.EventKey || !in.Mentioned || in.Text != "deploy staging" ||
		in.Conversation != at(general, ts) || in.ID != first.ID {
		t.Errorf("received %+v", in)
	}
	r.join(at(general, ts))
	r.fake.Must(r.fake.EditMessage(general, ts, "deploy production"))
	if again := r.next(); again.Revises != first.EventKey || again.EventKey == in.EventKey || again.Conversation != at(general, ts) || !again.Mentioned {
		t.Errorf("received %+v", again)
	}
	r.fake.Must(r.fake.EditMessage(general, ts, "deploy production")) // nothing changed
	r.nothingBefore(general)
}

func TestWhatIsNoMessageOfAPerson(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	id := r.mustSend(&channels.Outbound{Conversation: at(general, ""), Text: "mine, see https://example.com"})
	r.mustSend(&channels.Outbound{Conversation: at(general, ""), Text: "mine, changed", Edit: id})
	for _, e := range []fakekit.Object{
		{"type": "message", "subtype": "bot_message", "channel": general, "bot_id": "B0OTHER", "text": bot + " hi", "ts": "1700000001.000001"},
		{"type": "message", "channel": general, "user": bob, "bot_id": "B0OTHER", "text": bot + " hi", "ts": "1700000001.000002"},
		{"type": "message", "subtype": "channel_join", "channel": general, "user": bob, "text": "joined", "ts": "1700000001.000003"},
		{"type": "message", "subtype": "message_changed", "hidden": true, "channel": general, "ts": "1700000001.000005", "message": fakekit.Object{
			"type": "message", "user": ann, "text": "see <https://example.com>", "ts": "1700000001.000004", "attachments": []any{fakekit.Object{"title": "Example"}},
		}, "previous_message": fakekit.Object{"type": "message", "user": ann, "text": "see <https://example.com>", "ts": "1700000001.000004"}},
		{"type": "message", "subtype": "message_changed", "channel": general, "ts": "1700000001.000006"},
		{"type": "message", "user": ann, "text": "without a channel", "ts": "1700000001.000006"},
		{"type": "message", "channel": general, "user": ann, "text": "without a ts"},
		{"type": "message", "channel": fakekit.Object{}, "user": ann},
		{"type": "something_new"}, {"type": "something_new"},
		{"type": "reaction_added", "user": ann, "item": fakekit.Object{}},
		{"type": "app_home_opened", "tab": "messages", "user": ann},
	} {
		r.event(e)
	}
	r.nothingBefore(general)
	for range 15 {
		r.fake.Wait("ack:events_api")
	}
	if n := strings.Count(r.log.String(), "something_new"); n != 1 {
		t.Errorf("an unknown event was logged %d times", n)
	}
}

func TestRedeliveredEventHasTheSameKey(t *testing.T) {
	modes(t, []slackfake.Option{slackfake.WithEvents("message.channels")}, func(r *rig) {
		r.says(slackfake.Incoming{Channel: general, Text: "once"})
		first := r.next()
		r.fake.Must(r.fake.Redeliver())
		if again := r.next(); again.EventKey != first.EventKey {
			r.Errorf("key %q, then %q", first.EventKey, again.EventKey)
		}
	})
}

func TestUnstoredMessageComesAgain(t *testing.T) {
	opts := []slackfake.Option{slackfake.WithEvents("message.channels"), slackfake.Lenient()}
	modes(t, opts, func(r *rig) {
		failures := 3
		failed := make(chan struct{})
		r.failing(func(in *channels.Inbound) error {
			if in.Text != "one" {
				return nil
			}
			if failures--; failures == 1 {
				close(failed)
			}
			if failures >= 0 {
				return errors.New("no database")
			}
			return nil
		})
		r.says(slackfake.Incoming{Channel: general, Text: "one"})
		<-failed
		r.says(slackfake.Incoming{Channel: general, Text: "two"})
		if one, two := r.next(), r.next(); one.Text != "one" || two.Text != "two" {
			r.Errorf("received %q, %q", one.Text, two.Text)
		}
		if n := len(r.fake.Violations()); n > 0 {
			r.Errorf("%d violations", n)
		}
	})
}

func TestNotAcknowledgedUntilStored(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	gate := make(chan struct{})
	r.failing(func(in *channels.Inbound) error {
		if in.Conversation.Chat == general {
			<-gate
		}
		return nil
	})
	r.says(slackfake.Incoming{Channel: general, Text: "slow"})
	r.says(slackfake.Incoming{Channel: other, Text: "fast"})
	if in := r.next(); in.Text != "fast" {
		t.Errorf("received %q first", in.Text)
	}
	r.fake.Wait("ack:events_api")
	if n := len(r.fake.Calls("ack:*")); n != 1 {
		t.Errorf("%d acknowledgements before the message is stored", n)
	}
	close(gate)
	r.next()
	r.fake.Wait("ack:events_api")
}

func TestPanicLeavesOneMessageOut(t *testing.T) {
	modes(t, []slackfake.Option{slackfake.WithEvents("message.channels")}, func(r *rig) {
		r.failing(func(in *channels.Inbound) error {
			if in.Text == "bad" {
				panic("of the handler")
			}
			return nil
		})
		r.says(slackfake.Incoming{Channel: general, Text: "bad"})
		r.fake.Wait("ack:events_api")
		r.nothingBefore(general)
	})
}

func TestSlowNameIsTheID(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	r.fake.Inject(fakekit.Fault{Method: "users.info", Delay: fakekit.Duration(5 * time.Second)})
	r.says(slackfake.Incoming{Channel: general, Text: "hi"})
	if in := r.next(); in.Sender != (channels.Sender{ID: ann, Name: ann}) {
		t.Errorf("sender %+v", in.Sender)
	}
}

func TestNamesAreAskedForOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	for range 5 {
		r.says(slackfake.Incoming{Channel: general, Text: "hi"})
		r.next()
	}
	if n := len(r.fake.Calls("users.info")); n != 1 {
		t.Errorf("%d look-ups", n)
	}
}

func TestTeamOfAnOrganisationIsPartOfTheChat(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).startHTTP()
	body := `{"type":"event_callback","team_id":"T0ELSE","event_id":"Ev1","event":{"type":"message","channel":"` + general +
		`","user":"` + ann + `","text":"` + bot + ` hi","ts":"1700000001.000001"}}`
	if code := r.deliver(body, time.Now()); code != 200 {
		t.Fatalf("status %d", code)
	}
	in := r.next()
	if in.Conversation != at("T0ELSE:"+general, "1700000001.000001") {
		t.Errorf("conversation %v", in.Conversation)
	}
	root := r.says(slackfake.Incoming{Channel: general, Text: "root"})
	in.Conversation.Topic = channels.TopicID(root)
	r.mustSend(&channels.Outbound{Conversation: in.Conversation, Text: "hello"})
	if m := r.shown(general); len(m) != 1 || m[0]["thread_ts"] != root {
		t.Errorf("shown %v", m)
	}
}

func TestFilesComeAsReferences(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	id := r.fake.AddFile("chart.png", "image/png", []byte("\x89PNG data"))
	r.says(slackfake.Incoming{Channel: general, Text: "look", Files: []string{id}})
	in := r.next()
	want := []channels.Attachment{{Name: "chart.png", MediaType: "image/png", Ref: id, Size: 9}}
	if diff := cmp.Diff(want, in.Attachments); diff != "" || in.Text != "look" {
		t.Errorf("received %+v (-want +got):\n%s", in, diff)
	}
}
