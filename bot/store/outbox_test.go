package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func messages(keys ...string) (ms []channels.Outbound) {
	for _, k := range keys {
		ms = append(ms, channels.Outbound{Key: k, Conversation: room, Text: k})
	}
	return ms
}

func (b *bench) post(owner string, keys ...string) *lane.Lease {
	b.Helper()
	l, err := b.out.Post(b.Context(), "acme", "", messages(keys...), owner)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

func (b *bench) begin(l *lane.Lease) *outbox.Row {
	b.Helper()
	r, err := b.out.Begin(b.Context(), l)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func (b *bench) sent(l *lane.Lease, r *outbox.Row) {
	b.Helper()
	if err := b.out.Sent(b.Context(), l, r, "id"); err != nil {
		b.Fatal(err)
	}
}

// reclaim is what follows after the owner of a conversation died.
func (b *bench) reclaim(dead, owner string) *lane.Lease {
	b.Helper()
	if err := b.db.ReleaseDead(b.Context(), dead); err != nil {
		b.Fatal(err)
	}
	ls, err := b.out.Claim(b.Context(), owner, 1)
	if err != nil || len(ls) != 1 {
		b.Fatalf("reclaim: %v, %v", ls, err)
	}
	return &ls[0]
}

func TestOutboxSendsInOrderAndEachKeyOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.post("me", "a", "b", "a")
		if l == nil || !l.Begun {
			t.Fatalf("lease of the first: %+v", l)
		}
		if again := b.post("me", "b", "c", "b"); again != nil {
			t.Errorf("a second lease: %+v", again)
		}
		if none := b.post("me"); none != nil {
			t.Errorf("nothing to post gave %+v", none)
		}
		var got []string
		for !l.Idle() {
			r := b.begin(l)
			got = append(got, fmt.Sprintln(r.Seq, r.Message.Key, r.Attempts, r.Unsure))
			b.sent(l, r)
		}
		if d := cmp.Diff([]string{"1 a 1 false\n", "2 b 1 false\n", "3 c 1 false\n"}, got); d != "" {
			t.Error(d)
		}
		if l := b.post("me", "c", "a"); l != nil {
			t.Errorf("known messages claimed the conversation: %+v", l)
		}
		if l := b.post("me", "d"); l == nil || !l.Begun || l.Fence != 2 {
			t.Errorf("lease after idleness: %+v", l)
		}
	})
}

func TestSameKeyPostedAtOnceIsPostedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				for k := range 10 {
					if _, err := b.out.Post(t.Context(), "acme", "", messages(fmt.Sprint("k", k)), ""); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if n := number(t, b.db, `SELECT count(*) FROM outbox`); n != 10 {
			t.Errorf("%d rows, want 10", n)
		}
		if n := number(t, b.db, `SELECT last_seq FROM lanes WHERE kind = 'conversation'`); n != 10 {
			t.Errorf("the conversation counts %d messages, want 10", n)
		}
	})
}

func TestMistakenPostsAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		elsewhere := messages("a", "b")
		elsewhere[1].Conversation.Topic = "8"
		for name, ms := range map[string][]channels.Outbound{"no key": messages("a", ""), "two rooms": elsewhere} {
			if _, err := b.out.Post(t.Context(), "acme", "", ms, "me"); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if _, err := b.out.Post(t.Context(), "", "", messages("a"), "me"); !errors.Is(err, store.ErrNoTenant) {
			t.Errorf("no tenant: %v", err)
		}
		if n := number(t, b.db, `SELECT count(*) FROM outbox`); n != 0 {
			t.Errorf("%d rows", n)
		}
	})
}

func TestUnsureTellsWhetherAMessageMayHaveBeenShown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fail func(b *bench, l *lane.Lease) *lane.Lease
		want string // attempts and unsure
	}{
		"after a crash in flight": {func(b *bench, l *lane.Lease) *lane.Lease {
			b.begin(l)
			return b.reclaim("me", "next")
		}, "2 true"},
		"after a crash before the first call": {func(b *bench, _ *lane.Lease) *lane.Lease {
			return b.reclaim("me", "next") // the post marked it already, and nobody knows
		}, "2 true"},
		"after a refusal": {func(b *bench, l *lane.Lease) *lane.Lease {
			b.deferred(l, b.begin(l), false)
			return l
		}, "2 false"},
		"after an ambiguous error": {func(b *bench, l *lane.Lease) *lane.Lease {
			b.deferred(l, b.begin(l), true)
			return l
		}, "2 true"},
		"after a refusal that follows an ambiguous error": {func(b *bench, l *lane.Lease) *lane.Lease {
			b.deferred(l, b.begin(l), true)
			b.deferred(l, b.begin(l), false)
			return l
		}, "3 true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				b := newBench(t, url)
				l := tt.fail(b, b.post("me", "a"))
				if r := b.begin(l); fmt.Sprint(r.Attempts, r.Unsure) != tt.want {
					t.Errorf("attempt %d, unsure %v, want %s", r.Attempts, r.Unsure, tt.want)
				}
			})
		})
	}
}

func (b *bench) deferred(l *lane.Lease, r *outbox.Row, unsure bool) {
	b.Helper()
	if err := b.out.Defer(b.Context(), l, r, unsure, "because"); err != nil {
		b.Fatal(err)
	}
}

func TestLateSenderChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		late := b.post("late", "a", "b")
		row := b.begin(late)
		now := b.reclaim("late", "now")
		_, berr := b.out.Begin(t.Context(), late)
		for what, err := range map[string]error{
			"begin": berr,
			"sent":  b.out.Sent(t.Context(), late, row, "id"),
			"defer": b.out.Defer(t.Context(), late, row, true, "late"),
			"bury":  b.out.Bury(t.Context(), late, row, "late"),
		} {
			if !errors.Is(err, lane.ErrFenced) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for range 2 {
			b.sent(now, b.begin(now))
		}
		if n := number(t, b.db, `SELECT count(*) FROM outbox WHERE status = 2 AND err = ''`); n != 2 {
			t.Errorf("%d messages were sent", n)
		}
	})
}

func TestFirstMessageOfASleeperIsNotSent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.post("sleeper", "a")
		exec(t, b.db, `UPDATE lanes SET lease_until = 1`) // its lease ran out, and anybody may have the conversation
		if r, err := b.out.Begin(t.Context(), l); !errors.Is(err, lane.ErrFenced) {
			t.Errorf("begin: %+v, %v", r, err)
		}
		ls, err := b.out.Claim(t.Context(), "me", 1)
		if err != nil || len(ls) != 1 || ls[0].Begun {
			t.Fatalf("claim: %+v, %v", ls, err)
		}
		if r := b.begin(&ls[0]); !r.Unsure {
			t.Error("nobody knows whether it was sent")
		}
	})
}

func TestUnreadableAndBuriedMessagesAreKeptAndPassed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.post("me", "spoiled", "next")
		exec(t, b.db, `UPDATE outbox SET payload = '{' WHERE key = 'spoiled'`)
		r, err := b.out.Begin(t.Context(), l)
		if !errors.Is(err, outbox.ErrUnreadable) || r == nil || r.Seq != 1 || r.Tenant != "acme" {
			t.Fatalf("begin: %+v, %v", r, err)
		}
		why := "half a rune \xc3, a \x00 and " + strings.Repeat("é", 5000) // a platform may answer anything
		if err := b.out.Bury(t.Context(), l, r, why); err != nil {
			t.Fatal(err)
		}
		r = b.begin(l)
		if r.Message.Key != "next" {
			t.Errorf("after the buried one comes %q", r.Message.Key)
		}
		if err := b.out.Defer(t.Context(), l, r, true, why); err != nil {
			t.Fatal(err)
		}
		b.sent(l, b.begin(l))
		if n := number(t, b.db, `SELECT count(*) FROM outbox WHERE status = 3 AND err LIKE 'half a rune%'`); n != 1 {
			t.Errorf("%d messages are kept as undeliverable", n)
		}
	})
}

func TestEndOfATurnPostsEverythingItSaid(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		known := b.post("me", "known")
		b.sent(known, b.begin(known))
		l := b.accept("1", "me")
		out := b.finish(l, &inbox.End{Through: 1, Outcome: inbox.Answered, Out: messages("known", "a", "b", "c")})
		if out == nil || !out.Begun || out.Done != 1 || out.Last != 4 {
			t.Fatalf("lease to send: %+v", out)
		}
		var got []string
		for !out.Idle() {
			r := b.begin(out)
			if r.Session != b.session {
				t.Errorf("said by session %q", r.Session)
			}
			got = append(got, r.Message.Key)
			b.sent(out, r)
		}
		if d := cmp.Diff([]string{"a", "b", "c"}, got); d != "" {
			t.Error(d)
		}
	})
}

func TestTurnsAndSendsOfOneConversationNeverDeadlock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		const sessions, turns = 6, 10
		var all sync.WaitGroup
		for s := range sessions {
			all.Go(func() {
				for i := range turns {
					b.turn(fmt.Sprint("s", s), i)
				}
			})
		}
		stop := make(chan struct{})
		var sender sync.WaitGroup
		sender.Go(func() { b.sendUntil(stop) })
		all.Wait()
		close(stop)
		sender.Wait()
		b.sendAll()
		n := number(t, b.db, `SELECT count(*) FROM outbox WHERE status = 2`)
		if n != sessions*turns {
			t.Errorf("%d messages were sent, want %d", n, sessions*turns)
		}
	})
}

// turn accepts a message and ends its turn with an answer to the room.
func (b *bench) turn(sessionID string, i int) {
	l, _, err := b.inbox.Accept(b.Context(), b.into(sessionID, fmt.Sprint(i)), "me", 100)
	if err != nil || l == nil {
		b.Errorf("accept: %v, %v", l, err)
		return
	}
	if err := b.inbox.Renew(b.Context(), []lane.Lease{*l}); err != nil {
		b.Errorf("renew: %v", err)
	}
	end := &inbox.End{Through: l.Done + 1, Outcome: inbox.Answered, Out: messages(fmt.Sprint(sessionID, "/", i))}
	if _, err := b.inbox.Finish(b.Context(), l, end, ""); err != nil {
		b.Errorf("finish: %v", err)
	}
}

func (b *bench) sendUntil(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
			b.sendAll()
		}
	}
}

// sendAll works the conversations until nothing is left.
func (b *bench) sendAll() {
	ls, err := b.out.Claim(b.Context(), "me", 10)
	if err != nil {
		b.Errorf("claim: %v", err)
	}
	for i := range ls {
		for l := &ls[i]; !l.Idle(); {
			r, err := b.out.Begin(b.Context(), l)
			if err == nil {
				err = b.out.Sent(b.Context(), l, r, "id")
			}
			if err != nil {
				b.Errorf("send: %v", err)
				return
			}
		}
	}
}
