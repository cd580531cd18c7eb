package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func TestChatsMove(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		sessions, chats, talk := store.NewSessions(db), store.NewChats(db), store.NewTalk(db)
		at := func(chat channels.ChatID) channels.Conversation {
			return channels.Conversation{Channel: "tg", Chat: chat}
		}
		current := func(c channels.Conversation) string {
			id, err := sessions.Current(t.Context(), "acme", "lead", c, "")
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		old, other := current(at("-5")), current(channels.Conversation{Channel: "tg-2", Chat: "-5"})
		hasty := current(at("-1005")) // a message under the new id came before the news of it
		heard := &channels.Inbound{EventKey: "h", Conversation: at("-5"), Text: "by the way", SentAt: time.Now()}
		if err := talk.Hear(t.Context(), "acme", heard); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := chats.Move(t.Context(), "tg", "-5", "-1005"); err != nil {
				t.Fatal(err)
			}
			if got := current(at("-1005")); got != old {
				t.Errorf("the new chat has session %s, want %s (%s was begun there)", got, old, hasty)
			}
		}
		if got := current(channels.Conversation{Channel: "tg-2", Chat: "-5"}); got != other {
			t.Error("the chat of another account moved too")
		}
		b := &bench{t, db, store.NewInbox(db, "tg"), nil, old}
		it := b.item("m")
		it.Message.Conversation = at("-1005")
		if _, _, err := b.inbox.Accept(t.Context(), it, "", 100); err != nil || len(it.Heard) != 1 {
			t.Errorf("heard %v, %v", it.Heard, err)
		}
	})
}

func TestPreviewsAreKeptForTheNextAttempt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.accept("one", "me")
		if err := b.inbox.Previewed(t.Context(), l, "77"); err != nil {
			t.Fatal(err)
		}
		it, err := b.inbox.Item(t.Context(), b.session, 1)
		if err != nil || it.Preview != "77" {
			t.Errorf("preview %q, %v", it.Preview, err)
		}
		l.Fence--
		if err := b.inbox.Previewed(t.Context(), l, "78"); !errors.Is(err, lane.ErrFenced) {
			t.Errorf("an old owner: %v", err)
		}
	})
}

func TestDeliveredPartsAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l, err := b.out.Post(t.Context(), "acme", "", []channels.Outbound{{Key: "k", Conversation: room, Text: "long"}}, "me")
		if err != nil || l == nil {
			t.Fatalf("%v, %v", l, err)
		}
		r, err := b.out.Begin(t.Context(), l)
		if err != nil || r.Parts != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		if err := b.out.Delivered(t.Context(), l, r, 2); err != nil {
			t.Fatal(err)
		}
		if err := b.out.Defer(t.Context(), l, r, true, "connection reset"); err != nil {
			t.Fatal(err)
		}
		if r, err = b.out.Begin(t.Context(), l); err != nil || r.Parts != 2 || !r.Unsure {
			t.Errorf("%+v, %v", r, err)
		}
		l.Fence--
		if err := b.out.Delivered(t.Context(), l, r, 3); !errors.Is(err, lane.ErrFenced) {
			t.Errorf("an old owner: %v", err)
		}
	})
}

func TestFatesOfChangedMessages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		n := 0
		change := func(event, text string) *channels.Inbound {
			n++
			return &channels.Inbound{
				ID: channels.MessageID(event), EventKey: fmt.Sprint("e:", n), Revises: event, Conversation: room, Text: text,
			}
		}
		revise := func(event, text string) inbox.Fate {
			t.Helper()
			fate, err := b.inbox.Revise(t.Context(), change(event, text))
			if err != nil {
				t.Fatal(err)
			}
			return fate
		}
		want := func(event string, want inbox.Fate) {
			t.Helper()
			if got := revise(event, fmt.Sprint("changed ", n)); got != want {
				t.Errorf("the message %q is %s, want %s", event, got, want)
			}
		}
		b.accept("zero", "") // nobody works it yet
		want("zero", inbox.Waiting)
		l := b.claim("me")
		if it, err := b.inbox.Item(t.Context(), b.session, 1); err != nil || it.Message.Text != "changed 0" {
			t.Errorf("the message is %+v, %v", it, err)
		}
		b.accept("one", "")
		b.accept("two", "")
		taken := []session.Entry{{Turn: 1, Source: 2, Kind: session.KindMessage, Message: llm.UserText("one")}}
		if err := b.inbox.Log(*l).Append(t.Context(), taken); err != nil {
			t.Fatal(err)
		}
		want("zero", inbox.Running)
		want("one", inbox.Running) // taken in by the turn
		want("two", inbox.Waiting)
		want("never", inbox.Unknown)
		if got := revise("two", "changed 3"); got != inbox.Done {
			t.Errorf("a change that changes nothing is %s", got)
		}
		again := b.item("one's change") // was accepted, because the message runs
		again.Message = *change("one", "once more")
		if _, _, err := b.inbox.Accept(t.Context(), again, "", 100); err != nil {
			t.Fatal(err)
		}
		want("one", inbox.Waiting)
		if it, err := b.inbox.Item(t.Context(), b.session, 4); err != nil || !strings.HasPrefix(it.Message.Text, "changed") {
			t.Errorf("the change that waits is %+v, %v", it, err)
		}
		if _, err := b.inbox.Finish(t.Context(), l, &inbox.End{Through: 2, Outcome: inbox.Answered}, ""); err != nil {
			t.Fatal(err)
		}
		want("zero", inbox.Done)
	})
}

// TestAlbumsWait: an album is not begun before its parts had time to come, and a part that is too late is a message of
// its own.
func TestAlbumsWait(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		part := func(event string) *inbox.Item {
			it := b.item(event)
			it.Message.ID, it.Message.Album = channels.MessageID(event), "a"
			it.Message.Attachments = []channels.Attachment{{Name: event}}
			return it
		}
		accept := func(event string) (known bool) {
			t.Helper()
			l, known, err := b.inbox.Accept(t.Context(), part(event), "me", 100)
			if l != nil || err != nil {
				t.Fatalf("accept %s: %v, %v", event, l, err)
			}
			return known
		}
		if accept("2") || !accept("1") || !accept("3") || !accept("2") {
			t.Error("only the first part is a message of its own")
		}
		names := func(it *inbox.Item) (names []string) {
			for _, a := range it.Message.Attachments {
				names = append(names, a.Name)
			}
			return names
		}
		var it *inbox.Item
		var err error
		for waits := 0; ; waits++ {
			if it, err = b.inbox.Item(t.Context(), b.session, 1); err == nil {
				if waits == 0 {
					t.Error("the album was begun at once")
				}
				break
			}
			if _, later := errors.AsType[*lane.Later](err); !later {
				t.Fatal(err)
			}
		}
		if !slices.Equal(names(it), []string{"1", "2", "3"}) {
			t.Errorf("files %v", names(it))
		}
		if accept("4") || !accept("3") {
			t.Error("the late part is no message of its own, or a known part is")
		}
		if fate, err := b.inbox.Revise(t.Context(), &channels.Inbound{Revises: "3", Album: "a", Conversation: room}); fate != inbox.Waiting || err != nil {
			t.Errorf("a change of a part: %s, %v", fate, err)
		}
	})
}
