package discord_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/discord"
)

const (
	register  = "PUT /applications/{application_id}/commands"
	changed   = "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original"
	readAgain = "GET /webhooks/{webhook_id}/{webhook_token}/messages/@original"
	followups = "POST /webhooks/{webhook_id}/{webhook_token}"
)

// commands is a rig whose commands are known to Discord.
func commands(t *testing.T, opts ...discordfake.Option) *rig {
	t.Helper()
	r := newRig(t, opts...).start(nil)
	r.fake.Wait(register)
	return r
}

// gives lets Ann give a command, and is what the program is handed.
func (r *rig) gives(channel, name, text string) *channels.Inbound {
	r.Helper()
	r.command(channel, name, text)
	in := r.next()
	if in.Via == "" {
		r.Error("it can't be answered")
	}
	return in
}

func (r *rig) command(channel, name, text string) string {
	r.Helper()
	sub := fakekit.Object{"name": name, "type": 1}
	if text != "" {
		sub["options"] = []any{fakekit.Object{"name": "text", "type": 3, "value": text}}
	}
	id, err := r.fake.UseCommand(discordfake.Command{ChannelID: channel, User: ann(), Name: "lead", Options: []fakekit.Object{sub}})
	r.fake.Must(err)
	return id
}

// answer is a message that answers in.
func answer(in *channels.Inbound, key, text string) *channels.Outbound {
	return &channels.Outbound{Key: key, Conversation: in.Conversation, ReplyTo: in.ID, Via: in.Via, Text: text}
}

func (r *rig) wantShown(channel string, want ...string) {
	r.Helper()
	if diff := cmp.Diff(want, r.shown(channel)); diff != "" {
		r.Errorf("shown (-want +got):\n%s", diff)
	}
}

// wantPrivate checks what only Ann sees.
func (r *rig) wantPrivate(channel string, want ...string) {
	r.Helper()
	var got []string
	for _, m := range r.fake.Private(channel, annID) {
		got = append(got, readable(m))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("shown to Ann (-want +got):\n%s", diff)
	}
}

func TestAnswersTakeThePlaceOfTheFirstWord(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(threadID, "ask", "why is it red?")
	r.wantShown(threadID, "On it.")
	first := r.fake.Messages(threadID)[0]["id"]
	// The answer to the request gets lost; it may be made again.
	r.fake.Inject(fakekit.Fault{Method: changed, DropResponse: true})
	m := answer(in, "k", "Because.\n\n"+strings.Repeat("word ", 500))
	_, err := r.send(m)
	if e := refusal(t, err); e.NotTaken || e.Terminal {
		t.Errorf("%+v", e)
	}
	m.Attempt.Unsure = true
	if id := r.mustSend(m); string(id) != first {
		t.Errorf("the answer is message %s", id)
	}
	if got := r.shown(threadID); len(got) != 2 || !strings.HasPrefix(got[0], "Because.") {
		t.Errorf("shown %.80q", got)
	}
	// What else is said about it does not take that away.
	r.mustSend(answer(in, "k2", "And more."))
	if got := r.shown(threadID); len(got) != 3 || got[2] != "And more." {
		t.Errorf("shown %.80q", got)
	}
}

func TestLateAnswersArePosted(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]func(r *rig){
		"it is known":  func(r *rig) { discord.Expire(r.ch, -time.Second) },
		"Discord says": func(*rig) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := commands(t, discordfake.WithTokenLife(0))
			late(r)
			r.mustSend(answer(r.gives(roomID, "ask", "why?"), "k", "Because."))
			r.wantShown(roomID, "On it.", "Because.")
			private := answer(r.gives(otherID, "stop", ""), "k2", "Stopped.")
			private.To = annID
			r.mustSend(private)
			r.wantShown(otherID, "Stopped.")
		})
	}
}

func TestAnswersAfterARestart(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(roomID, "ask", "why?")
	r.make(nil)
	r.mustSend(answer(in, "k", "Because."))
	r.wantShown(roomID, "Because.")
	r.mustSend(answer(in, "k2", "And more."))
	r.make(nil)
	r.mustSend(answer(in, "k3", "And even more."))
	r.wantShown(roomID, "Because.", "And more.", "And even more.")
	if n := len(r.fake.Calls(readAgain)); n != 2 {
		t.Errorf("asked %d times what stands there", n)
	}
}

func TestAnswersToOnePerson(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(roomID, "new", "")
	r.wantPrivate(roomID, "On it.")
	private := answer(in, "k", "Only **you**.")
	private.To = annID
	r.mustSend(private)
	r.wantPrivate(roomID, "Only **you**.")
	private.Key, private.Text = "k2", "Once more."
	r.mustSend(private)
	r.wantPrivate(roomID, "Only **you**.", "Once more.")
	r.wantShown(roomID)
	// Nobody else's answer can be shown so.
	private.Key, private.To, private.Text = "k3", "502", "For Bob."
	r.mustSend(private)
	r.wantShown(roomID, "For Bob.")
	r.wantPrivate(roomID, "Only **you**.", "Once more.")
}

func TestAnswersForAllToACommandThatOnlyOneSaw(t *testing.T) {
	t.Parallel()
	r := commands(t)
	r.mustSend(answer(r.gives(roomID, "new", ""), "k", "Begun anew."))
	r.wantShown(roomID, "Begun anew.")
	r.wantPrivate(roomID)
}

func TestAnswersToOnePersonAboutWhatAllSaw(t *testing.T) {
	t.Parallel()
	r := commands(t)
	private := answer(r.gives(roomID, "ask", "why?"), "k", "Only you.")
	private.To = annID
	r.mustSend(private)
	r.wantShown(roomID)
	r.wantPrivate(roomID, "Only you.")

	in := r.gives(otherID, "ask", "why?")
	st := r.stream(channels.Preview{Conversation: in.Conversation, Via: in.Via})
	r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "So far"}))
	r.wantShown(otherID, "So far")
	id, err := st.Close(t.Context())
	r.fake.Must(err)
	private = answer(in, "k2", "Only you.")
	private.To, private.Edit = annID, id
	r.mustSend(private)
	r.wantShown(otherID)
	r.wantPrivate(otherID, "Only you.")
}

func TestAnswersWhereTheBotMayNotWrite(t *testing.T) {
	t.Parallel()
	r := commands(t)
	long := "Because.\n\n" + strings.Repeat("word ", 700)
	m := answer(r.gives(mutedID, "ask", "why?"), "k", long)
	m.Attachments = []channels.Attachment{{Name: "a.txt", Data: []byte("x")}}
	done := 0
	m.Attempt.Delivered = func(_ context.Context, n int) error { done = n; return nil }
	r.fake.Inject(fakekit.Fault{Method: followups, Status: 503})
	_, err := r.send(m)
	if e := refusal(t, err); e.Terminal || done != 1 {
		t.Fatalf("%+v after %d parts", e, done)
	}
	m.Attempt.Parts = done
	r.mustSend(m)
	got := r.shown(mutedID)
	if len(got) != 2 || strings.Join(strings.Fields(strings.Join(got, " ")), " ") != strings.Join(strings.Fields(long), " ") {
		t.Errorf("shown %d messages: %.60q", len(got), got)
	}
	// A command that only one saw is answered there.
	r.mustSend(answer(r.gives(mutedID, "new", ""), "k2", long))
	var private []string
	for _, m := range r.fake.Private(mutedID, annID) {
		private = append(private, readable(m))
	}
	if len(private) != 2 || !strings.HasPrefix(private[0], "Because.") || len(r.shown(mutedID)) != 2 {
		t.Errorf("shown to Ann %.60q", private)
	}
	if told := r.notices(); len(told) != 0 {
		t.Errorf("told %q", told)
	}
}

func TestPressesAreAnsweredWhereTheBotMayNotWrite(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(mutedID, "ask", "why?")
	m := answer(in, "k", "Go on?")
	m.Buttons = [][]channels.Button{{{Text: "Yes", Token: channeltest.Token(1)}}}
	id := r.mustSend(m)
	_, err := r.fake.PressComponent(mutedID, string(id), channeltest.Token(1), ann())
	r.fake.Must(err)
	r.mustSend(answer(r.next(), "k2", "Gone on."))
	r.wantShown(mutedID, "Go on?", "Gone on.") // the message with the button stays
}

func TestPreviewsTakeThePlaceOfTheFirstWord(t *testing.T) {
	t.Parallel()
	for _, channel := range []string{roomID, mutedID} {
		r := commands(t)
		in := r.gives(channel, "ask", "why?")
		var posted []channels.MessageID
		st := r.stream(channels.Preview{
			Conversation: in.Conversation, ReplyTo: in.ID, Via: in.Via,
			Posted: func(_ context.Context, id channels.MessageID) error { posted = append(posted, id); return nil },
		})
		r.fake.Inject(fakekit.Fault{Method: changed, DropResponse: true})
		for i := range 3 {
			if err := st.Show(t.Context(), channels.Draft{Text: fmt.Sprintf("So far %d", i)}); (err == nil) != (i > 0) {
				t.Error(err)
			}
		}
		r.wantShown(channel, "So far 2")
		id, err := st.Close(t.Context())
		if err != nil || len(posted) != 1 || posted[0] != id {
			t.Fatalf("closed with %s, %v; posted %v", id, err, posted)
		}
		final := answer(in, "k", "Because.")
		final.Edit = id
		if got := r.mustSend(final); got != id {
			t.Errorf("the answer is message %s", got)
		}
		r.wantShown(channel, "Because.")
	}
}

func TestPreviewsOutliveTheRightToAnswer(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(roomID, "ask", "why?")
	st := r.stream(channels.Preview{Conversation: in.Conversation, Via: in.Via})
	r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "So far"}))
	over := func(fakekit.Call) (any, error) {
		return nil, &discordfake.Error{Status: 401, Code: 50027, Message: "Invalid Webhook Token"}
	}
	r.fake.HandleFunc(changed, over)
	r.fake.HandleFunc("PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}", over)
	r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "Further"}))
	id, err := st.Close(t.Context())
	r.fake.Must(err)
	final := answer(in, "k", "Because.")
	final.Edit = id
	r.mustSend(final)
	r.wantShown(roomID, "Because.")
	r.mustSend(&channels.Outbound{Key: "k2", Conversation: at(otherID, ""), Text: "the bot's token works"})
}

func TestWhatCannotBeAnsweredIsPosted(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(roomID, "ask", "why?")
	for i, via := range []string{
		"", "x", "1 open 1 2 3 4 5", strings.Replace(in.Via, " "+roomID+" ", " "+otherID+" ", 1),
		strings.Replace(in.Via, "1 open", "2 open", 1), in.Via + "/../x", in.Via[:strings.LastIndex(in.Via, " ")] + " unknown",
	} {
		m := answer(in, fmt.Sprint("k", i), fmt.Sprint("answer ", i))
		m.Via = via
		r.mustSend(m)
		if got := r.shown(roomID); len(got) != i+2 || got[i+1] != m.Text {
			t.Errorf("shown %q", got)
		}
	}
}

func TestAnswersWaitWhenDiscordAsks(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(roomID, "ask", "why?")
	r.fake.Inject(fakekit.Fault{Method: changed, RetryAfter: fakekit.Duration(90 * time.Second)})
	_, err := r.send(answer(in, "k", "Because."))
	if e := refusal(t, err); e.RetryAfter != 90*time.Second || !e.NotTaken || strings.Contains(err.Error(), "interaction-token") {
		t.Errorf("%+v", e)
	}
	r.mustSend(answer(in, "k", "Because."))
	r.wantShown(roomID, "Because.")
}

func TestTokensOfInteractionsAreHidden(t *testing.T) {
	t.Parallel()
	r := commands(t)
	failed := false
	r.failing(func(in *channels.Inbound) error { // the log is looked through at the end
		if failed {
			return nil
		}
		failed = true
		return fmt.Errorf("store %+v", *in)
	})
	in := r.gives(roomID, "ask", "why?")
	r.waitFor("not stored yet")
	for _, f := range []fakekit.Fault{{Drop: true}, {DropResponse: true}, {Status: 503}, {Status: 500, Error: in.Via}} {
		f.Method = changed
		r.fake.Inject(f)
		_, err := r.send(answer(in, "k", "Because."))
		if e := refusal(t, err); e.Terminal || strings.Contains(err.Error(), "interaction-token") {
			t.Errorf("%v", err)
		}
	}
	r.mustSend(answer(in, "k", "Because."))
	r.wantShown(roomID, "Because.")
}

func TestCardsTakeThePlaceOfTheFirstWord(t *testing.T) {
	t.Parallel()
	r := commands(t)
	m := card()
	m.Via = r.gives(roomID, "ask", "what is there?").Via
	m.Attachments = []channels.Attachment{{Name: "a.txt", Data: []byte("x")}}
	id := r.mustSend(m)
	got := r.find(roomID, id)
	if n := len(r.fake.Messages(roomID)); n != 2 || flags(got) != laidOut || len(displayed(got["components"])) != 2 {
		t.Errorf("%d messages, it shows %v", n, got)
	}
}
