package discord_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

const laidOut = 1 << 15

// flags are those of a message.
func flags(m fakekit.Object) int {
	n, _ := m["flags"].(int)
	return n
}

func card() *channels.Outbound {
	m := out("")
	m.Card = &channels.Card{
		Title: "#42 Fix *login*", Body: "Some **body**", Tone: channels.Warning,
		Fields: []channels.Field{{Name: "Status", Value: "`open`"}, {Name: "Owner", Value: "Ann"}},
	}
	m.Buttons = [][]channels.Button{{{Text: "Take", Token: channeltest.Token(1)}}}
	return m
}

func TestCards(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := card()
	id := r.mustSend(m)
	got := r.find(roomID, id)
	want := []string{"⚠️ **#42 Fix \\*login\\***\n\nSome **body**", "**Status** `open`\n**Owner** Ann"}
	if diff := cmp.Diff(want, displayed(got["components"])); diff != "" || flags(got) != laidOut {
		t.Errorf("with flags %d (-want +got):\n%s", flags(got), diff)
	}
	if n := len(ids(got)); n != 1 {
		t.Errorf("%d buttons", n)
	}
	m.Edit, m.Key = id, "k2"
	m.Card.Tone, m.Card.Fields = channels.Good, nil
	r.mustSend(m)
	if got := displayed(r.find(roomID, id)["components"]); len(got) != 1 || !strings.HasPrefix(got[0], "✅") {
		t.Errorf("the card says %q", got)
	}
}

func TestTextsTakeThePlaceOfCards(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := card()
	id := r.mustSend(m)
	over := out("it is **over**")
	over.Edit, over.Key, over.Buttons = id, "k2", m.Buttons
	for range 2 {
		if got := r.mustSend(over); got != id {
			t.Errorf("the text is in %s", got)
		}
	}
	got := r.find(roomID, id)
	if diff := cmp.Diff([]string{"it is **over**"}, displayed(got["components"])); diff != "" || len(ids(got)) != 1 {
		t.Errorf("%d buttons (-want +got):\n%s", len(ids(got)), diff)
	}
	// And the other way round.
	plain := r.mustSend(&channels.Outbound{Key: "k3", Conversation: at(roomID, ""), Text: "working"})
	m.Edit, m.Key = plain, "k4"
	if got := r.mustSend(m); got != plain {
		t.Errorf("the card is in %s", got)
	}
	if got := r.find(roomID, plain); flags(got) != laidOut || got["content"] != "" || len(displayed(got["components"])) != 2 {
		t.Errorf("it shows %v", got)
	}
}

func TestTextsThatCannotTakeThePlaceOfCards(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	id := r.mustSend(card())
	r.fake.HandleFunc(edits, func(fakekit.Call) (any, error) {
		return nil, &discordfake.Error{Status: 400, Code: 50035, Message: "Invalid Form Body"}
	})
	over := out("over")
	over.Edit, over.Key = id, "k2"
	if got := r.mustSend(over); got == id {
		t.Error("it was changed")
	}
	if got := r.shown(roomID); got[len(got)-1] != "over" {
		t.Errorf("shown %q", got)
	}
}

func TestCardsThatDoNotFitAreTexts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := card()
	m.Card.Fields[0].Value = strings.Repeat("long ", 780)
	if got := r.find(roomID, r.mustSend(m)); flags(got) != laidOut {
		t.Errorf("flags %d", flags(got))
	}
	m.Key, m.Card.Fields[0].Value = "k2", strings.Repeat("long ", 850)
	if got := r.find(roomID, r.mustSend(m)); flags(got) != 0 || !strings.Contains(fakekit.Text(got["content"]), "Fix \\*login") {
		t.Errorf("it shows %v", got)
	}
}

func TestCardsWithFilesAndNotes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	m := card()
	m.Attachments = []channels.Attachment{{Name: "a.txt", Data: []byte("x")}, {Name: "empty.txt"}}
	got := r.find(roomID, r.mustSend(m))
	if texts := displayed(got["components"]); len(texts) != 3 || !strings.Contains(texts[2], "`empty.txt` is empty") || len(ids(got)) != 1 {
		t.Errorf("it says %q", texts)
	}
	calls := r.fake.Calls(posts)
	if len(calls) != 2 || len(calls[0].Files) != 0 || len(calls[1].Files) != 1 || calls[1].Has("components") {
		t.Errorf("%d calls", len(calls))
	}
}

func TestRefusedCardsAreTexts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	refuse := func(method string, id channels.MessageID) {
		r.fake.HandleFunc(method, func(c fakekit.Call) (any, error) {
			if strings.Contains(string(mustJSON(t, c.Params["components"])), `"type":17`) {
				return nil, &discordfake.Error{Status: 400, Code: 50035, Message: "Invalid Form Body"}
			}
			return fakekit.Object{"id": string(id)}, nil
		})
	}
	id := r.mustSend(out("x"))
	refuse(posts, "1")
	m := card()
	m.Key = "k2"
	r.mustSend(m)
	calls := r.fake.Calls(posts)
	last := calls[len(calls)-1]
	if text := last.String("content"); !strings.Contains(text, "Fix \\*login") || !strings.Contains(text, "Owner: Ann") || last.Has("flags") {
		t.Errorf("the text is %q, with flags %v", text, last.Params["flags"])
	}
	// What is too long for a text is a file beside it, of a changed message too.
	refuse(edits, id)
	m.Key, m.Edit, m.Card.Body = "k3", id, strings.Repeat("word ", 700)+"END"
	r.mustSend(m)
	calls = r.fake.Calls(edits)
	if last := calls[len(calls)-1]; len(last.Files) != 1 || !strings.Contains(string(last.Files[0].Data), "END") {
		t.Errorf("the rest of the card is nowhere: %d characters", len(last.String("content")))
	}
}
