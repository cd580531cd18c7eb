package bot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// home is a person's direct chat with the bot.
func home(person string) channels.Conversation {
	return channels.Conversation{Channel: "fake", Chat: channels.ChatID("D" + person)}
}

// tells delivers a direct message and returns it.
func (w *world) tells(person, text string) *channels.Inbound {
	w.Helper()
	in := w.message(home(person), person, text)
	in.Direct = true
	w.deliver(in)
	return in
}

// wantTold checks the next that a person is told alone.
func (w *world) wantTold(person, part string) channels.Outbound {
	w.Helper()
	m := w.shown()
	if m.Conversation != home(person) || !strings.Contains(m.Text, part) {
		w.Fatalf("%s: %q, want %q for %s", m.Conversation, m.Text, part, person)
	}
	return m
}

// claims makes a person the owner.
func (w *world) claims(person string) {
	w.Helper()
	code := access.NewCode()
	if err := store.NewCodes(w.db).Issue(w.Context(), "default", access.ClaimCode, code, "", time.Minute); err != nil {
		w.Fatal(err)
	}
	w.tells(person, "claim "+code)
	w.wantTold(person, "You are an owner of this bot now.")
	w.tells(person, "claim "+code)
	w.wantTold(person, "unknown, used, or too old")
}

// presses delivers the press of a button in a direct chat.
func (w *world) presses(person string, b channels.Button) {
	w.Helper()
	in := w.message(home(person), person, "")
	in.Direct, in.Action = true, &channels.Action{Token: b.Token}
	w.deliver(in)
}

func TestAFreshTeam(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.tells("502", "hello, the secret is blue")
		w.wantTold("502", "nobody can do that yet")
		w.claims("501")
		w.wantTold("501", w.answered("501", "hello"))

		card := w.asks("502")
		w.tells("502", "hello?")             // the same is said once in an hour
		w.presses("502", card.Buttons[0][0]) // a stranger's press gives nothing
		w.presses("501", card.Buttons[0][0])
		both := w.twoShown()
		if m := both[home("502")]; !strings.HasPrefix(m.Text, "You were let in as member.") {
			t.Errorf("shown %+v", m)
		}
		if m := both[home("501")]; m.Edit == "" || m.Text != "Name of 502 was let in as member." {
			t.Errorf("shown %+v", m)
		}
		w.presses("501", card.Buttons[1][1])
		w.wantTold("501", "Name of 501 decided this already: member.")
		w.wantTold("502", w.answered("502", "thanks"))
		if asked := w.lastAsked(); strings.Contains(asked, "blue") {
			t.Errorf("what a stranger wrote was kept: %q", asked)
		}
		w.tells("502", "member remove 501")
		w.wantTold("502", "That needs the role admin, and you are a member.")
		w.tells("501", "member remove 502")
		w.wantTold("501", "may not talk to me any more.")
		w.asks("502") // again
	})
}

// twoShown are the next two that people see, each in a conversation of its own.
func (w *world) twoShown() map[channels.Conversation]channels.Outbound {
	w.Helper()
	one, two := w.shown(), w.shown()
	return map[channels.Conversation]channels.Outbound{one.Conversation: one, two.Conversation: two}
}

// asks lets a stranger ask to be let in, and is the card that the owner, 501, is shown.
func (w *world) asks(person string) channels.Outbound {
	w.Helper()
	w.tells(person, "may I?")
	both := w.twoShown()
	if m := both[home(person)]; !strings.HasPrefix(m.Text, "I answer only people who were let in. I asked the admins") {
		w.Fatalf("shown %+v", m)
	}
	card := both[home("501")]
	if card.Card == nil || len(card.Buttons) != 2 {
		w.Fatalf("shown %+v", card)
	}
	return card
}

// answered delivers a direct message and is what the model answers.
func (w *world) answered(person, text string) string {
	w.Helper()
	w.tells(person, text)
	return "re: " + text
}

func TestLinkedAccounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.claims("501")
		w.tells("501", "link")
		_, code, _ := strings.Cut(w.wantTold("501", "Write `link ").Text, "`link ")
		code, _, _ = strings.Cut(code, "`")
		w.tells("777", "link "+code)
		w.wantTold("777", "This account belongs to you now")
		w.tells("777", "whoami")
		w.wantTold("777", "owner. I know you by `fake:501`, `fake:777`.")
		w.tells("888", "link "+code)
		w.wantTold("888", "unknown, used, or too old")
	})
}

// TestCodesInTheOpen: a code in a room is words like others; what looks like a code is not one of people who are known.
func TestCodesInTheOpen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.claims("501")
		w.wantTold("501", w.answered("501", "ABCD-2345"))
		id := w.says("501", "claim ABCD-2345")
		w.wantShown(id, "re: claim ABCD-2345")
		w.says("502", "claim ABCD-2345")
		if m := w.shown(); m.To != "502" || !strings.Contains(m.Text, "I can't talk with you yet.") {
			t.Errorf("shown %+v", m)
		}
	})
}

func TestBlockedPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.claims("501")
		card := w.asks("502")
		w.presses("501", card.Buttons[1][1])
		w.wantTold("501", "is blocked")
		w.tells("502", "hello again")
		w.wantTold("502", "An admin of this bot keeps your account out.")
	})
}

func TestTheLastOwnerIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.claims("501")
		w.tells("501", "member role 501 admin")
		w.wantTold("501", "without an owner")
		w.tells("501", "member role nobody admin")
		w.wantTold("501", "I know nobody called `nobody`")
		w.tells("501", "member role 501 king")
		w.wantTold("501", "Write `member role <name> <role>`")
		w.tells("501", "member list")
		w.wantTold("501", "Name of 501 – owner, on fake")
	})
}

// TestWhoIsLetGoWhileTheyWait: a message that waited is not worked for somebody who may not talk any more.
func TestWhoIsLetGoWhileTheyWait(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{closed: true, queue: true, model: llmtest.New(t, gate.then(echo))})
		w.lets("501", access.Owner)
		w.lets("502", access.Member)
		first := w.says("501", "one")
		<-gate.begun
		second := w.says("502", "two")
		if err := store.NewPeople(w.db).Remove(t.Context(), "default", "fake:502"); err != nil {
			t.Fatal(err)
		}
		close(gate.open)
		w.wantShown(first, "re: one")
		if m := w.shown(); m.ReplyTo != second || !strings.Contains(m.Text, "I can't talk with you yet.") {
			t.Errorf("shown %+v", m)
		}
	})
}

// TestACardThatIsOutOfDate: whoever came in another way meanwhile is not touched by it.
func TestACardThatIsOutOfDate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.claims("501")
		card := w.asks("777")
		w.tells("501", "link")
		_, code, _ := strings.Cut(w.wantTold("501", "Write `link ").Text, "`link ")
		code, _, _ = strings.Cut(code, "`")
		w.tells("777", "link "+code)
		w.wantTold("777", "This account belongs to you now")
		for _, row := range card.Buttons {
			for _, b := range row {
				w.presses("501", b)
				w.wantTold("501", "This has changed since the button was shown, so I did nothing.")
			}
		}
		w.tells("501", "whoami")
		w.wantTold("501", ", owner.")
	})
}

// TestNamesThatArePretended: a name that two have is asked about, and an id is an id.
func TestNamesThatArePretended(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.claims("501")
		for person, name := range map[string]string{"601": "Ann Smith", "602": "Ann", "603": "fake:601"} {
			a := access.Account{Channel: "fake", User: channels.UserID(person)}
			if _, err := store.NewPeople(w.db).Let(t.Context(), "default", a, name, access.Guest); err != nil {
				t.Fatal(err)
			}
		}
		w.tells("501", "member role Ann admin")
		w.wantTold("501", "I know 2 people called `Ann`: Ann (`fake:602`); Ann Smith (`fake:601`).")
		w.tells("501", "member role fake:601 admin")
		w.wantTold("501", "Ann Smith: guest → admin.")
	})
}

// TestCommandsThatAreEditedIn: a message that was changed into a command is no command, whatever became of it.
func TestCommandsThatAreEditedIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		first := w.message(room(), "501", "one")
		w.deliver(first)
		<-gate.begun
		second := w.message(room(), "501", "two")
		w.deliver(second)
		w.edits(second, "whoami", true)
		close(gate.open)
		w.wantShown(first.ID, "re: one")
		w.wantShown(second.ID, "re: whoami")
		w.edits(first, "new", true)
		w.wantQuiet()
	})
}

// TestWhatWasRefusedStaysSo: a messenger that tells again what was missed does not bring it back.
func TestWhatWasRefusedStaysSo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		old := w.message(room(), "502", "drop the database")
		old.SentAt = time.Now().Add(-time.Hour)
		again := *old
		w.deliver(old)
		w.shown()
		w.lets("502", access.Member)
		w.deliver(&again)
		w.lets("501", access.Member)
		w.wantQuiet()
	})
}

// TestBotsAreNotRefused aloud: a bot that nobody let in can do nothing about it.
func TestBotsAreNotRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.botSays("beep")
		w.lets("501", access.Member)
		w.wantQuiet()
	})
}
