package crashtest_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/store/storetest"
)

const (
	afterKill   = 4 * time.Second  // within which the work of a killed replica goes on elsewhere; idle machines take one
	afterFreeze = 14 * time.Second // the same of a frozen one: its heartbeat must be 10 s old first
	frozenFor   = 13 * time.Second
)

func TestReplicasTakeOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		if !strings.HasPrefix(url, "postgres") {
			t.Skip("SQLite serves one process")
		}
		var chats []string
		for i := range 60 {
			chats = append(chats, chatName(i))
		}
		prepare(t, url, chats)
		p := newFeed(newFleet(t, url, dice(t)))
		r := replicas{feed: p, killed: p.start("killed"), frozen: p.start("frozen"), other: p.start("other")}
		for _, w := range []*worker{r.killed, r.frozen, r.other} {
			p.awaitEvent("all are ready", by(w, "ready", ""))
		}
		ctx, cease := context.WithCancel(t.Context())
		defer cease()
		var people sync.WaitGroup
		for _, chat := range chats[:12] {
			people.Go(func() { p.chat(ctx, chat) })
		}
		r.killOne(chats[12:20])
		thawed := r.freezeOne(chats[20:28], chats[28:36])
		r.rejoins(chats[36:])
		cease()
		people.Wait()
		p.awaitAnswers()
		p.stop(r.frozen)
		p.stop(r.other)

		a := newAudit(p)
		a.thawed[r.frozen.cmd.Process.Pid] = thawed
		a.run()
		t.Logf("%d messages, %d sends repeated, %d changes interrupted (%d of them had happened)",
			len(p.texts), a.repeats, a.interrupted, a.happened)
	})
}

type replicas struct {
	*feed
	killed, frozen, other *worker
}

// begin hands w a message of one chat after the other until the event shows that w is where orders hold it up:
// any replica may take what one accepted, and then answers it.
func (r *replicas) begin(w *worker, chats []string, orders string, is func(*event) bool) (name string) {
	r.t.Helper()
	for _, chat := range chats {
		in := r.write(chat, orders)
		r.deliver(r.t.Context(), w, in)
		name = nameOf(in)
		held := func(e *event) bool { return by(w, e.Kind, name)(e) && is(e) }
		e := r.awaitEvent(name+" is worked", func(e *event) bool {
			return held(e) || e.Kind == "send" && slices.Contains(e.Names, name)
		})
		if held(&e) {
			return name
		}
	}
	r.t.Fatalf("%s worked none of %d messages", w.name, len(chats))
	return ""
}

// goesOn waits until another worker than w works on the turn of name, and checks that it begins where w was.
func (r *replicas) goesOn(w *worker, name string, since time.Time, within time.Duration) {
	r.t.Helper()
	e := r.awaitEvent(name+" goes on elsewhere", func(e *event) bool {
		return e.Kind == "model" && e.Pid != w.cmd.Process.Pid && slices.Contains(e.Names, name)
	})
	took := e.At.Sub(since)
	r.t.Logf("%s: its work went on after %v", w.name, took.Round(time.Millisecond))
	if took > within {
		r.t.Errorf("the work of %s went on after %v, want %v at most", w.name, took, within)
	}
	if e.Calls != 2 {
		r.t.Errorf("%s went on after %d calls, want 2", name, e.Calls)
	}
}

func afterTwoCalls(e *event) bool { return e.Kind == "model" && e.Calls == 2 }

func (r *replicas) killOne(chats []string) {
	r.t.Helper()
	name := r.begin(r.killed, chats, "tools=1 hold=killed:60s:2", afterTwoCalls)
	now := time.Now()
	r.kill(r.killed)
	r.goesOn(r.killed, name, now, afterKill)
}

// freezeOne freezes a worker while a model call and a send are under way, longer than its heartbeat lasts.
func (r *replicas) freezeOne(turns, sends []string) (thawed time.Time) {
	r.t.Helper()
	sending := r.begin(r.frozen, sends, "tools=0 sendhold=frozen:5s", func(e *event) bool { return e.Kind == "sending" })
	working := r.begin(r.frozen, turns, "tools=1 hold=frozen:4s:2", afterTwoCalls)
	if err := r.frozen.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		r.t.Fatal(err)
	}
	now := time.Now()
	r.goesOn(r.frozen, working, now, afterFreeze)
	r.awaitEvent(sending+" is sent", by(r.other, "send", sending))
	select {
	case <-time.After(time.Until(now.Add(frozenFor))):
	case <-r.t.Context().Done():
	}
	thawed = time.Now()
	if err := r.frozen.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		r.t.Fatal(err)
	}
	return thawed
}

// rejoins checks that the worker that was frozen works again, and is counted as one of two.
func (r *replicas) rejoins(chats []string) {
	r.t.Helper()
	worked := false
	for _, chat := range chats {
		in := r.write(chat, "tools=1")
		name := nameOf(in)
		r.deliver(r.t.Context(), r.frozen, in)
		r.awaitEvent(name+" is answered", func(e *event) bool { return e.Kind == "send" && slices.Contains(e.Names, name) })
		if _, worked = r.find(by(r.frozen, "send", name)); worked {
			break
		}
	}
	if !worked {
		r.t.Errorf("the worker that was frozen worked none of %d messages", len(chats))
	}
	db := storetest.Open(r.t, r.url)
	n := 0
	for late := time.Now().Add(5 * time.Second); n != 2 && time.Now().Before(late); time.Sleep(50 * time.Millisecond) {
		if err := db.SQL().QueryRowContext(r.t.Context(), `SELECT count(*) FROM replicas`).Scan(&n); err != nil {
			r.t.Fatal(err)
		}
	}
	if n != 2 {
		r.t.Errorf("%d replicas are known, want 2", n)
	}
}
