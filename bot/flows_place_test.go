package bot_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// lets gives a person a role.
func (w *world) lets(person string, role access.Role) {
	w.Helper()
	a := access.Account{Channel: "fake", User: channels.UserID(person)}
	if _, err := store.NewPeople(w.db).Let(w.Context(), "default", a, person, role); err != nil {
		w.Fatal(err)
	}
}

// wantSaid says something in the room and checks what the program answers.
func (w *world) wantSaid(person, text, part string) {
	w.Helper()
	w.says(person, text)
	m := w.shown()
	said := m.Text
	if m.Card != nil {
		said = m.Card.Markdown()
	}
	if !strings.Contains(said, part) || m.Conversation != room() {
		w.Fatalf("%q: shown %q, want %q", text, said, part)
	}
}

func TestPlacesAreSetFromChat(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Admin)
		w.lets("502", access.Lead)
		w.lets("503", access.Member)
		w.wantSaid("503", "topic", "Answer: mention (default)")
		w.wantSaid("503", "topic answer always", "That needs the role lead, and you are a member.")
		w.wantSaid("502", "topic answer always", "That needs the role admin, and you are a lead.")
		w.wantSaid("502", "topic answer sometimes", "none of: mention, always")
		w.wantSaid("501", "topic answer always", "the default → `always` (this topic, set by 501 on")
		unaddressed := w.overheard("503", "hello all")
		w.wantShown(unaddressed.ID, "re: hello all")
		w.wantSaid("502", "topic answer mention", "`always` (this topic, set by 501 on")
		w.overheard("503", "hello again")
		w.wantSaid("502", "topic answer mention --chat", "That needs the role admin")
		w.wantSaid("501", "topic reset answer", "→ the default.")
		w.wantSaid("501", "topic agent writter", "did you mean `writer`?")
		w.wantSaid("501", "topic agent writer --channel", "`writer` (channel fake, set by 501")
		id := w.says("503", "who are you?")
		if m := w.shown(); m.ReplyTo != id {
			t.Errorf("shown %+v", m)
		}
	})
}

// TestGuests: where everyone may talk strangers are guests, and nowhere else.
func TestGuests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Owner)
		w.wantSaid("501", "topic who everyone", "`everyone`")
		w.wantShown(w.says("900", "may I?"), "re: may I?")
		w.wantSaid("900", "new", "That needs the role member, and you are a guest.")
		other := room()
		other.Topic = "1800.0001"
		w.deliver(w.message(other, "900", "and here?"))
		if m := w.shown(); m.Conversation != other || m.To != "900" {
			t.Errorf("shown %+v", m)
		}
	})
}

// TestTheConfigurationFileCounts before what is set from chat, and that is said.
func TestTheConfigurationFileCounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{file: []place.Setting{{At: room(), Key: place.KeyAnswer, Value: "always"}}})
		w.lets("501", access.Owner)
		w.wantSaid("501", "topic answer mention", "The configuration file sets `answer` here: `always` (this topic")
		w.wantSaid("501", "topic", "Answer: always (this topic, configuration file)")
	})
}

// TestSkillsOfAPlace: admins say which there are; names are checked, none is a choice of its own.
func TestSkillsOfAPlace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Admin)
		w.lets("502", access.Lead)
		w.wantSaid("502", "topic skills deploy", "That needs the role admin, and you are a lead.")
		w.wantSaid("501", "topic skills", "There are: deploy, hire.")
		w.wantSaid("501", "topic skills deploi", "There is no skill `deploi`. The nearest are: deploy.")
		w.wantSaid("501", "topic skills Hire, deploy", "the default → `hire, deploy` (this topic, set by 501 on")
		w.wantSaid("502", "topic", "Skills: hire, deploy (this topic, set by 501 on")
		w.wantSaid("501", "topic skills none --chat", "`skills`: the default → `none` (this chat, set by 501 on")
		w.wantSaid("501", "topic reset skills", "`hire, deploy` (this topic, set by 501")
		w.wantSaid("502", "topic", "Skills: none (this chat, set by 501 on")
	})
}
