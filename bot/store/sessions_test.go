package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func TestManyOpenOneSession(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewSessions(storetest.Open(t, url))
		ids := make([]string, 20)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				id, err := s.Current(t.Context(), "acme", "lead", room, "")
				if err != nil {
					t.Error(err)
				}
				ids[i] = id
			})
		}
		all.Wait()
		for _, id := range ids {
			if id == "" || id != ids[0] {
				t.Fatalf("different sessions: %q", ids)
			}
		}
	})
}

func TestSessionsDifferByEveryPart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewSessions(storetest.Open(t, url))
		seen := map[string]bool{}
		topic, chat, channel := room, room, room
		topic.Topic, chat.Chat, channel.Channel = "8", "hall", "other"
		for _, k := range []struct {
			tenant, agent string
			c             channels.Conversation
		}{
			{"acme", "lead", room}, {"other", "lead", room}, {"acme", "coder", room},
			{"acme", "lead", topic}, {"acme", "lead", chat}, {"acme", "lead", channel},
		} {
			id, err := s.Current(t.Context(), k.tenant, k.agent, k.c, "")
			if err != nil || seen[id] {
				t.Errorf("%+v: session %q of another, %v", k, id, err)
			}
			seen[id] = true
		}
		if _, err := s.Current(t.Context(), "", "lead", room, ""); !errors.Is(err, store.ErrNoTenant) {
			t.Errorf("a session of no tenant: %v", err)
		}
	})
}

func TestEndedSessionIsReplacedAndEndsOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		s := store.NewSessions(b.db)
		if _, found, err := s.End(t.Context(), "acme", "lead", channels.Conversation{Channel: "none"}, ""); found || err != nil {
			t.Errorf("end of no session: %v, %v", found, err)
		}
		l := b.accept("1", "me")
		b.finish(l, &inbox.End{Through: 1, Outcome: inbox.Answered, Entries: []session.Entry{
			{Turn: 1, Source: 1, Kind: session.KindMessage, Message: llm.UserText("hello")},
			{Turn: 1, Kind: session.KindMessage, Message: llm.AssistantText("hi")},
		}})
		var ended, messages atomic.Int64
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				n, found, err := s.End(t.Context(), "acme", "lead", room, "")
				if err != nil {
					t.Error(err)
				}
				if found {
					ended.Add(1)
					messages.Add(int64(n))
				}
			})
		}
		all.Wait()
		if ended.Load() != 1 || messages.Load() != 1 {
			t.Errorf("%d ends with %d messages of people, want one each", ended.Load(), messages.Load())
		}
		id, err := s.Current(t.Context(), "acme", "lead", room, "")
		if err != nil || id == b.session || id == "" {
			t.Errorf("session after the end: %q, %v", id, err)
		}
	})
}

func TestCurrentAlwaysGivesASessionWhileOthersEndIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewSessions(storetest.Open(t, url))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 25 {
					if id, err := s.Current(t.Context(), "acme", "lead", room, ""); id == "" || err != nil {
						t.Errorf("session %q, %v", id, err)
					}
					if _, _, err := s.End(t.Context(), "acme", "lead", room, ""); err != nil {
						t.Errorf("end: %v", err)
					}
				}
			})
		}
		all.Wait()
	})
}
