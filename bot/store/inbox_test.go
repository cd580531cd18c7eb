package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

var room = channels.Conversation{Channel: "test", Chat: "room", Topic: "7"}

// bench is one database with a session in room.
type bench struct {
	*testing.T
	db      *store.DB
	inbox   *store.Inbox
	out     *store.Outbox
	session string
}

func newBench(t *testing.T, url string) *bench {
	db := storetest.Open(t, url)
	id, err := store.NewSessions(db).Current(t.Context(), "acme", "lead", room, "")
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, db, store.NewInbox(db, "test"), store.NewOutbox(db, "test"), id}
}

func (b *bench) item(event string) *inbox.Item {
	return &inbox.Item{
		Session: b.session, Scope: tools.Scope{Tenant: "acme", Agent: "lead", User: "ann", Conversation: room},
		Message: channels.Inbound{ID: channels.MessageID(event), EventKey: event, Conversation: room, Text: "say " + event},
	}
}

func (b *bench) accept(event, owner string) *lane.Lease {
	b.Helper()
	l, known, err := b.inbox.Accept(b.Context(), b.item(event), owner, 100)
	if err != nil || known {
		b.Fatalf("accept %s: known %v, err %v", event, known, err)
	}
	return l
}

func (b *bench) claim(owner string) *lane.Lease {
	b.Helper()
	ls, err := b.inbox.Claim(b.Context(), owner, 10)
	if err != nil {
		b.Fatal(err)
	}
	if len(ls) == 0 {
		return nil
	}
	return &ls[0]
}

func TestAcceptedMessagesKeepTheirOrderAndComeOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		const n = 40
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { // each event is delivered twice, all in parallel
				for range 2 {
					if _, _, err := b.inbox.Accept(t.Context(), b.item(fmt.Sprint(i)), "", 100); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		items, err := b.inbox.After(t.Context(), b.session, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var seqs []int64
		events := map[string]bool{}
		for _, it := range items {
			seqs = append(seqs, it.Seq)
			events[it.Message.EventKey] = true
		}
		if len(events) != n || len(seqs) != n || !slices.IsSorted(seqs) || seqs[0] != 1 || seqs[n-1] != n {
			t.Errorf("want %d events numbered 1 to %d, got %d events, numbers %v", n, n, len(events), seqs)
		}
	})
}

func TestIdleSessionIsClaimedWithItsFirstMessage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.accept("1", "me")
		if l == nil || l.Done != 0 || l.Last != 1 || l.Fence != 1 || l.Attempts != 1 {
			t.Fatalf("lease of the first message: %+v", l)
		}
		if again := b.accept("2", "me"); again != nil {
			t.Errorf("a second message got a second lease: %+v", again)
		}
		if other := b.claim("other"); other != nil {
			t.Errorf("a leased session was claimed: %+v", other)
		}
		b.finish(l, &inbox.End{Through: 2, Outcome: inbox.Answered})
		if !l.Idle() {
			t.Errorf("lease after the end: %+v", l)
		}
		if l := b.accept("3", "other"); l == nil || l.Fence != 2 || l.Done != 2 {
			t.Errorf("the session was not free after its end: %+v", l)
		}
	})
}

func (b *bench) finish(l *lane.Lease, end *inbox.End) *lane.Lease {
	b.Helper()
	out, err := b.inbox.Finish(b.Context(), l, end, "me")
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func TestLateOwnerChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		late := b.accept("1", "late")
		if err := b.db.ReleaseDead(t.Context(), "late"); err != nil {
			t.Fatal(err)
		}
		now := b.claim("now")
		if now == nil || now.Fence <= late.Fence || now.Attempts != 2 {
			t.Fatalf("claim after the death: %+v", now)
		}
		entry := []session.Entry{{Turn: 1, Kind: session.KindMessage, Message: llm.AssistantText("late")}}
		end := &inbox.End{Through: 1, Entries: entry, Out: []channels.Outbound{{Key: "k", Conversation: room}}}
		_, ferr := b.inbox.Finish(t.Context(), late, end, "")
		for what, err := range map[string]error{
			"append":  b.inbox.Log(*late).Append(t.Context(), entry),
			"finish":  ferr,
			"release": b.inbox.Release(t.Context(), *late, lane.Release{}),
		} {
			if !errors.Is(err, lane.ErrFenced) {
				t.Errorf("%s of the late owner: %v", what, err)
			}
		}
		if got, err := b.inbox.Log(*now).Load(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("history after the late writes: %v, %v", got, err)
		}
		if out := b.finish(now, &inbox.End{Through: 1, Outcome: inbox.Answered}); out != nil {
			t.Errorf("nothing was posted, but a conversation was claimed: %+v", out)
		}
	})
}

func TestHistoryBeginsWithTheNewestSummary(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.accept("1", "me")
		log := b.inbox.Log(*l)
		add := func(es ...session.Entry) {
			if err := log.Append(t.Context(), es); err != nil {
				t.Fatal(err)
			}
		}
		msg := func(s string) session.Entry {
			return session.Entry{Turn: 1, Kind: session.KindMessage, Message: llm.UserText(s)}
		}
		add(msg("a"), msg("b"), msg("c"))
		add(session.Entry{Turn: 1, Kind: session.KindSummary, Covers: 2, Message: llm.UserText("sum1")}, msg("d"))
		add(session.Entry{Turn: 1, Kind: session.KindSummary, Covers: 3, Message: llm.UserText("sum2")})
		got, err := log.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, e := range got {
			texts = append(texts, e.Message.Text())
		}
		if d := cmp.Diff([]string{"d", "sum2"}, texts); d != "" {
			t.Error(d)
		}
	})
}

func TestStopMarksWhatRunsAndWithAllWhatWaits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		if n, waiting, err := b.inbox.Stop(t.Context(), b.session, false); n != 0 || waiting != 0 || err != nil {
			t.Errorf("stop of an idle session: %d, %d, %v", n, waiting, err)
		}
		b.accept("1", "me")
		b.accept("2", "me")
		b.accept("3", "me")
		if n, waiting, err := b.inbox.Stop(t.Context(), b.session, false); n != 1 || waiting != 2 || err != nil {
			t.Errorf("stop: %d stopped, %d waiting, %v", n, waiting, err)
		}
		it, err := b.inbox.Item(t.Context(), b.session, 1)
		if err != nil || !it.Stopped {
			t.Errorf("the head is not marked: %+v, %v", it, err)
		}
		if n, waiting, err := b.inbox.Stop(t.Context(), b.session, true); n != 3 || waiting != 0 || err != nil {
			t.Errorf("stop all: %d stopped, %d waiting, %v", n, waiting, err)
		}
	})
}

// What an owner has read before is the same as what a fresh process reads.
func TestHistoryReadBeforeIsTheSameAsReadAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.accept("1", "me")
		kinds := []session.Kind{"message", "message", "message", "summary", "message", "strip", "message", "summary", "message"}
		for i, kind := range kinds {
			e := session.Entry{Turn: 1, Kind: kind, Message: llm.UserText(fmt.Sprint(i))}
			if kind != session.KindMessage {
				e.Covers = int64(i - 1)
			}
			if err := b.inbox.Log(*l).Append(t.Context(), []session.Entry{e}); err != nil {
				t.Fatal(err)
			}
			before, err := b.inbox.Log(*l).Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			anew, err := store.NewInbox(b.db, "test").Log(*l).Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(anew, before); d != "" {
				t.Fatalf("after entry %d, read anew (-) and read before (+) differ:\n%s", i, d)
			}
		}
	})
}
