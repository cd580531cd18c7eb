package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// replicas is Each on PostgreSQL alone: SQLite has one process.
func replicas(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, url string) {
		if strings.HasPrefix(url, "sqlite") {
			t.Skip("one process has the file")
		}
		test(t, newBench(t, url))
	})
}

// join makes a member and waits until it belongs to the others. lost is told its new id each time it lost that.
func (b *bench) join() (m *store.Member, lost chan string, leave func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	m, lost = store.NewMember(b.db), make(chan string, 10)
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx, func() { lost <- m.ID() }) }()
	left := false
	leave = func() {
		if left {
			return
		}
		left = true
		cancel()
		if err := <-ended; err != nil {
			b.Errorf("member: %v", err)
		}
	}
	b.Cleanup(leave)
	b.joined(m.ID())
	return m, lost, leave
}

func (b *bench) joined(id string) {
	b.Helper()
	eventually(b.T, "the member joined", func() bool { return b.isMember(id) })
}

func (b *bench) isMember(id string) bool {
	b.Helper()
	return number(b.T, b.db, `SELECT count(*) FROM replicas WHERE id = ?`, id) == 1
}

// kill ends the server's side of the connections that a query of their process ids finds.
func (b *bench) kill(pids string) {
	b.Helper()
	n := number(b.T, b.db, `SELECT count(pg_terminate_backend(pid)) FROM (`+pids+`) AS found (pid)`)
	if n != 1 {
		b.Fatalf("%d connections killed", n)
	}
}

const memberConnection = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND granted AND
	database = (SELECT oid FROM pg_database WHERE datname = current_database())`

func TestMemberThatLostItsConnectionJoinsUnderANewName(t *testing.T) {
	t.Parallel()
	replicas(t, func(t *testing.T, b *bench) {
		m, lost, _ := b.join()
		old := m.ID()
		held := b.accept("1", old)
		b.kill(memberConnection)
		if id := await(t, lost); id == old || id != m.ID() {
			t.Errorf("lost under the name %q, now %q, before %q", id, m.ID(), old)
		}
		b.joined(m.ID())
		// It buries its former self, as any other member would.
		eventually(t, "the old name was buried", func() bool { return !b.isMember(old) })
		if l := b.claim(m.ID()); l == nil || l.Fence <= held.Fence {
			t.Errorf("lease claimed anew: %+v", l)
		}
	})
}

func TestDeadMembersAreBuriedAndTheirWorkGoesOn(t *testing.T) {
	t.Parallel()
	replicas(t, func(t *testing.T, b *bench) {
		b.accept("1", "killed")
		b.post("hung", "a")
		b.queue("s", "1")
		exec(t, b.db, `UPDATE lanes SET lease_owner = 'alive', lease_until = 9999999999999 WHERE id = 's'`)
		exec(t, b.db, `INSERT INTO leases (name, owner, fence, expires_at) VALUES ('poll', 'killed', 1, 9999999999999)`)
		conn, err := b.db.SQL().Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		for _, q := range []string{
			`SELECT pg_advisory_lock(4711, hashtext('hung')), pg_advisory_lock(4711, hashtext('alive'))`,
			`INSERT INTO replicas (id, process, heartbeat) SELECT id, 'another', extract(epoch FROM clock_timestamp()) * 1000 - age
				FROM (VALUES ('killed', 0), ('hung', 10500), ('alive', -600000)) AS of (id, age)`,
		} {
			if _, err := conn.ExecContext(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		b.join()
		for _, dead := range []string{"killed", "hung"} {
			eventually(t, dead+" was buried", func() bool { return !b.isMember(dead) })
		}
		if !b.isMember("alive") {
			t.Error("a living member was buried")
		}
		if l := b.claim("me"); l == nil || l.ID != b.session {
			t.Errorf("claimed %+v", l)
		}
		if ls, err := b.out.Claim(t.Context(), "me", 1); err != nil || len(ls) != 1 {
			t.Errorf("claimed %v, %v", ls, err)
		}
		if l := b.claim("me"); l != nil {
			t.Errorf("the living member's lane was claimed: %+v", l)
		}
		if n := number(t, b.db, `SELECT expires_at FROM leases`); n != 0 {
			t.Error("the dead member still has its lease")
		}
	})
}

func TestMemberThatWasBuriedNotices(t *testing.T) {
	t.Parallel()
	replicas(t, func(t *testing.T, b *bench) {
		m, lost, leave := b.join()
		old := m.ID()
		exec(t, b.db, `DELETE FROM replicas`)
		if id := await(t, lost); id == old {
			t.Error("it kept its name")
		}
		b.joined(m.ID())
		leave()
		if b.isMember(m.ID()) {
			t.Error("it did not leave in order")
		}
		if len(lost) != 0 {
			t.Error("leaving counted as a loss")
		}
	})
}

func TestMemberOnSQLiteIsAlone(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, onSQLite(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := store.NewMember(db)
	if err := m.Run(ctx, func() { t.Error("lost") }); err != nil || m.ID() == "" {
		t.Errorf("run: %v, id %q", err, m.ID())
	}
	if err := db.Listen(ctx, store.News{}); err != nil {
		t.Errorf("listen: %v", err)
	}
}

// listening runs Listen until the test ends and waits until it hears.
func (b *bench) listening() (wakes chan struct{}, stops chan string) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	wakes, stops = make(chan struct{}, 100), make(chan string, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- b.db.Listen(ctx, store.News{
			Wake: func() { wakes <- struct{}{} }, Stop: func(session string) { stops <- session },
		})
	}()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Errorf("listen: %v", err)
		}
	})
	await(b.T, wakes)
	return wakes, stops
}

func TestReplicasHearOfWorkAndStops(t *testing.T) {
	t.Parallel()
	replicas(t, func(t *testing.T, b *bench) {
		wakes, stops := b.listening()
		stop := func(session string) {
			t.Helper()
			if _, _, err := b.inbox.Stop(t.Context(), session, false); err != nil {
				t.Fatal(err)
			}
		}
		for _, news := range []struct {
			what string
			tell func()
		}{
			{"a message nobody claimed", func() { b.queue("s1", "1") }},
			{"a send nobody claimed", func() { b.post("", "a") }},
			{"a lane given back", func() { b.release(b.claim("me"), releaseNow) }},
			{"leases of a dead owner", func() { releaseDead(t, b.db, "dead") }},
		} {
			news.tell()
			select {
			case <-wakes:
			case <-time.After(patience):
				t.Errorf("%s: nobody was told", news.what)
			}
		}
		b.accept("1", "me")
		stop("idle") // nothing is worked there, so nothing is to be ended
		stop(b.session)
		if got := await(t, stops); got != b.session {
			t.Errorf("told to stop %q", got)
		}
	})
}

func TestListenHearsAgainAfterItsConnectionBroke(t *testing.T) {
	t.Parallel()
	replicas(t, func(t *testing.T, b *bench) {
		wakes, stops := b.listening()
		b.accept("1", "me")
		b.kill(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'`)
		await(t, wakes) // because of what it may have missed
		if _, _, err := b.inbox.Stop(t.Context(), b.session, false); err != nil {
			t.Fatal(err)
		}
		if got := await(t, stops); got != b.session {
			t.Errorf("told to stop %q", got)
		}
	})
}

func TestClaimedMessageWakesNobody(t *testing.T) {
	t.Parallel()
	replicas(t, func(t *testing.T, b *bench) {
		wakes, stops := b.listening()
		l := b.accept("1", "me")
		out := b.finish(l, endWith(channels.Outbound{Key: "a", Conversation: room}))
		if out == nil {
			t.Fatal("the conversation was not claimed")
		}
		b.sent(out, b.begin(out))
		b.accept("2", "me")
		b.accept("3", "")                                                         // to a busy session: its owner comes to it
		if _, _, err := b.inbox.Stop(t.Context(), b.session, false); err != nil { // comes after all that was told before
			t.Fatal(err)
		}
		await(t, stops)
		if len(wakes) != 0 {
			t.Error("others were woken for work that they cannot have")
		}
	})
}

func TestOnlyOneHoldsANameAlone(t *testing.T) {
	t.Parallel()
	replicas(t, func(t *testing.T, b *bench) {
		first, second := store.NewMember(b.db), store.NewMember(b.db)
		for _, m := range []*store.Member{first, second} {
			if err := m.Join(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		holds := func(m *store.Member, name string) bool {
			t.Helper()
			alone, err := m.Alone(t.Context(), name)
			if err != nil {
				t.Error(err)
			}
			return alone
		}
		if !holds(first, "chat") || holds(second, "chat") || !holds(second, "another") {
			t.Error("the name went to more than the first")
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := first.Run(gone, func() {}); err != nil {
			t.Error(err)
		}
		eventually(b.T, "the name is free after its holder left", func() bool { return holds(second, "chat") })
		if err := second.Run(gone, func() {}); err != nil {
			t.Error(err)
		}
	})
}
