package crashtest_test

import (
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

// A worker that is asked to stop has five seconds: what can end in that time ends and is sent; what cannot goes on at
// the next start, where it was, and without counting as an attempt.
func TestStoppedInTheMiddleOfTurns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		chats := []string{chatName(0), chatName(1), chatName(2)}
		prepare(t, url, chats)
		p := newFeed(newFleet(t, url, dice(t)))
		r := replicas{feed: p}
		one := p.start("one")
		sending := r.begin(one, chats[2:], "tools=0 sendhold=one:2s", func(e *event) bool { return e.Kind == "sending" })
		long := r.begin(one, chats[1:2], "tools=1 hold=one:60s:2", afterTwoCalls)
		short := r.begin(one, chats[:1], "tools=0 hold=one:1s:0", func(e *event) bool { return e.Kind == "model" })
		if took := p.stop(one); took > 5*time.Second || one.code != 0 {
			t.Errorf("the worker stopped after %v with code %d, want 5 s at most and 0", took, one.code)
		}
		for _, name := range []string{sending, short} {
			if _, ok := p.find(by(one, "send", name)); !ok {
				t.Errorf("%s was not answered before the stop", name)
			}
		}
		if n := attempts(t, url); n != 0 {
			t.Errorf("the turn that was cut off has %d attempts, want 0", n)
		}

		two := p.start("two")
		if e := p.awaitEvent("the long turn goes on", by(two, "model", long)); e.Calls != 2 {
			t.Errorf("the long turn went on after %d calls, want 2", e.Calls)
		}
		p.awaitAnswers()
		p.stop(two)
		a := newAudit(p)
		a.run()
		if a.repeats != 0 || a.interrupted != 0 {
			t.Errorf("%d sends repeated, %d changes interrupted, want none", a.repeats, a.interrupted)
		}
	})
}

// attempts is the sum over all lanes that have something to do.
func attempts(t *testing.T, url string) (n int) {
	t.Helper()
	open(t, url, func(db *store.DB) {
		row := db.SQL().QueryRowContext(t.Context(),
			`SELECT coalesce(sum(attempts), 0) FROM lanes WHERE last_seq > done_seq`)
		if err := row.Scan(&n); err != nil {
			t.Error(err)
		}
	})
	return n
}
