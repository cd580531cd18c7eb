package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// exec changes what no code of the project would: tests make the past, crashes and damage with it. Arguments are "?".
func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	if db.Postgres() {
		for i := range args {
			sql = strings.Replace(sql, "?", fmt.Sprint("$", i+1), 1)
		}
	}
	if _, err := db.SQL().ExecContext(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// number asks for one number.
func number(t *testing.T, db *store.DB, sql string, args ...any) (n int64) {
	t.Helper()
	if err := db.Read(t.Context()).Raw(store.AcrossTenants+sql, args...).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

// into is item for another session, which needs no row of its own.
func (b *bench) into(sessionID, event string) *inbox.Item {
	it := b.item(sessionID + "/" + event)
	it.Session = sessionID
	return it
}

func (b *bench) queue(sessionID string, events ...string) {
	b.Helper()
	for _, e := range events {
		if _, _, err := b.inbox.Accept(b.Context(), b.into(sessionID, e), "", 100); err != nil {
			b.Fatal(err)
		}
	}
}

func (b *bench) release(l *lane.Lease, how lane.Release) {
	b.Helper()
	if err := b.inbox.Release(b.Context(), *l, how); err != nil {
		b.Fatal(err)
	}
}

func TestClaimersShareLanesWithoutOverlap(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		const n, limit = 60, 7
		for i := range n {
			b.queue(fmt.Sprint("s", i), "1")
		}
		var mu sync.Mutex
		owners := map[string][]string{}
		var all sync.WaitGroup
		for c := range 6 {
			all.Go(func() {
				for range 20 {
					ls, err := b.inbox.Claim(t.Context(), fmt.Sprint("owner", c), limit)
					if err != nil || len(ls) > limit {
						t.Errorf("%d lanes claimed, %v", len(ls), err)
					}
					mu.Lock()
					for _, l := range ls {
						owners[l.ID] = append(owners[l.ID], l.Owner)
						if l.Fence != 1 || l.Last != 1 || l.Done != 0 || l.Attempts != 1 {
							t.Errorf("lease %+v", l)
						}
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if len(owners) != n {
			t.Errorf("%d of %d lanes were claimed", len(owners), n)
		}
		for id, by := range owners {
			if len(by) != 1 {
				t.Errorf("lane %s was claimed by %v", id, by)
			}
		}
	})
}

func TestAttemptsCountCrashesAndErrorsOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.accept("1", "me")
		b.accept("2", "me")
		var got []int
		again := func() {
			t.Helper()
			if l = b.claim("me"); l == nil {
				t.Fatal("the lane cannot be claimed")
			}
			got = append(got, l.Attempts)
		}
		b.release(l, lane.Release{Refund: true}) // graceful
		again()
		b.release(l, lane.Release{}) // an error
		again()
		if err := b.db.ReleaseDead(t.Context(), "me"); err != nil { // a crash
			t.Fatal(err)
		}
		again()
		b.finish(l, &inbox.End{Through: 1, Outcome: inbox.Answered}) // the next item begins at one
		got = append(got, l.Attempts)
		b.release(l, lane.Release{Refund: true}) // let others in
		again()
		if d := cmp.Diff([]int{1, 2, 3, 1, 1}, got); d != "" {
			t.Error(d)
		}
		b.finish(l, &inbox.End{Through: 2, Outcome: inbox.Answered})
		if l := b.accept("3", "me"); l == nil || l.Attempts != 1 {
			t.Errorf("lease after idleness %+v", l)
		}
	})
}

func TestNextReadyTellsWhenToLookAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		next := func() time.Duration {
			t.Helper()
			d, err := b.inbox.NextReady(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		if d := next(); d >= 0 {
			t.Errorf("%s although nothing is there", d)
		}
		if d, err := store.NewInbox(b.db).NextReady(t.Context()); d >= 0 || err != nil {
			t.Errorf("without channels: %s, %v", d, err)
		}
		l := b.accept("1", "me")
		if d := next(); d < 14*time.Second || d > 15*time.Second {
			t.Errorf("%s until the lease runs out, want 15 s", d)
		}
		b.release(l, lane.Release{After: time.Minute})
		if d := next(); d < 59*time.Second || d > time.Minute {
			t.Errorf("%s until the retry, want a minute", d)
		}
		if l := b.claim("me"); l != nil {
			t.Errorf("claimed before its time: %+v", l)
		}
		b.accept("2", "me") // must not break the wait
		if d := next(); d < 59*time.Second {
			t.Errorf("%s after another message", d)
		}
		exec(t, b.db, `UPDATE lanes SET not_before = 0`)
		if d := next(); d != 0 {
			t.Errorf("%s although one is ready", d)
		}
		if d, err := store.NewInbox(b.db, "elsewhere").NextReady(t.Context()); d >= 0 || err != nil {
			t.Errorf("for another channel: %s, %v", d, err)
		}
	})
}

func TestOnlyWorkedLeasesAreRenewed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		for _, s := range []string{"worked", "forgotten", "others"} {
			b.queue(s, "1")
		}
		ls, err := b.inbox.Claim(t.Context(), "me", 3)
		if err != nil || len(ls) != 3 {
			t.Fatalf("%d claimed, %v", len(ls), err)
		}
		exec(t, b.db, `UPDATE lanes SET lease_until = 5`)
		exec(t, b.db, `UPDATE lanes SET lease_owner = 'other' WHERE id = 'others'`)
		mine := slices.DeleteFunc(ls, func(l lane.Lease) bool { return l.ID == "forgotten" })
		if err := b.inbox.Renew(t.Context(), mine); err != nil {
			t.Fatal(err)
		}
		for id, renewed := range map[string]bool{"worked": true, "forgotten": false, "others": false} {
			if got := number(t, b.db, `SELECT lease_until FROM lanes WHERE id = ?`, id) > 5; got != renewed {
				t.Errorf("lane %s: renewed %v", id, got)
			}
		}
	})
}

func TestDeadOwnersLanesGoFirstAndFenced(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		b.queue("early", "1")
		b.queue("late", "1")
		b.queue("kept", "1")
		exec(t, b.db, `UPDATE lanes SET lease_until = 1 WHERE id = 'early'`)
		exec(t, b.db, `UPDATE lanes SET lease_owner = 'dead', fence = 7, attempts = 1, lease_until = 9999999999999
			WHERE id = 'late'`)
		exec(t, b.db, `UPDATE lanes SET lease_owner = 'alive', lease_until = 9999999999999 WHERE id = 'kept'`)
		if err := b.db.ReleaseDead(t.Context(), "dead"); err != nil {
			t.Fatal(err)
		}
		late := lane.Lease{ID: "late", Owner: "dead", Fence: 7, Last: 1}
		if err := b.inbox.Release(t.Context(), late, lane.Release{}); err == nil {
			t.Error("the dead owner still changes its lane")
		}
		var order []string
		for range 3 {
			ls, err := b.inbox.Claim(t.Context(), "me", 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range ls {
				order = append(order, l.ID)
			}
		}
		if d := cmp.Diff([]string{"late", "early"}, order); d != "" {
			t.Error(d)
		}
	})
}

func TestLaneOfAnotherProcessesChannelIsLeftToIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		m := channels.Outbound{Key: "k", Conversation: channels.Conversation{Channel: "elsewhere", Chat: "1"}}
		l, err := b.out.Post(t.Context(), "acme", "", []channels.Outbound{m}, "me")
		if l != nil || err != nil {
			t.Errorf("claimed %+v, %v", l, err)
		}
		if ls, err := b.out.Claim(t.Context(), "me", 10); len(ls) != 0 || err != nil {
			t.Errorf("claimed later %+v, %v", ls, err)
		}
		ls, err := store.NewOutbox(b.db, "elsewhere").Claim(t.Context(), "it", 10)
		if len(ls) != 1 || err != nil {
			t.Errorf("the other process claimed %+v, %v", ls, err)
		}
	})
}

func TestEndThatMakesNoSenseChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.accept("1", "me")
		before := *l
		for _, through := range []int64{-1, 0, 2} {
			if _, err := b.inbox.Finish(t.Context(), l, &inbox.End{Through: through}, ""); err == nil {
				t.Errorf("a turn ended through item %d of 1", through)
			}
		}
		if d := cmp.Diff(before, *l); d != "" {
			t.Error(d)
		}
		b.finish(l, &inbox.End{Through: 1, Outcome: inbox.Answered})
	})
}

// releaseNow gives a lane back that can be worked at once.
var releaseNow = lane.Release{Refund: true}

func endWith(ms ...channels.Outbound) *inbox.End {
	return &inbox.End{Through: 1, Outcome: inbox.Answered, Out: ms}
}
