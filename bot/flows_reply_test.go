package bot_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// opening is a message in a chat that answering can move into a topic of its own.
func (w *world) opening(person, text string) *channels.Inbound {
	in := w.message(channels.Conversation{Channel: "fake", Chat: "C01"}, person, text)
	in.Thread = channels.TopicID(in.ID)
	return in
}

// TestWhereAnswersStand: in the topic that the message opens, as a reply, or plain, as the place says; and where the
// messenger's people are used to it when nothing is set.
func TestWhereAnswersStand(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Admin)
		for _, opens := range []bool{false, true} { // what the messenger does
			for reply, want := range map[string]struct{ topic, quotes bool }{
				"reset reply": {opens, true}, "reply thread": {true, true}, "reply quote": {false, true}, "reply plain": {false, false},
			} {
				set := w.opening("501", "topic "+reply+" --chat")
				if opens {
					set.Conversation.Topic = set.Thread
				}
				w.deliver(set)
				if m := w.shown(); m.Conversation.Topic != "" || m.ReplyTo != set.ID {
					t.Errorf("%s: words about the chat stand in the topic %q", reply, m.Conversation.Topic)
				}
				in := w.opening("501", "hello")
				if opens {
					in.Conversation.Topic = in.Thread
				}
				id := w.deliver(in)
				m := w.shown()
				if m.Text != "re: hello" && m.Text != "re: hello | hello" || (m.Conversation.Topic == channels.TopicID(id)) != want.topic ||
					(m.ReplyTo == id) != want.quotes {
					t.Errorf("%s, opens %v: %+v", reply, opens, m)
				}
			}
		}
		inside := w.message(room(), "501", "in a topic")
		w.deliver(inside)
		if m := w.shown(); m.Conversation != room() {
			t.Errorf("an answer left its topic: %+v", m)
		}
	})
}

// TestSettingsFromAChatAreForTheChat, also where a mention opens a topic.
func TestSettingsFromAChatAreForTheChat(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Admin)
		in := w.opening("501", "tools only none")
		in.Conversation.Topic = in.Thread
		w.deliver(in)
		w.shown()
		w.wantSaid("501", "tools why read_file", "this chat")
	})
}

// TestThingsNotForTheBot: what begins with !aside is neither answered nor kept, and a muted bot answers who names it.
func TestThingsNotForTheBot(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true, answers: "always"})
		w.lets("501", access.Admin)
		w.lets("503", access.Member)
		follows := func(text string) channels.MessageID {
			in := w.message(room(), "503", text)
			in.Followed = true
			return w.deliver(in)
		}
		w.wantShown(follows("go on"), "re: go on")
		follows("!aside do you like it?")
		w.says("503", "!ASIDE and this")
		w.wantShown(w.says("503", "what did we say?"), "re: what did we say?")
		if asked := w.lastAsked(); len(asked) == 0 || strings.Contains(asked, "do you like it") {
			t.Errorf("the model was told %q", asked)
		}
		w.wantSaid("503", "mute", "I leave this alone now")
		w.wantSaid("503", "mute", "muted here already")
		w.wantSaid("503", "topic", "Muted: I answer only who mentions me (this topic, set by 503 on")
		follows("we go on without you")
		w.overheard("503", "yes")
		id := w.says("503", "and you?")
		if m := w.shown(); m.ReplyTo != id {
			t.Errorf("shown %+v", m)
		}
		w.wantSaid("503", "unmute", "I am back.")
		w.wantSaid("503", "unmute", "Nobody muted me here.")
		w.wantShown(follows("there again"), "re: there again")
	})
}

// TestAsidesByEditing: a message that waits and becomes an aside gets no turn.
func TestAsidesByEditing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		g := newGate()
		w := newWorld(t, url, setup{queue: true})
		w.model.Add(g.then(echo))
		first := w.says("501", "one")
		receive(t, g.begun, "the first turn")
		waits := w.message(room(), "501", "two")
		w.deliver(waits)
		w.edits(waits, "!aside two", true)
		close(g.open)
		w.wantShown(first, "re: one")
		w.wantQuiet()
	})
}

// TestAskIsARequest, whatever it begins with; a refusal of its place holds for it, too.
func TestAskIsARequest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Admin)
		id := w.commands("ask", "stop the deployment")
		w.wantShown(id, "re: stop the deployment")
		id = w.commands("lead", "ask help me")
		w.wantShown(id, "re: help me")
		w.wantSaid("501", "ask", "Write what you need behind `ask`.")
		w.wantShown(w.says("501", "ask Bob about it"), "re: ask Bob about it")
	})
}

// TestPeopleOfAPlace: where only listed people may talk, others hear so, and admins always may.
func TestPeopleOfAPlace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Admin)
		for _, person := range []string{"502", "503", "504"} {
			w.lets(person, access.Member)
		}
		w.wantSaid("502", "topic who list 502", "That needs the role")
		w.wantSaid("501", "topic who list", "Name the people")
		w.wantSaid("501", "topic who list 502, 599", "I know nobody called `599`")
		w.wantSaid("501", "topic who list 502 503", "the default → `only 502, 503` (this topic, set by 501 on")
		w.wantShown(w.says("502", "me"), "re: me")
		w.wantShown(w.says("501", "and me"), "re: and me")
		w.says("504", "and me?")
		if m := w.shown(); m.To != "504" || !strings.Contains(m.Text, "Only the people on this place's list may talk to me") {
			t.Errorf("shown %+v", m)
		}
		follows := w.message(room(), "504", "chatter")
		follows.Followed = true
		w.deliver(follows) // it is not for the bot
		w.wantSaid("501", "topic reset who", "`only 502, 503` (this topic, set by 501 on")
		w.wantShown(w.says("504", "now?"), "re: now?")
	})
}
