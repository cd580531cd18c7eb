package slack_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// preview opens a preview of an answer to the first message of a thread.
func (r *rig) preview(channel, root string) channels.Stream {
	r.Helper()
	s, err := r.ch.(channels.Streamer).Stream(r.Context(), channels.Preview{
		Conversation: at(channel, root), ReplyTo: channels.MessageID(root),
		Posted: func(_ context.Context, id channels.MessageID) error {
			_, _ = r.log.Write([]byte("posted " + string(id) + "\n"))
			return nil
		},
		Buttons: [][]channels.Button{{{Text: "Stop", Token: channeltest.Token(1)}}},
	})
	if err != nil {
		r.Fatal(err)
	}
	return s
}

func (r *rig) show(s channels.Stream, text string) {
	r.Helper()
	r.step(s, text, "")
}

func (r *rig) step(s channels.Stream, text, step string) {
	r.Helper()
	if err := s.Show(r.Context(), channels.Draft{Text: text, Step: step}); err != nil {
		r.Errorf("show %q: %v", text, err)
	}
}

// finish closes a preview and puts the answer in its place.
func (r *rig) finish(s channels.Stream, place channels.Conversation, answer string) channels.MessageID {
	r.Helper()
	id, err := s.Close(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	if n := r.fake.OpenStreams(); n != 0 {
		r.Errorf("%d streams are open", n)
	}
	return r.mustSend(&channels.Outbound{Conversation: place, Text: answer, Edit: id})
}

// asked lets Ann ask something and returns the thread.
func (r *rig) asked(channel string) string {
	r.Helper()
	ts := r.says(slackfake.Incoming{Channel: channel, Text: bot + " go"})
	r.next()
	if channel != dm {
		r.next()
	}
	return ts
}

func TestAnswerGrowsInItsThread(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.step(s, "", "reading a file")
	r.step(s, "", "reading another")
	r.show(s, "Hello <")
	r.show(s, "Hello <!channel> wor")
	r.show(s, "Hello <!channel> wor")
	r.show(s, "Hello <!channel> world")
	start := r.fake.Wait("chat.startStream")
	if start.String("recipient_user_id") != ann || start.String("recipient_team_id") != slackfake.TeamID || start.String("thread_ts") != root {
		t.Errorf("started with %v", start.Params)
	}
	if n := len(r.fake.Calls("chat.appendStream")); n != 4 {
		t.Errorf("%d appends", n)
	}
	m := r.shown(general)
	if len(m) != 1 || m[0]["text"] != "Hello <\u200b!channel> world" || m[0]["thread_ts"] != root {
		t.Errorf("shown %v", m)
	}
	id := r.finish(s, at(general, root), "Hello world.")
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "Hello world." || m[0]["ts"] != string(id) {
		t.Errorf("shown %v", m)
	}
	if !strings.Contains(r.log.String(), "posted "+string(id)) {
		t.Error("the message of the preview was not kept")
	}
}

func TestRewrittenTextGoesOnAsAnEdit(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.show(s, "First")
	r.show(s, "Second")
	r.show(s, strings.Repeat("Second and more. ", 2000))
	if m := r.shown(general); len(m) != 1 || !strings.Contains(m[0]["text"].(string), "Second and more") || m[0]["thread_ts"] != root {
		t.Errorf("shown %v", m)
	}
	r.finish(s, at(general, root), "Done")
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "Done" {
		t.Errorf("shown %v", m)
	}
}

func TestStreamThatSlackDoesNotTake(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fakekit.Fault{
		"kind of channel":        {Method: "chat.startStream", Error: "channel_type_not_supported"},
		"not subscribed":         {Method: "chat.startStream", Error: "not_subscribed_to_message_stream_stopped"},
		"no answer at the start": {Method: "chat.startStream", Drop: true},
		"a bad server":           {Method: "chat.startStream", Status: 502},
		"ended in between":       {Method: "chat.appendStream", Error: "message_not_in_streaming_state"},
		"refused in between":     {Method: "chat.appendStream", Error: "invalid_chunks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t).start()
			root := r.asked(general)
			s := r.preview(general, root)
			r.fake.Inject(fault)
			r.show(s, "One")
			r.show(s, "One two")
			r.show(s, "One two three")
			m := r.shown(general)
			if last := m[len(m)-1]; last["text"] != "One two three" || last["thread_ts"] != root {
				t.Errorf("shown %v", m)
			}
			r.finish(s, at(general, root), "Done")
			if m := r.shown(general); m[len(m)-1]["text"] != "Done" {
				t.Errorf("shown %v", m)
			}
		})
	}
}

func TestDeletedStreamIsPostedAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.show(s, "One")
	r.fake.Must(r.fake.DeleteMessage(general, r.shown(general)[0]["ts"].(string)))
	r.show(s, "One two")
	r.finish(s, at(general, root), "Done")
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "Done" || m[0]["thread_ts"] != root {
		t.Errorf("shown %v", m)
	}
}

func TestBadMomentOfAStream(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.show(s, "One")
	r.fake.Inject(fakekit.Fault{Method: "chat.appendStream", Status: 502})
	if err := s.Show(r.Context(), channels.Draft{Text: "One two"}); err == nil {
		t.Error("no error of a state that was left out")
	}
	r.show(s, "One two three")
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "One two three" {
		t.Errorf("shown %v", m)
	}
	r.fake.Inject(fakekit.Fault{Method: "chat.stopStream", Status: 502})
	id, _ := s.Close(r.Context())
	r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "Done", Edit: id})
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "Done" || r.fake.OpenStreams() != 0 {
		t.Errorf("shown %v", m)
	}
}

func TestPersonStopsAStream(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.show(s, "One")
	r.fake.StopStreams(general)
	r.show(s, "One two")
	r.show(s, "One two three")
	in := r.next()
	if in.Command == nil || *in.Command != (channels.Command{Name: "stop"}) || in.Conversation != at(general, root) || in.Sender.ID != ann {
		t.Errorf("received %+v", in)
	}
	id := r.finish(s, at(general, root), "Stopped.")
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "Stopped." || m[0]["ts"] != string(id) {
		t.Errorf("shown %v", m)
	}
	r.nothingBefore(general)
}

func TestPreviewByEdits(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	ts := r.asked(dm)
	for _, place := range []channels.Conversation{at(dm, ""), at(dm, ts), at(general, "")} {
		before := len(r.shown(string(place.Chat)))
		s, err := r.ch.(channels.Streamer).Stream(r.Context(), channels.Preview{Conversation: place, ReplyTo: "1700000000.000001"})
		if err != nil {
			t.Fatal(err)
		}
		r.step(s, "", "thinking")
		r.step(s, "Hello", "reading")
		r.show(s, "Hello")
		m := r.shown(string(place.Chat))[before:]
		if len(m) != 1 || m[0]["text"] != "Hello" {
			t.Errorf("shown %v", m)
		}
		r.finish(s, place, "Hello.")
		if m := r.shown(string(place.Chat))[before:]; len(m) != 1 || m[0]["text"] != "Hello." {
			t.Errorf("shown %v", m)
		}
	}
	if n := len(r.fake.Calls("chat.startStream")); n != 0 {
		t.Errorf("%d streams", n)
	}
}

func TestPreviewGoesOnWithAnEarlierMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	r.show(r.preview(general, root), "left open by a crash")
	id := channels.MessageID(r.shown(general)[0]["ts"].(string))
	s, err := r.ch.(channels.Streamer).Stream(r.Context(), channels.Preview{
		Conversation: at(general, root), ReplyTo: channels.MessageID(root), Message: id,
		Buttons: [][]channels.Button{{{Text: "Stop", Token: channeltest.Token(1)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.show(s, "again")
	r.show(s, "again and on")
	m := r.shown(general)
	if len(m) != 1 || len(m[0]["blocks"].([]any)) != 2 {
		t.Errorf("shown %v", m)
	}
	r.fake.Must(r.fake.DeleteMessage(general, string(id)))
	r.show(s, "deleted")
	r.show(s, "deleted, posted anew")
	r.finish(s, at(general, root), "Done")
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "Done" || m[0]["thread_ts"] != root {
		t.Errorf("shown %v", m)
	}
}

func TestPreviewWaitsWhenSlackAsks(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	s, err := r.ch.(channels.Streamer).Stream(r.Context(), channels.Preview{Conversation: at(general, "")})
	if err != nil {
		t.Fatal(err)
	}
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", RetryAfter: fakekit.Duration(time.Second)})
	start := time.Now()
	if err := s.Show(r.Context(), channels.Draft{Text: "x"}); err == nil || time.Since(start) < time.Second {
		t.Errorf("it came back after %v with %v", time.Since(start), err)
	}
	r.show(s, "x")
	ctx, cancel := context.WithCancel(r.Context())
	cancel()
	if err := s.Show(ctx, channels.Draft{Text: "seen through"}); err != nil {
		t.Error(err)
	}
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "seen through" {
		t.Errorf("shown %v", m)
	}
}
