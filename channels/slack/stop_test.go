package slack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

func TestSessionThatAPersonStops(t *testing.T) {
	modes(t, nil, func(r *rig) {
		for _, channel := range []string{general, dm} {
			root := r.asked(channel)
			r.fake.Must(r.fake.StopSession(channel, root, bob))
			want := &channels.Inbound{
				Conversation: at(channel, root), Sender: channels.Sender{ID: bob, Name: bob}, Direct: channel == dm,
				Mentioned: true, Command: &channels.Command{Name: "stop"},
			}
			in := r.next()
			if diff := cmp.Diff(want, in, cmpopts.IgnoreFields(channels.Inbound{}, "SentAt", "EventKey")); diff != "" || len(in.EventKey) < 5 {
				r.Errorf("key %q (-want +got):\n%s", in.EventKey, diff)
			}
			r.fake.Must(r.fake.Redeliver())
			if again := r.next(); again.EventKey != in.EventKey {
				r.Errorf("key %q, then %q", in.EventKey, again.EventKey)
			}
			r.fake.Must(r.fake.StopSession(channel, root, bob))
			if next := r.next(); next.EventKey == in.EventKey {
				r.Error("two stops have one key")
			}
		}
	})
}

// TestStopIsToldOnce: Slack tells of the stop of a stream in two ways, with one key.
func TestStopIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.show(s, "One")
	r.fake.Must(r.fake.StopSession(general, root, ann))
	event := r.next()
	r.show(s, "One two")
	answer := r.next()
	if event.EventKey != answer.EventKey || event.ID != answer.ID || event.Conversation != answer.Conversation ||
		event.Command == nil || answer.Command == nil || event.ID == "" {
		t.Errorf("received %+v and %+v", event, answer)
	}
	r.finish(s, at(general, root), "Stopped.")
}

func TestEventsThatNothingDependsOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	for _, e := range []fakekit.Object{
		{"type": "agent_session_title_changed", "channel": general, "thread_ts": "1700000000.000001", "user": ann, "title": "x"},
		{"type": "app_context_changed", "user": ann},
		{"type": "assistant_thread_context_changed", "assistant_thread": fakekit.Object{}},
	} {
		r.event(e)
		r.fake.Wait("ack:events_api")
	}
	if log := r.log.String(); strings.Contains(log, "left out") {
		t.Errorf("the log:\n%s", log)
	}
	for _, e := range []fakekit.Object{
		{"type": "agent_session_stopped", "channel": general, "thread_ts": "x", "user": ann},
		{"type": "agent_session_stopped", "thread_ts": "1700000000.000001", "user": ann},
		{"type": "agent_session_stopped", "channel": general, "thread_ts": "1700000000.000001"},
		{"type": "agent_session_stopped", "channel": 5},
	} {
		r.event(e)
		r.fake.Wait("ack:events_api")
	}
	r.nothingBefore(general)
	if log := r.log.String(); !strings.Contains(log, "left out") {
		t.Errorf("the log:\n%s", log)
	}
}
