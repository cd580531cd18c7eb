package place_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
)

// memory is a store without a database.
type memory struct {
	all    []place.Setting
	broken error
	reads  int
}

func (m *memory) Settings(context.Context, string) ([]place.Setting, error) {
	m.reads++
	return m.all, m.broken
}

func (m *memory) Set(_ context.Context, _ string, s place.Setting) error {
	m.all = append(m.all, s)
	return m.broken
}

func spot(channel, chat, topic string) channels.Conversation {
	return channels.Conversation{Channel: channel, Chat: channels.ChatID(chat), Topic: channels.TopicID(topic)}
}

func chatSet(at channels.Conversation, key place.Key, value string) place.Setting {
	return place.Setting{
		At: at, Key: key, Value: value, By: "Ann", When: time.Date(2026, 11, 3, 14, 5, 0, 0, time.UTC), Revision: 1,
	}
}

func book(m *memory, file ...place.Setting) *place.Book {
	return place.NewBook("acme", m, file, []string{"lead", "writer"}, slog.New(slog.DiscardHandler))
}

func TestWhatCountsInAPlace(t *testing.T) {
	t.Parallel()
	b := book(&memory{all: []place.Setting{
		chatSet(spot("tg", "-1", ""), place.KeyAnswer, "always"),
		chatSet(spot("tg", "-1", "7"), place.KeyAnswer, "mention"),
		chatSet(spot("tg", "-1", "9"), place.KeyAgent, "writer"),
		chatSet(spot("tg", "-2", ""), place.KeyAnswer, "always"),
		chatSet(spot("", "", ""), place.KeySteering, "queue"),
	}}, place.Setting{At: spot("tg", "-2", ""), Key: place.KeyAnswer, Value: "mention"},
		place.Setting{At: spot("slack", "", ""), Key: place.KeyWho, Value: "everyone"})
	tests := map[string]struct {
		at      channels.Conversation
		answer  place.Answer
		agent   string
		who     place.Who
		source  string
		steered bool
	}{
		"a topic before its chat":          {at: spot("tg", "-1", "7"), answer: place.Mention, source: "this topic, set by Ann on 3 Nov 14:05"},
		"a topic has what its chat has":    {at: spot("tg", "-1", "9"), answer: place.Always, agent: "writer", source: "this chat, set by Ann on 3 Nov 14:05"},
		"the file before the chat":         {at: spot("tg", "-2", ""), answer: place.Mention, source: "this chat, configuration file"},
		"a place where nothing is set":     {at: spot("discord", "1", ""), answer: place.Mention, source: "default"},
		"a whole channel":                  {at: spot("slack", "C1", "1.2"), answer: place.Mention, who: place.Everyone, source: "default"},
		"a chat is not one of another app": {at: spot("tg-2", "-1", "7"), answer: place.Mention, source: "default"},
	}
	for name, tt := range tests {
		e, err := b.At(t.Context(), tt.at)
		if err != nil {
			t.Fatal(err)
		}
		if tt.agent == "" {
			tt.agent = "lead"
		}
		if tt.who == "" {
			tt.who = place.Members
		}
		if e.Answer() != tt.answer || e.Agent("lead") != tt.agent || e.Who() != tt.who || e.Steers(true) ||
			e.Get(place.KeyAnswer).Source(time.UTC) != tt.source {
			t.Errorf("%s: %q, %q, %q, %q", name, e.Answer(), e.Agent("lead"), e.Who(), e.Get(place.KeyAnswer).Source(time.UTC))
		}
	}
	if b.Fixed(spot("tg", "-2", ""), place.KeyAnswer) == nil || b.Fixed(spot("tg", "-1", ""), place.KeyAnswer) != nil {
		t.Error("what the file fixes")
	}
	if !b.Move("tg", "-2", "-2002") || b.Move("tg", "-3", "-4") {
		t.Error("a move is told by whether the file sets something")
	}
	if e, err := b.At(t.Context(), spot("tg", "-2002", "")); err != nil || e.Answer() != place.Mention || e.Get(place.KeyAnswer) == nil {
		t.Errorf("after a move: %v", err)
	}
}

func TestToolRulesOfAPlace(t *testing.T) {
	t.Parallel()
	tools := func(at channels.Conversation, l place.ToolList) place.Setting {
		return chatSet(at, place.KeyTools, l.Encode())
	}
	b := book(&memory{all: []place.Setting{
		tools(spot("tg", "", ""), place.ToolList{Deny: []string{"exec"}}),
		tools(spot("tg", "-1", ""), place.ToolList{Limited: true, Only: []string{"group:web"}, Deny: []string{"web_fetch"}}),
		tools(spot("tg", "-1", "7"), place.ToolList{Limited: true, Only: []string{"read_file"}}),
		tools(spot("tg", "-1", "8"), place.ToolList{Limited: true}),
		chatSet(spot("tg", "-3", ""), place.KeyTools, "no list"),
	}})
	for topic, want := range map[string][]string{
		"7": {"only read_file", "only group:web; not web_fetch", "not exec"},
		"8": {"no tools", "only group:web; not web_fetch", "not exec"},
		"9": {"only group:web; not web_fetch", "not exec"},
	} {
		e, err := b.At(t.Context(), spot("tg", "-1", topic))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range e.Tools() {
			got = append(got, r.String())
		}
		if !cmp.Equal(got, want) {
			t.Errorf("topic %s: %q, want %q", topic, got, want)
		}
	}
	if e, err := b.At(t.Context(), spot("tg", "-3", "")); err != nil || e.Tools()[0].String() != "no tools" {
		t.Errorf("a list that can't be read: %v", err)
	}
}

// TestBookWithoutItsStore: rules hold on while the database is away; before they are known nothing is.
func TestBookWithoutItsStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{broken: errors.New("the database is down")}
		b := book(m)
		at := spot("tg", "-1", "")
		if _, err := b.At(t.Context(), at); !errors.Is(err, m.broken) {
			t.Errorf("before anything is known: %v", err)
		}
		m.broken = nil
		if err := b.Set(t.Context(), chatSet(at, place.KeyAnswer, "always")); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if e, err := b.At(t.Context(), at); err != nil || e.Answer() != place.Always {
				t.Errorf("got %v", err)
			}
		}
		if m.reads != 2 {
			t.Errorf("read %d times", m.reads)
		}
		m.broken = errors.New("the database is down")
		time.Sleep(3 * time.Second)
		if e, err := b.At(t.Context(), at); err != nil || e.Answer() != place.Always {
			t.Errorf("while the database is away: %v", err)
		}
		m.broken, m.all = nil, nil
		time.Sleep(3 * time.Second)
		if e, err := b.At(t.Context(), at); err != nil || e.Answer() != place.Mention {
			t.Errorf("what another process changed: %v", err)
		}
	})
}
