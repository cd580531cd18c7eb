package discord_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

const (
	typing    = "POST /channels/{channel_id}/typing"
	reactions = "PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"
)

func (r *rig) stream(p channels.Preview) channels.Stream {
	r.Helper()
	st, err := r.ch.(channels.Streamer).Stream(r.Context(), p)
	if err != nil {
		r.Fatal(err)
	}
	return st
}

func TestPreviewsAreEditedAndReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	var posted []channels.MessageID
	st := r.stream(channels.Preview{
		Conversation: at(roomID, threadID), ReplyTo: channels.MessageID(r.says(threadID, "go")["id"].(string)),
		Posted:  func(_ context.Context, id channels.MessageID) error { posted = append(posted, id); return nil },
		Buttons: [][]channels.Button{{{Text: "🛑 Stop", Command: channels.Command{Name: "stop"}, Token: channeltest.Token(1)}}},
	})
	show := func(d channels.Draft) {
		t.Helper()
		r.fake.Must(st.Show(t.Context(), d))
	}
	show(channels.Draft{})
	show(channels.Draft{Step: "reading a_file"})
	show(channels.Draft{Text: "So **far", Step: ""})
	show(channels.Draft{Text: "So **far", Step: ""})
	show(channels.Draft{Text: strings.Repeat("long ", 1000)})
	id, err := st.Close(t.Context())
	if err != nil || len(posted) != 1 || posted[0] != id {
		t.Fatalf("closed with %s, %v; posted %v", id, err, posted)
	}
	var shown []string
	for _, c := range append(r.fake.Calls(posts), r.fake.Calls(edits)...) {
		shown = append(shown, cut(c.String("content"), 40))
		if len(c.Params["components"].([]any)) != 1 {
			t.Errorf("without buttons: %v", c.Params)
		}
	}
	want := []string{"-# ⏳ reading a\\_file …", `So \*\*far`, cut(strings.Repeat("long ", 1000), 40)}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.mustSend(&channels.Outbound{Key: "k", Conversation: at(roomID, threadID), Edit: id, Text: "So far."})
	if diff := cmp.Diff([]string{"So far."}, r.shown(threadID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func cut(s string, n int) string { return s[:min(len(s), n)] }

func TestPreviewsSurviveFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	st := r.stream(channels.Preview{Conversation: at(roomID, "")})
	show := func(text string) error { return st.Show(t.Context(), channels.Draft{Text: text}) }
	// The answer to the first post gets lost: it is not posted twice.
	r.fake.Inject(fakekit.Fault{Method: posts, DropResponse: true})
	if show("one") == nil {
		t.Error("a lost answer was no error")
	}
	r.fake.Must(show("one"))
	if n := len(r.fake.Messages(roomID)); n != 1 {
		t.Fatalf("%d messages", n)
	}
	r.fake.Inject(fakekit.Fault{Method: edits, RetryAfter: fakekit.Duration(50 * time.Millisecond)})
	if show("two") == nil {
		t.Error("a limit was no error")
	}
	r.fake.Must(show("three"))
	// Somebody deletes it.
	id, _ := st.Close(t.Context())
	r.mustSend(&channels.Outbound{Key: "gone", Conversation: at(roomID, ""), Edit: id})
	if show("four") == nil {
		t.Error("a deleted message was no error")
	}
	r.fake.Must(show("five"))
	if diff := cmp.Diff([]string{"five"}, r.shown(roomID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A later attempt goes on where this one stopped.
	id, _ = st.Close(t.Context())
	again := r.stream(channels.Preview{Conversation: at(roomID, ""), Message: id})
	r.fake.Must(again.Show(t.Context(), channels.Draft{Text: "six"}))
	if diff := cmp.Diff([]string{"six"}, r.shown(roomID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSigns(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	id := channels.MessageID(r.says(threadID, "x")["id"].(string))
	conv := at(roomID, threadID)
	r.fake.Must(r.ch.(channels.Marker).MarkSeen(t.Context(), conv, id))
	if c := r.fake.Wait(reactions); c.PathParams["channel_id"] != threadID || c.PathParams["emoji_name"] != "👀" {
		t.Errorf("marked %v", c.PathParams)
	}
	for range 5 { // the sign lasts
		r.fake.Must(r.ch.(channels.Typer).Typing(t.Context(), conv))
	}
	r.mustSend(&channels.Outbound{Key: "k", Conversation: conv, Text: "a message ends it"})
	r.fake.Must(r.ch.(channels.Typer).Typing(t.Context(), conv))
	if n := len(r.fake.Calls(typing)); n != 2 {
		t.Errorf("%d typing signs", n)
	}
	// Where it may not react it shows that it types.
	r.fake.Inject(fakekit.Fault{Method: reactions, Error: "Missing Permissions", Status: 403})
	other := channels.MessageID(r.says(roomID, "x")["id"].(string))
	r.fake.Must(r.ch.(channels.Marker).MarkSeen(t.Context(), at(roomID, ""), other))
	if n := len(r.fake.Calls(typing)); n != 3 {
		t.Errorf("%d typing signs", n)
	}
}
