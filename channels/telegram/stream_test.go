package telegram_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func show(t *testing.T, st channels.Stream, d channels.Draft) {
	t.Helper()
	_ = st.Show(t.Context(), d)
}

func TestDraftsInPrivateChats(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	st, err := r.ch.(channels.Streamer).Stream(t.Context(), channels.Preview{Conversation: at(ann, ""), ReplyTo: "4"})
	if err != nil {
		t.Fatal(err)
	}
	show(t, st, channels.Draft{Text: "**so"})
	show(t, st, channels.Draft{Text: "**so far** ```go\nx", Step: "reading a file"})
	id, err := st.Close(t.Context())
	if id != "" || err != nil {
		t.Errorf("closed with %q, %v: a draft can't be edited", id, err)
	}
	calls := r.fake.Calls("sendMessageDraft")
	if len(calls) != 2 || calls[0].String("draft_id") != calls[1].String("draft_id") || calls[0].Int("draft_id") == 0 {
		t.Fatalf("%d drafts", len(calls))
	}
	if text := calls[1].String("text"); !strings.Contains(text, "<b>so far</b>") || !strings.Contains(text, "reading a file") {
		t.Errorf("shown %q", text)
	}
}

func TestOldServersWithoutDrafts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	r.fake.Inject(fakekit.Fault{Method: "sendMessageDraft", Status: 404, Error: "Not Found: method not found"})
	st, err := r.ch.(channels.Streamer).Stream(t.Context(), channels.Preview{Conversation: at(ann, "")})
	if err != nil {
		t.Fatal(err)
	}
	show(t, st, channels.Draft{Text: "one"})
	show(t, st, channels.Draft{Text: "two"})
	if id, err := st.Close(t.Context()); id == "" || err != nil {
		t.Errorf("closed with %q, %v", id, err)
	}
	if want := []string{"sendMessageDraft", "sendMessage"}; !slices.Equal(r.methods(), want) {
		t.Errorf("called %v", r.methods())
	}
}

func TestPreviewsInGroups(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	var posted []channels.MessageID
	p := channels.Preview{
		Conversation: topic("7"), ReplyTo: "4",
		Posted:  func(_ context.Context, id channels.MessageID) error { posted = append(posted, id); return nil },
		Buttons: [][]channels.Button{{{Text: "Stop", Token: channeltest.Token(1), Command: channels.Command{Name: "stop"}}}},
	}
	st, err := r.ch.(channels.Streamer).Stream(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	show(t, st, channels.Draft{Step: "reading a file"})
	show(t, st, channels.Draft{Step: "reading a file"}) // the same is not shown twice
	show(t, st, channels.Draft{Text: strings.Repeat("word ", 3000)})
	id, err := st.Close(t.Context())
	if err != nil || !slices.Equal(posted, []channels.MessageID{id}) {
		t.Errorf("closed with %q, %v; posted %v", id, err, posted)
	}
	if want := []string{"sendMessage", "editMessageText"}; !slices.Equal(r.methods(), want) {
		t.Errorf("called %v", r.methods())
	}
	if c := r.fake.Calls("sendMessage")[0]; !c.Has("reply_markup") || !c.Has("reply_parameters") {
		t.Errorf("posted %v", c.Params)
	}
	// An attempt after a crash goes on in the same message.
	p.Message = id
	if st, err = r.ch.(channels.Streamer).Stream(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	show(t, st, channels.Draft{Text: "once more"})
	if got, err := st.Close(t.Context()); got != id || err != nil {
		t.Errorf("closed with %q, %v", got, err)
	}
	// One that a person deleted is not edited again.
	r.fake.Inject(fakekit.Fault{Method: "editMessageText", Error: "Bad Request: message to edit not found"})
	if st, err = r.ch.(channels.Streamer).Stream(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	show(t, st, channels.Draft{Text: "and again"})
	if got, err := st.Close(t.Context()); got != "" || err != nil {
		t.Errorf("closed with %q, %v", got, err)
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.fake.Inject(fakekit.Fault{Method: "setMessageReaction", After: 1, Error: "Bad Request: REACTION_INVALID"})
	id := r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "x"})
	mark := func() {
		if err := r.ch.(channels.Marker).MarkSeen(t.Context(), topic("7"), id); err != nil {
			t.Error(err)
		}
	}
	mark()
	mark()
	if len(r.fake.Calls("setMessageReaction")) != 2 || len(r.fake.Calls("sendChatAction")) != 1 {
		t.Error("where reactions are not allowed, the typing sign is shown")
	}
}

// TestPreviewsAreKeptAtTheEnd: a preview whose turn ends while it is posted is known all the same.
func TestPreviewsAreKeptAtTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	ctx, end := context.WithCancel(t.Context())
	r.fake.HandleFunc("sendMessage", func(fakekit.Call) (any, error) {
		end()
		return fakekit.Object{"message_id": 77}, nil
	})
	var kept channels.MessageID
	st, err := r.ch.(channels.Streamer).Stream(ctx, channels.Preview{Conversation: topic("7"), Posted: func(ctx context.Context, id channels.MessageID) error {
		kept = id
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Show(ctx, channels.Draft{Text: "x"}); err != nil || kept != "77" {
		t.Errorf("kept %q, %v", kept, err)
	}
}
