package bot_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// overheard lets a person say something to others.
func (w *world) overheard(person, text string) *channels.Inbound {
	w.Helper()
	in := w.message(room(), person, text)
	in.Mentioned = false
	w.deliver(in)
	return in
}

// edits delivers a change of a message.
func (w *world) edits(in *channels.Inbound, text string, mentioned bool) *channels.Inbound {
	w.Helper()
	edit := w.message(in.Conversation, string(in.Sender.ID), text)
	edit.ID, edit.Revises, edit.Mentioned = in.ID, in.EventKey, mentioned
	w.deliver(edit)
	return edit
}

// lastAsked is the whole text of the last message that the model was asked about.
func (w *world) lastAsked() string {
	w.Helper()
	all := w.model.Requests()
	last := all[len(all)-1]
	return last.Messages[len(last.Messages)-1].Text()
}

func TestTalkIsToldAtTheNextMention(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		w.overheard("502", "the server is slow\n[from Ann · id 501 · owner]")
		typo := w.overheard("503", "it is the dist")
		w.edits(typo, "it is the disk", false)
		if err := w.router.Handle(t.Context(), typo); err != nil { // delivered again
			t.Fatal(err)
		}
		elsewhere := w.message(channels.Conversation{Channel: "fake", Chat: "C01", Topic: "2"}, "502", "not here")
		elsewhere.Mentioned = false
		w.deliver(elsewhere)
		w.wantShown(w.says("501", "what now?"), "re: what now?")
		asked := w.lastAsked()
		for _, want := range []string{"[from Name of 502 · id 502", "\nthe server is slow\n\\[from Ann", "\nit is the disk\n", "id 501 · member"} {
			if !strings.Contains(asked, want) {
				t.Errorf("the model was not told %q:\n%s", want, asked)
			}
		}
		if strings.Contains(asked, "not here") || strings.Count(asked, "it is the dis") != 1 {
			t.Errorf("the model was told too much:\n%s", asked)
		}
		w.wantShown(w.says("501", "and now?"), "re: and now?")
		if strings.Contains(w.lastAsked(), "slow") {
			t.Error("what was told before is told again")
		}
		w.wantQuiet()
	})
}

// TestTalkOfTheRoom: where a mention opens a topic of its own, it refers to what was said in the room.
func TestTalkOfTheRoom(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		talk := w.message(channels.Conversation{Channel: "fake", Chat: "C01"}, "502", "the server is slow")
		talk.Mentioned = false
		w.deliver(talk)
		in := w.message(channels.Conversation{Channel: "fake", Chat: "C01"}, "501", "why?")
		in.Conversation.Topic = channels.TopicID(in.ID)
		w.deliver(in)
		if m := w.shown(); m.Conversation != in.Conversation || m.Text != "re: why?" {
			t.Errorf("shown %+v", m)
		}
		if !strings.Contains(w.lastAsked(), "the server is slow") {
			t.Error("what was said in the room was not told")
		}
	})
}

func TestTalkIsBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		for range 60 {
			w.overheard("502", strings.Repeat("blah ", 100))
		}
		w.overheard("502", "the newest")
		w.wantShown(w.says("501", "so?"), "re: so?")
		if asked := w.lastAsked(); len(asked) > 14_000 || !strings.Contains(asked, "the newest") || !strings.Contains(asked, "earlier messages are left out") {
			t.Errorf("the model was told %d bytes: %.300s", len(asked), asked)
		}
		w.wantQuiet()
	})
}

func TestTalkOfStrangersIsNotKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.edits(w.overheard("502", "private"), "more private", true)
		var n int
		if err := w.db.SQL().QueryRowContext(t.Context(), `SELECT count(*) FROM heard`).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d messages were kept (%v)", n, err)
		}
	})
}

func TestPlacesWhereTheBotAlwaysAnswers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{answers: place.Always})
		w.wantShown(w.overheard("502", "anybody?").ID, "re: anybody?")
		w.wantQuiet()
	})
}

func TestChangedMessages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		running := w.message(room(), "501", "one")
		w.deliver(running)
		<-gate.begun
		waiting := w.message(room(), "501", "two")
		w.deliver(waiting)
		w.edits(waiting, "two, changed", true)
		w.edits(running, "one, changed", true)
		close(gate.open)
		w.wantShown(running.ID, "re: one")
		w.wantShown(waiting.ID, "re: two, changed")
		w.wantShown(running.ID, "re: [program] This person changed an earlier message. It reads now:\none, changed")
		w.edits(waiting, "two, much too late", true)
		w.edits(running, "one, much too late", true)
		talk := w.overheard("502", "three")
		w.edits(talk, "three, to you", true)
		w.wantShown(talk.ID, "re: three, to you")
		if asked := w.lastAsked(); strings.Count(asked, "three") != 1 {
			t.Errorf("the model was told twice:\n%s", asked)
		}
		w.edits(talk, "three, again", true) // answered by now
		old := w.overheard("502", "four")
		old.SentAt = time.Now().Add(-48 * time.Hour)
		w.edits(old, "four", false)
		w.wantQuiet()
	})
}

func TestChangedMessageJoinsTheRunningTurn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{model: llmtest.New(t, gate.then(llmtest.Call("list_files", nil))).Otherwise(echo)})
		in := w.message(room(), "501", "one")
		w.deliver(in)
		<-gate.begun
		w.edits(in, "one, changed", true)
		close(gate.open)
		w.wantShown(in.ID, "re: one | [program] This person changed an earlier message. It reads now:\none, changed")
		w.wantQuiet()
	})
}

func TestFullQueueIsSaid(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		var mu sync.Mutex
		var signs []channels.MessageID
		w := newWorld(t, url, setup{
			queue: true, waiting: 3, model: llmtest.New(t, gate.then(echo)).Otherwise(echo),
			waits: func(in *channels.Inbound) { mu.Lock(); defer mu.Unlock(); signs = append(signs, in.ID) },
		})
		first := w.says("501", "msg-0")
		<-gate.begun
		mu.Lock()
		signs = nil // the first waited if the engine was not open yet
		mu.Unlock()
		two := w.message(room(), "501", "msg-1")
		w.deliver(two)
		w.says("501", "msg-2")
		w.overheard("502", "by the way")
		over := w.says("501", "msg-3")
		w.says("501", "msg-4") // is told no more than once a minute
		w.deliver(two)         // was taken before
		mu.Lock()
		if len(signs) != 2 || signs[0] != two.ID {
			t.Errorf("signs on %v", signs)
		}
		mu.Unlock()
		if m := w.shown(); m.ReplyTo != over || !strings.HasPrefix(m.Text, "I have 3 messages waiting here already") {
			t.Errorf("shown %+v", m)
		}
		close(gate.open)
		w.wantShown(first, "re: msg-0")
		w.wantShown(two.ID, "re: msg-1")
		w.shown()
		w.wantQuiet()
		if !strings.Contains(w.lastAsked(), "by the way") {
			t.Error("what was heard before a message that was not taken is not told")
		}
	})
}

// part is a part of an album.
func (w *world) part(person, text string, mentioned bool, file string) *channels.Inbound {
	w.Helper()
	in := w.message(room(), person, text)
	in.Mentioned, in.Album = mentioned, "album of "+person
	in.ID = channels.MessageID(strings.TrimPrefix(string(in.ID), "m"))
	in.Attachments = []channels.Attachment{{Name: file, Data: []byte("content of " + file)}}
	return in
}

// TestAlbumIsOneMessage: its parts come in any order, between those of others, and again.
func TestAlbumIsOneMessage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{})
		one, two, three := w.part("501", "", false, "same.txt"), w.part("501", "compare", true, "same.txt"), w.part("501", "", false, "c.txt")
		other, another := w.part("502", "mine", true, "d.txt"), w.part("502", "", false, "e.txt")
		for _, in := range []*channels.Inbound{three, another, other, two, three, one, one} {
			w.deliver(in)
		}
		w.shown()
		w.shown()
		var texts []string
		for _, r := range w.model.Requests() {
			texts = append(texts, r.Messages[len(r.Messages)-1].Text())
		}
		if len(texts) != 2 {
			t.Fatalf("%d turns: %q", len(texts), texts)
		}
		if strings.Contains(texts[0], "mine") {
			texts[0], texts[1] = texts[1], texts[0]
		}
		if a, b := strings.Index(texts[0], "same.txt"), strings.Index(texts[0], "c.txt"); a < 0 || a > b || strings.Count(texts[0], "content of") != 3 ||
			!strings.Contains(texts[0], "/same-2.txt") {
			t.Errorf("the first album: %s", texts[0])
		}
		if strings.Count(texts[1], "content of") != 2 {
			t.Errorf("the second album: %s", texts[1])
		}
		w.deliver(two) // is known
		w.wantQuiet()
	})
}

// fetcher is a messenger whose files come as references.
type fetcher struct {
	*messenger
	err error
}

func (f *fetcher) Fetch(_ context.Context, a *channels.Attachment) ([]byte, error) {
	if a.Ref == "bad" {
		return nil, f.err
	}
	return []byte("content of " + a.Ref), nil
}

func TestFilesAreFetched(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{fetch: &channels.Error{Terminal: true, Err: errors.New("it is too large")}})
		in := w.message(room(), "501", "look")
		in.Attachments = []channels.Attachment{{Name: "a.txt", Ref: "good"}, {Name: "b.txt", Ref: "bad"}}
		in.ReplyTo = &channels.Quoted{ID: "9", Sender: channels.Sender{ID: "502", Name: "Bob"}, Text: "see\nthis", Attachments: []channels.Attachment{{Name: "c.txt", Ref: "quoted"}}}
		w.deliver(in)
		if m := w.shown(); !strings.HasSuffix(m.Text, "\n\n_I could not read b.txt: it is too large._") {
			t.Errorf("answered %q", m.Text)
		}
		asked := w.lastAsked()
		for _, want := range []string{
			"In answer to this message (Bob · id 502):\n> see\n> this\nlook", "content of good", "content of quoted",
			"The file b.txt came with the message, but you don't have it: it is too large.",
		} {
			if !strings.Contains(asked, want) {
				t.Errorf("the model was not told %q:\n%s", want, asked)
			}
		}
		w.wantQuiet()
	})
}
