package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func out(text string) *channels.Outbound {
	return &channels.Outbound{Key: "k1", Conversation: at(roomID, ""), Text: text}
}

func TestNobodyIsNotified(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := out("@everyone @here <@&77> <@501> lunch")
	m.Buttons = [][]channels.Button{{{Text: "x", Command: channels.Command{Name: "stop"}, Token: channeltest.Token(1)}}}
	m.Edit = r.mustSend(m)
	m.Key = "k2"
	r.mustSend(m)
	m.Edit, m.Key = "", "k3"
	m.Card = &channels.Card{Title: "@everyone", Body: "@here"}
	r.mustSend(m)
	st, err := r.ch.(channels.Streamer).Stream(t.Context(), channels.Preview{Conversation: at(roomID, "")})
	r.fake.Must(err)
	r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "@everyone"}))
	calls := append(r.fake.Calls(posts), r.fake.Calls(edits)...)
	if len(calls) != 4 {
		t.Errorf("%d calls", len(calls))
	}
	want := fakekit.Object{"parse": []any{}, "replied_user": true}
	for _, c := range calls {
		if diff := cmp.Diff(any(want), c.Params["allowed_mentions"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Method, diff)
		}
	}
	for _, m := range r.fake.Messages(roomID) {
		if m["mention_everyone"] != false || len(m["mentions"].([]any)) > 0 || len(m["mention_roles"].([]any)) > 0 {
			t.Errorf("notified by %v", m)
		}
	}
}

func TestLongAnswersAreSeveralMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	var code strings.Builder
	for i := range 200 {
		fmt.Fprintf(&code, "line %03d of the program 👋\n", i)
	}
	m := out("Intro **bold**\n\n```py\n" + code.String() + "```\n\nThe end.")
	m.ReplyTo = channels.MessageID(r.says(roomID, "write")["id"].(string))
	m.Buttons = [][]channels.Button{{{Text: "More", Command: channels.Command{Name: "more"}, Token: channeltest.Token(1)}}}
	var parts []int
	m.Attempt.Delivered = func(_ context.Context, n int) error { parts = append(parts, n); return nil }
	first := r.mustSend(m)
	shown := r.fake.Messages(roomID)[1:]
	if len(shown) < 3 || shown[0]["id"] != string(first) || len(parts) != len(shown)-1 {
		t.Fatalf("%d messages, delivered %v", len(shown), parts)
	}
	var joined strings.Builder
	for i, msg := range shown {
		text := msg["content"].(string)
		if n := len([]rune(text)); n > 2000 || strings.Count(text, "```")%2 != 0 {
			t.Errorf("part %d has %d characters", i, n)
		}
		if (msg["message_reference"] != nil) != (i == 0) || (len(msg["components"].([]any)) > 0) != (i == len(shown)-1) {
			t.Errorf("part %d refers to %v and has %v", i, msg["message_reference"], msg["components"])
		}
		for _, line := range strings.SplitAfter(text, "\n") {
			if strings.HasPrefix(line, "line ") {
				joined.WriteString(line)
			}
		}
	}
	if joined.String() != code.String() {
		t.Error("the code is not what it was")
	}
}

func TestVeryLongAnswersAreFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	whole := strings.Repeat("Words and words. ", 1500)
	r.mustSend(out(whole))
	calls := r.fake.Calls(posts)
	if len(calls) != 2 || len(calls[1].Files) != 1 || calls[1].Files[0].Name != "answer.md" ||
		string(calls[1].Files[0].Data) != strings.TrimSpace(whole) {
		t.Fatalf("%d calls", len(calls))
	}
	if got := r.shown(roomID)[1]; !strings.Contains(got, "all of it is in the file") {
		t.Errorf("it says %q", got)
	}
}

func TestFilesGoOut(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := out("Here.")
	for i := range 12 {
		m.Attachments = append(m.Attachments, channels.Attachment{Name: fmt.Sprintf("f%d\"\r\nX: y/.txt", i), Data: []byte("x")})
	}
	m.Attachments = append(m.Attachments, channels.Attachment{Name: "empty.txt"},
		channels.Attachment{Name: "big.bin", Data: make([]byte, 11<<20)})
	r.mustSend(m)
	calls := r.fake.Calls(posts)
	if len(calls) != 2 || len(calls[0].Files) != 10 || len(calls[1].Files) != 2 {
		t.Fatalf("%d calls", len(calls))
	}
	text := r.shown(roomID)[0]
	for _, want := range []string{"Here.", "`empty.txt` is empty", "`big.bin` has 11.0 MB"} {
		if !strings.Contains(text, want) {
			t.Errorf("it says %q, without %q", text, want)
		}
	}
	r.mustSend(&channels.Outbound{
		Key: "k2", Conversation: at(roomID, ""), Attachments: []channels.Attachment{{Name: "a.png", Data: []byte("\x89PNG\r\n\x1a\n")}},
	})
	if c := r.fake.Calls(posts)[2]; len(c.Files) != 1 || c.Files[0].ContentType != "image/png" {
		t.Errorf("sent %+v", c.Files)
	}
}

func TestALostAnswerShowsNothingTwice(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	r.fake.Inject(fakekit.Fault{Method: posts, DropResponse: true, After: 1})
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "Sentence %d of some length. ", i)
	}
	m := out(text.String())
	done := 0
	m.Attempt.Delivered = func(_ context.Context, n int) error { done = n; return nil }
	_, err := r.send(m)
	if e := refusal(t, err); e.Terminal || e.NotTaken || done != 1 {
		t.Fatalf("refused with %+v after %d parts", e, done)
	}
	m.Attempt.Parts, m.Attempt.Unsure = done, true
	r.mustSend(m)
	shown := r.shown(roomID)
	if strings.Join(shown, " ") != strings.TrimSpace(text.String()) {
		t.Errorf("%d messages", len(shown))
	}
}

func TestEditsTakeThePlaceOfPreviews(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	preview := out("working")
	preview.Buttons = [][]channels.Button{{{Text: "Stop", Command: channels.Command{Name: "stop"}, Token: channeltest.Token(1)}}}
	id := r.mustSend(preview)
	final := &channels.Outbound{Key: "k2", Conversation: at(roomID, ""), Edit: id, Text: "done", Attachments: []channels.Attachment{{Name: "a.txt", Data: []byte("x")}}}
	if got := r.mustSend(final); got != id {
		t.Errorf("the answer is %s instead of %s", got, id)
	}
	if m := r.find(roomID, id); m["content"] != "done" || len(m["components"].([]any)) > 0 {
		t.Errorf("it shows %v", m)
	}
	if n := len(r.fake.Messages(roomID)); n != 2 { // the file has one of its own
		t.Errorf("%d messages", n)
	}
	r.mustSend(&channels.Outbound{Key: "k3", Conversation: at(roomID, ""), Edit: id}) // nothing comes in its place
	r.mustSend(&channels.Outbound{Key: "k4", Conversation: at(roomID, ""), Edit: id}) // it is gone already
	// What is gone is said anew.
	if got := r.mustSend(&channels.Outbound{Key: "k5", Conversation: at(roomID, ""), Edit: id, Text: "anew"}); got == id {
		t.Error("a deleted message was changed")
	}
	ofAnn := channels.MessageID(r.says(roomID, "mine")["id"].(string))
	if got := r.mustSend(&channels.Outbound{Key: "k6", Conversation: at(roomID, ""), Edit: ofAnn, Text: "x"}); got == ofAnn {
		t.Error("Ann's message was changed")
	}
	if _, err := r.send(&channels.Outbound{Key: "k7", Conversation: at(roomID, "")}); !refusal(t, err).Terminal {
		t.Errorf("an empty message: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	answer := func(status, code int) discordfake.Handler {
		return func(fakekit.Call) (any, error) {
			return nil, &discordfake.Error{Status: status, Code: code, Message: "CANARY-free"}
		}
	}
	for name, tc := range map[string]struct {
		fault   fakekit.Fault
		handler discordfake.Handler
		want    channels.Error
	}{
		"no right to write":   {handler: answer(403, 50013), want: channels.Error{Terminal: true, Gone: true, NotTaken: true}},
		"no access":           {handler: answer(403, 50001), want: channels.Error{Terminal: true, Gone: true, NotTaken: true}},
		"channel gone":        {handler: answer(404, 10003), want: channels.Error{Terminal: true, Gone: true, NotTaken: true}},
		"direct chats closed": {handler: answer(403, 50007), want: channels.Error{Terminal: true, Gone: true, NotTaken: true}},
		"a locked thread":     {handler: answer(403, 50083), want: channels.Error{Terminal: true, Gone: true, NotTaken: true}},
		"a bad form":          {handler: answer(400, 50035), want: channels.Error{Terminal: true, NotTaken: true}},
		"a bad token":         {handler: answer(401, 0), want: channels.Error{NotTaken: true}},
		"500":                 {fault: fakekit.Fault{Status: 500}},
		"502":                 {fault: fakekit.Fault{Status: 502}},
		"503":                 {fault: fakekit.Fault{Status: 503}},
		"a page of a proxy":   {fault: fakekit.Fault{Status: 403}, want: channels.Error{NotTaken: true}},
		"dropped":             {fault: fakekit.Fault{Drop: true}},
		"limited": {
			fault: fakekit.Fault{RetryAfter: fakekit.Duration(90 * time.Second)},
			want:  channels.Error{NotTaken: true, RetryAfter: 90 * time.Second},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.make(nil)
			if tc.handler != nil {
				r.fake.HandleFunc(posts, tc.handler)
			} else {
				tc.fault.Method = posts
				r.fake.Inject(tc.fault)
			}
			_, err := r.send(out("x"))
			got := *refusal(t, err)
			got.Op, got.Err = "", nil
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if n := len(r.fake.Calls(posts)); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestAMissingRightIsToldOnceAndSpared(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := out("x")
	m.Conversation = at(mutedID, "")
	for range 2 {
		if _, err := r.send(m); !refusal(t, err).Gone {
			t.Error(err)
		}
	}
	if told := r.notices(); len(told) != 1 || !strings.Contains(told[0], "Send Messages") {
		t.Errorf("told %q", told)
	}
	r.fake.Must(r.ch.(channels.Typer).Typing(t.Context(), m.Conversation))
	r.fake.Must(r.ch.(channels.Marker).MarkSeen(t.Context(), m.Conversation, "1"))
	if n := len(r.fake.Calls("*")); n != 2 {
		t.Errorf("%d calls", n)
	}
}

func TestWhatIsAnsweredMayBeOutOfReach(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := out("x")
	m.ReplyTo = "5"
	r.mustSend(m) // a deleted message
	r.fake.HandleFunc(posts, func(c fakekit.Call) (any, error) {
		if c.Has("message_reference") {
			return nil, &discordfake.Error{Status: 400, Code: 160002, Message: "Cannot reply without permission to read message history"}
		}
		return fakekit.Object{"id": "1"}, nil
	})
	m.Key = "k2"
	r.mustSend(m)
}

func TestWaitsHoldForTheirChannelOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	r.fake.Inject(fakekit.Fault{Method: posts, Chat: roomID, RetryAfter: fakekit.Duration(time.Hour)})
	for range 3 {
		if _, err := r.send(out("x")); refusal(t, err).RetryAfter < 59*time.Minute {
			t.Error(err)
		}
	}
	if n := len(r.fake.Calls(posts)); n != 1 {
		t.Errorf("%d calls although Discord asked to wait", n)
	}
	r.mustSend(&channels.Outbound{Key: "k", Conversation: at(otherID, ""), Text: "elsewhere"})

	r.fake.Inject(fakekit.Fault{Method: posts, Chat: otherID, RetryAfter: fakekit.Duration(time.Hour), Global: true})
	for _, room := range []string{otherID, directID, threadID} {
		_, err := r.send(&channels.Outbound{Key: "k" + room, Conversation: at(room, ""), Text: "x"})
		if refusal(t, err).RetryAfter < 59*time.Minute {
			t.Error(err)
		}
	}
	if n := len(r.fake.Calls(posts)); n != 3 {
		t.Errorf("%d calls although Discord asked to wait everywhere", n)
	}
}

func TestARefusedTokenStopsAllCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": "wrong.CANARY"})
	for range 5 {
		_, err := r.send(out("x"))
		if e := refusal(t, err); e.Terminal || !e.NotTaken || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%+v", e)
		}
	}
	if n := len(r.fake.Calls("*")); n != 1 {
		t.Errorf("%d calls with a token that is not known", n)
	}
}

func TestPlacesThatAreNone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	for _, conv := range []channels.Conversation{at("", ""), at("../x", ""), at(roomID, "x/y")} {
		if _, err := r.send(&channels.Outbound{Key: "k", Conversation: conv, Text: "x"}); !refusal(t, err).Gone {
			t.Errorf("%v: %v", conv, err)
		}
		if err := r.ch.(channels.Typer).Typing(t.Context(), conv); err == nil {
			t.Errorf("typing in %v", conv)
		}
	}
}

func TestSendEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	r.fake.Inject(fakekit.Fault{Method: posts, Delay: fakekit.Duration(time.Minute)})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(r.fake.Calls("*")) == 0 && ctx.Err() == nil {
			cancel()
		}
	}()
	_, err := r.ch.Send(ctx, out("x"))
	if e := refusal(t, err); e.Terminal || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestABudgetThatIsUsedUpIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var calls []time.Time
	proxy := passThrough(t, r.fake.URL, func(h http.Header) {
		calls = append(calls, time.Now())
		h.Set("X-RateLimit-Remaining", "0")
		h.Set("X-RateLimit-Reset-After", "0.2")
	})
	r.make(settings{"api_url": proxy})
	m := out("x")
	r.mustSend(m)
	m.Key = "k2"
	r.mustSend(m)
	if len(calls) != 2 || calls[1].Sub(calls[0]) < 150*time.Millisecond {
		t.Errorf("calls at %v", calls)
	}
}
