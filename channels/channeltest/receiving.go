package channeltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/leadhand/leadhand/channels"
)

// places: what is written somewhere is received from there, and what is sent there is shown there and nowhere else.
func (e *exercise) places() {
	for i, c := range e.everywhere() {
		text := fmt.Sprintf("hello %d", i)
		e.say(c, text)
		in := e.next()
		if in.Text != text || in.Conversation != c || in.Direct != (c == e.p.Direct) || in.ID == "" || in.EventKey == "" {
			e.Errorf("received %+v, want %q in %s", in, text, c)
		}
		e.must(&channels.Outbound{Conversation: in.Conversation, ReplyTo: in.ID, Text: "re: " + text})
		e.wantTexts(c, "re: "+text)
	}
}

// topics: what comes in one topic is not answered in another.
func (e *exercise) topics() {
	for range 3 {
		e.say(e.p.Topic, "one")
		e.say(e.p.Other, "two")
	}
	counts := map[string]int{}
	for range 6 {
		in := e.next()
		counts[in.Text+" in "+string(in.Conversation.Topic)]++
	}
	if counts["one in "+string(e.p.Topic.Topic)] != 3 || counts["two in "+string(e.p.Other.Topic)] != 3 {
		e.Errorf("received %v", counts)
	}
}

func (e *exercise) mentions() {
	for text, mention := range map[string]bool{"talk": false, "a question": true, "👋 привет": true, "`code`": false} {
		e.mu.Lock()
		clear(e.joined)
		e.mu.Unlock()
		e.p.Say(e.T, Said{In: e.p.Room, Text: text, Mention: mention})
		if in := e.next(); in.Mentioned != mention || in.Text != text || in.Direct {
			e.Errorf("received %+v, want %q, mentioned %v", in, text, mention)
		}
	}
}

// followUps: where a mention opened a topic, what follows needs none, and is known to name nobody. Where topics are
// people's own, as in forums, it does.
func (e *exercise) followUps() {
	e.say(e.p.Topic, "a question")
	if in := e.next(); !in.Mentioned || in.Followed {
		e.Errorf("a mention: %+v", in)
	}
	e.p.Say(e.T, Said{In: e.p.Topic, By: Bob, Text: "and mine"})
	if in := e.next(); in.Text != "and mine" || in.Conversation != e.p.Topic || in.Mentioned != in.Followed {
		e.Errorf("received %+v", in)
	}
	e.say(e.p.Topic, "once more")
	if in := e.next(); !in.Mentioned || in.Followed {
		e.Errorf("a mention where the bot takes part: %+v", in)
	}
}

// threads: a message in a room tells the thread that an answer can open. The first answer to it opens it, also when two
// come at once; what is said there then stands there. An answer to the room stays in the room.
func (e *exercise) threads() {
	for _, mention := range []bool{true, false} {
		id := e.p.Say(e.T, Said{In: e.p.Threads, Text: "a question", Mention: mention})
		in := e.next()
		if in.Thread == "" || in.Mentioned != mention || in.Conversation.Topic != "" && in.Conversation.Topic != in.Thread {
			e.Fatalf("received %+v", in)
		}
		thread, room := in.Conversation, in.Conversation
		thread.Topic, room.Topic = in.Thread, ""
		var both sync.WaitGroup
		for _, text := range []string{"one", "two"} {
			both.Go(func() { e.must(&channels.Outbound{Conversation: thread, ReplyTo: id, Text: text}) })
		}
		both.Wait()
		if got := e.texts(thread); !slices.Contains(got, "one") || !slices.Contains(got, "two") || len(got) != 2 {
			e.Errorf("the thread shows %q", got)
		}
		e.p.Say(e.T, Said{In: thread, By: Bob, Text: "and mine", Mention: true})
		if in := e.next(); in.Conversation != thread || in.Thread != "" {
			e.Errorf("received %+v, want it in %s", in, thread)
		}
		before := len(e.texts(room))
		e.must(&channels.Outbound{Conversation: room, ReplyTo: id, Text: "to all"})
		if got := e.texts(room); len(got) != before+1 || got[before] != "to all" {
			e.Errorf("the room shows %q", got)
		}
	}
}

// names: the messenger tells what people call a conversation.
func (e *exercise) names() {
	namer, ok := e.ch.(channels.Namer)
	if !ok {
		e.Fatal("no Namer")
	}
	ctx, cancel := context.WithTimeout(e.Context(), patience)
	defer cancel()
	e.say(e.p.Direct, "hello") // it runs
	e.next()
	for range 2 { // the second time remembered
		for c, want := range e.p.Names {
			if got, err := namer.NameOf(ctx, c); got != want || err != nil {
				e.Errorf("%s is called %q (%v), want %q", c, got, err, want)
			}
		}
	}
}

func (e *exercise) people() {
	e.p.Say(e.T, Said{In: e.p.Room, By: Ann, Text: "I am Ann", Mention: true})
	e.p.Say(e.T, Said{In: e.p.Room, By: Bob, Text: "I am Bob", Mention: true})
	ann, bob := e.next(), e.next()
	if ann.Text != "I am Ann" || ann.Sender.ID == bob.Sender.ID || !named(ann, "ann") || !named(bob, "bob") {
		e.Errorf("%+v wrote %q, %+v wrote %q", ann.Sender, ann.Text, bob.Sender, bob.Text)
	}
}

// named tells whether the sender has a name, in whatever case.
func named(in *channels.Inbound, name string) bool {
	return strings.Contains(strings.ToLower(in.Sender.Name), name)
}

func (e *exercise) replies() {
	e.say(e.p.Room, "a question")
	in := e.next()
	id := e.must(&channels.Outbound{Conversation: in.Conversation, ReplyTo: in.ID, Text: "an answer"})
	e.p.Say(e.T, Said{In: in.Conversation, By: Bob, Text: "thanks", ReplyTo: id})
	if in := e.next(); !in.Mentioned || in.Text != "thanks" {
		e.Errorf("a reply to the bot: %+v", in)
	}
}

// bots: what bots write, this one included, is nobody's message.
func (e *exercise) bots() {
	e.must(&channels.Outbound{Conversation: e.p.Room, Text: "my own words"})
	e.p.Say(e.T, Said{In: e.p.Room, By: OtherBot, Text: "beep", Mention: true})
	e.quiet()
}

// trusted: a bot that the settings name is heard, and known as a bot. This one never hears itself.
func (e *exercise) trusted() {
	e.stop()
	e.p.New = e.p.Trusting
	e.start()
	e.must(&channels.Outbound{Conversation: e.p.Room, Text: "my own words"})
	e.p.Say(e.T, Said{In: e.p.Room, By: OtherBot, Text: "beep", Mention: true})
	if in := e.next(); in.Text != "beep" || !in.Sender.Bot || !in.Mentioned || in.Sender.ID == "" {
		e.Errorf("received %+v", in)
	}
	e.say(e.p.Room, "a person")
	if in := e.next(); in.Text != "a person" || in.Sender.Bot {
		e.Errorf("received %+v", in)
	}
}

// deletions: what is taken back is told, with the key of what it was.
func (e *exercise) deletions() {
	for _, c := range []channels.Conversation{e.p.Room, e.p.Direct} {
		id := e.say(c, "never mind")
		was := e.next()
		e.p.Delete(e.T, c, id)
		in := e.next()
		if !in.Deleted || in.Revises != was.EventKey || in.EventKey == was.EventKey || in.EventKey == "" ||
			in.Conversation.Chat != was.Conversation.Chat {
			e.Errorf("received %+v when %+v was deleted", in, was)
		}
		e.p.Delete(e.T, c, e.must(&channels.Outbound{Conversation: was.Conversation, Text: "my words"}))
		e.quiet()
	}
}

func (e *exercise) burst() {
	const n = 40
	all := e.everywhere()
	for i := range n {
		for _, c := range all {
			e.say(c, fmt.Sprint(i))
		}
	}
	next := map[channels.Conversation]int{}
	for range n * len(all) {
		in := e.next()
		if in.Text != fmt.Sprint(next[in.Conversation]) {
			e.Fatalf("received %q in %s, want %d", in.Text, in.Conversation, next[in.Conversation])
		}
		next[in.Conversation]++
	}
}

func (e *exercise) filesIn() {
	file := channels.Attachment{Name: "plan.txt", MediaType: "text/plain", Data: []byte("the plan")}
	e.p.Say(e.T, Said{In: e.p.Room, Text: "read this", Mention: true, File: &file})
	e.p.Say(e.T, Said{In: e.p.Direct, File: &file})
	for _, text := range []string{"read this", ""} {
		in := e.next()
		for in.Text != text { // platforms keep the order within a chat only
			e.got <- in
			in = e.next()
		}
		if len(in.Attachments) != 1 || in.Attachments[0].Name != "plan.txt" {
			e.Fatalf("received %+v", in)
		}
		a := in.Attachments[0]
		data := a.Data
		if f, ok := e.ch.(channels.Fetcher); ok && len(data) == 0 {
			var err error
			if data, err = f.Fetch(e.Context(), &a); err != nil {
				e.Fatal(err)
			}
		}
		if string(data) != "the plan" {
			e.Errorf("the file holds %q", data)
		}
	}
}

func (e *exercise) edits() {
	id := e.say(e.p.Room, "helo")
	was := e.next()
	e.p.Edit(e.T, was.Conversation, id, "hello")
	in := e.next()
	if in.Revises != was.EventKey || in.EventKey == was.EventKey || in.Text != "hello" ||
		in.Conversation != was.Conversation {
		e.Errorf("received %+v as a change of %+v", in, was)
	}
	e.quiet()
}

// again: the same event has the same key, so that the program knows it.
func (e *exercise) again() {
	e.say(e.p.Room, "once")
	key := e.next().EventKey
	e.p.Again(e.T)
	e.say(e.p.Direct, "the end")
	if in := e.next(); in.Text != "the end" {
		e.Errorf("received %+v again, which had the key %s", in, key)
	}
}
