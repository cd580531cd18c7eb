package slack_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// thread starts a thread and returns its ts.
func (r *rig) thread(channel string) string {
	r.Helper()
	ts := r.says(slackfake.Incoming{Channel: channel, Text: "root"})
	return ts
}

func TestAnswersStayInTheirThread(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root, second := r.thread(general), r.thread(dm)
	long := strings.Repeat(strings.Repeat("word ", 60)+"\n\n", 120)
	for i, place := range []channels.Conversation{at(general, root), at(dm, second), at(general, ""), at(dm, "")} {
		id := r.mustSend(&channels.Outbound{Key: fmt.Sprint("a", i), Conversation: place, Text: "one"})
		r.mustSend(&channels.Outbound{Conversation: place, Text: long})
		r.mustSend(&channels.Outbound{Conversation: place, Text: "two", Edit: id, Attachments: []channels.Attachment{
			{Name: "a.txt", Data: []byte("abc")}, {Name: "b.png", Data: []byte("\x89PNG")},
		}})
		r.mustSend(&channels.Outbound{Conversation: place, Card: &channels.Card{Title: "T", Body: "b"}, Buttons: [][]channels.Button{
			{{Text: "OK", Token: channeltest.Token(1)}},
		}})
	}
	for _, channel := range []string{general, dm} {
		perThread := map[any]int{}
		for _, m := range r.shown(channel) {
			perThread[m["thread_ts"]]++
		}
		thread := root
		if channel == dm {
			thread = second
		}
		want := perThread[nil]
		if want < 6 || perThread[thread] != want || len(perThread) != 2 {
			t.Errorf("%s: messages by thread %v", channel, perThread)
		}
	}
}

func TestLongAnswerIsInOrderAndWhole(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.thread(general)
	var words []string
	for i := range 6000 {
		words = append(words, fmt.Sprint(i))
	}
	id := r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: strings.Join(words, " ")})
	shown := r.shown(general)
	if len(shown) < 3 || shown[0]["ts"] != string(id) {
		t.Fatalf("%d messages", len(shown))
	}
	var got []string
	for _, m := range shown {
		got = append(got, strings.Fields(m["text"].(string))...)
		if m["thread_ts"] != root {
			t.Errorf("a part is in thread %v", m["thread_ts"])
		}
	}
	if diff := cmp.Diff(words, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestVeryLongAnswerIsAFile(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.thread(general)
	text := strings.Repeat("A line of an answer.\n\n", 4000)
	r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: text})
	shown := r.shown(general)
	if len(shown) != 3 || !strings.Contains(shown[1]["text"].(string), "88000 characters") {
		t.Fatalf("%d messages", len(shown))
	}
	up := r.fake.Wait("upload")
	if string(up.Files[0].Data) != text || up.Files[0].Name != "answer.md" || shown[2]["thread_ts"] != root {
		t.Errorf("file %q in thread %v", up.Files[0].Name, shown[2]["thread_ts"])
	}
}

func TestEditFallsBackToANewMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.thread(general)
	gone := r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "preview"})
	r.fake.Must(r.fake.DeleteMessage(general, string(gone)))
	id := r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "answer", Edit: gone})
	if m := r.shown(general); len(m) != 1 || m[0]["ts"] != string(id) || m[0]["text"] != "answer" || m[0]["thread_ts"] != root {
		t.Errorf("shown %v", m)
	}
	if again := r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "answer", Edit: id}); again != id {
		t.Errorf("edited %s, got %s", id, again)
	}
	if id := r.mustSend(&channels.Outbound{Conversation: at(general, root), Edit: id}); id != "" || len(r.shown(general)) != 0 {
		t.Errorf("an empty answer leaves %v", r.shown(general))
	}
	r.mustSend(&channels.Outbound{Conversation: at(general, root), Edit: id}) // gone already
}

func TestEditOfAForgottenStream(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.says(slackfake.Incoming{Channel: general, Text: bot + " go"})
	r.next()
	r.next()
	s := r.preview(general, root)
	r.show(s, "so far")
	id := r.shown(general)[0]["ts"].(string) // the program is killed now
	r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "all of it", Edit: channels.MessageID(id)})
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "all of it" || r.fake.OpenStreams() != 0 {
		t.Errorf("shown %v", m)
	}
}

func TestRefusedFormIsSentPlain(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("A **bold** line & <more>.\n\n", 150)
	for _, code := range []string{"invalid_blocks", "msg_too_long", "msg_blocks_too_long"} {
		for _, method := range []string{"chat.postMessage", "chat.update"} {
			t.Run(code+" "+method, func(t *testing.T) {
				t.Parallel()
				r := newRig(t).start()
				root := r.thread(general)
				m := &channels.Outbound{Conversation: at(general, root), Text: text}
				if method == "chat.update" {
					m.Edit = r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "…"})
				}
				r.fake.Inject(fakekit.Fault{Method: method, Error: code})
				id := r.mustSend(m)
				shown := r.shown(general)
				if len(shown) != 2 || shown[0]["ts"] != string(id) {
					t.Fatalf("%d messages are shown", len(shown))
				}
				n := 0
				for _, m := range shown {
					n += strings.Count(m["text"].(string), "A *bold* line &amp; &lt;more&gt;.")
					if len(m["text"].(string)) > 4000 || m["thread_ts"] != root {
						t.Errorf("a message of %d bytes in thread %v", len(m["text"].(string)), m["thread_ts"])
					}
				}
				if n != 150 {
					t.Errorf("%d of 150 lines are shown", n)
				}
			})
		}
	}
}

func TestFailedSendsAreClassified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fakekit.Fault
		want  channels.Error
	}{
		"asked to wait":      {fakekit.Fault{RetryAfter: fakekit.Duration(3 * time.Second)}, channels.Error{NotTaken: true, RetryAfter: 3 * time.Second}},
		"limited in words":   {fakekit.Fault{Error: "ratelimited"}, channels.Error{NotTaken: true, RetryAfter: 10 * time.Second}},
		"500":                {fakekit.Fault{Status: 500}, channels.Error{}},
		"502":                {fakekit.Fault{Status: 502}, channels.Error{}},
		"503":                {fakekit.Fault{Status: 503}, channels.Error{NotTaken: true}},
		"a bad moment":       {fakekit.Fault{Error: "internal_error"}, channels.Error{}},
		"answer lost":        {fakekit.Fault{DropResponse: true}, channels.Error{}},
		"revoked":            {fakekit.Fault{Error: "token_revoked"}, channels.Error{NotTaken: true}},
		"not a member":       {fakekit.Fault{Error: "not_in_channel"}, channels.Error{NotTaken: true, Terminal: true, Gone: true}},
		"archived":           {fakekit.Fault{Error: "is_archived"}, channels.Error{NotTaken: true, Terminal: true, Gone: true}},
		"channel gone":       {fakekit.Fault{Error: "channel_not_found"}, channels.Error{NotTaken: true, Terminal: true, Gone: true}},
		"thread locked":      {fakekit.Fault{Error: "restricted_action_thread_locked"}, channels.Error{NotTaken: true, Terminal: true, Gone: true}},
		"this message alone": {fakekit.Fault{Error: "no_text"}, channels.Error{NotTaken: true, Terminal: true}},
		"a missing scope":    {fakekit.Fault{Error: "missing_scope"}, channels.Error{NotTaken: true, Terminal: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t).start()
			c.fault.Method = "chat.postMessage"
			r.fake.Inject(c.fault)
			_, err := r.send(&channels.Outbound{Conversation: at(general, ""), Text: "hi"})
			e := refusal(t, err)
			got := channels.Error{NotTaken: e.NotTaken, Terminal: e.Terminal, Gone: e.Gone, RetryAfter: e.RetryAfter}
			if got != c.want {
				t.Errorf("got %+v, want %+v: %v", got, c.want, err)
			}
		})
	}
}

func TestUnreachableServerTookNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": "http://127.0.0.1:1"})
	if e := refusal(t, second(r.send(&channels.Outbound{Conversation: at(general, ""), Text: "hi"}))); !e.NotTaken || e.Terminal {
		t.Errorf("got %+v", e)
	}
	for name, m := range map[string]*channels.Outbound{
		"no chat":    {Conversation: at("", ""), Text: "x"},
		"no thread":  {Conversation: at(general, "7"), Text: "x"},
		"nothing":    {Conversation: at(general, "")},
		"no token":   {Conversation: at(general, ""), Text: "x", Buttons: [][]channels.Button{{{Text: "b"}}}},
		"long token": {Conversation: at(general, ""), Text: "x", Buttons: [][]channels.Button{{{Text: "b", Token: strings.Repeat("X", 61)}}}},
		"no options": {Conversation: at(general, ""), Text: "x", Buttons: [][]channels.Button{{{Text: "b", Options: []channels.Option{{Text: "o"}}}}}},
		"for one":    {Conversation: at(general, ""), To: bob, Text: "x", Buttons: [][]channels.Button{{{Text: "b"}}}},
	} {
		if e := refusal(t, second(r.send(m))); !e.Terminal || !e.NotTaken {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func second(_ channels.MessageID, err error) error { return err }

func TestNothingIsCalledInAChatThatMustWait(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", Chat: general, RetryAfter: fakekit.Duration(time.Minute)})
	m := &channels.Outbound{Conversation: at(general, ""), Text: "hi"}
	for range 3 {
		if e := refusal(t, second(r.send(m))); e.RetryAfter <= 0 || !e.NotTaken {
			t.Errorf("got %+v", e)
		}
	}
	if err := r.ch.(channels.Marker).MarkSeen(r.Context(), at(general, ""), "1700000000.000001"); err != nil {
		t.Error(err)
	}
	if n := len(r.fake.Calls("chat.postMessage")) + len(r.fake.Calls("reactions.add")); n != 1 {
		t.Errorf("%d calls", n)
	}
	r.mustSend(&channels.Outbound{Conversation: at(other, ""), Text: "hi"})
}

func TestAttemptGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.thread(general)
	text := strings.Repeat("some words and more\n\n", 1500)
	var delivered []int
	m := &channels.Outbound{Key: "k", Conversation: at(general, root), Text: text}
	m.Attempt.Delivered = func(_ context.Context, parts int) error {
		delivered = append(delivered, parts)
		return nil
	}
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", After: 1, DropResponse: true})
	if e := refusal(t, second(r.send(m))); e.NotTaken {
		t.Errorf("got %+v", e)
	}
	m.Attempt.Parts, m.Attempt.Unsure = delivered[0], true
	r.mustSend(m)
	if n := len(r.shown(general)); n != 3 {
		t.Errorf("%d messages, want 3: what was shown is found by its key", n)
	}
	if diff := cmp.Diff([]int{1, 2}, delivered); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
}

func TestUnsureMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first fakekit.Fault
		look  *fakekit.Fault
		shown int
		fails bool
	}{
		"it was shown":          {fakekit.Fault{DropResponse: true}, nil, 1, false},
		"it was not shown":      {fakekit.Fault{Drop: true}, nil, 1, false},
		"the bot may not look":  {fakekit.Fault{DropResponse: true}, &fakekit.Fault{Error: "missing_scope"}, 2, false},
		"Slack has a bad time":  {fakekit.Fault{DropResponse: true}, &fakekit.Fault{Status: 500}, 1, true},
		"Slack asks for a wait": {fakekit.Fault{DropResponse: true}, &fakekit.Fault{RetryAfter: fakekit.Duration(time.Second)}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t).start()
			m := &channels.Outbound{Key: "k", Conversation: at(general, ""), Text: "once"}
			c.first.Method = "chat.postMessage"
			r.fake.Inject(c.first)
			if e := refusal(t, second(r.send(m))); e.NotTaken {
				t.Errorf("got %+v", e)
			}
			if c.look != nil {
				c.look.Method = "conversations.history"
				r.fake.Inject(*c.look)
			}
			m.Attempt.Unsure = true
			id, err := r.send(m)
			if c.fails {
				if e := refusal(t, err); e.NotTaken || e.Terminal {
					t.Errorf("got %+v", e)
				}
			} else if err != nil || id == "" {
				t.Errorf("got %q, %v", id, err)
			}
			if n := len(r.shown(general)); n != c.shown {
				t.Errorf("%d messages, want %d", n, c.shown)
			}
		})
	}
}

func TestUnkeptDeliveryStops(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	m := &channels.Outbound{Conversation: at(general, ""), Text: strings.Repeat("word ", 5000)}
	m.Attempt.Delivered = func(context.Context, int) error { return errors.New("no database") }
	if e := refusal(t, second(r.send(m))); !e.NotTaken || e.Terminal {
		t.Errorf("got %+v", e)
	}
	if n := len(r.shown(general)); n != 1 {
		t.Errorf("%d messages", n)
	}
}
