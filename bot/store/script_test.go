package store_test

import (
	"context"
	"errors"
	"testing"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

// fullEnd is an end of the first turn that writes everything an end can write.
func fullEnd(key string) *inbox.End {
	return &inbox.End{
		Through: 1, Outcome: inbox.Answered, Out: messages("first", key),
		Entries: []session.Entry{
			{Turn: 1, Kind: session.KindMessage, Message: llm.UserText("question")},
			{Turn: 1, Kind: session.KindMessage, Message: llm.AssistantText("answer")},
		},
	}
}

// nothingOf checks that the end of the first turn left nothing behind.
func (b *bench) nothingOf(what string) {
	b.Helper()
	for _, sql := range []string{
		`SELECT count(*) FROM history`,
		`SELECT count(*) FROM outbox WHERE tenant = 'acme'`,
		`SELECT count(*) FROM inbox WHERE done_at > 0`,
		`SELECT sum(done_seq) FROM lanes WHERE kind = 'session'`,
		`SELECT count(*) FROM lanes WHERE kind = 'conversation' AND last_seq > 1`,
	} {
		if n := number(b.T, b.db, sql); n != 0 {
			b.Errorf("%s: %s is %d", what, sql, n)
		}
	}
}

func TestEndOfATurnIsWrittenAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		if _, err := b.out.Post(t.Context(), "another", "", messages("taken"), ""); err != nil {
			t.Fatal(err)
		}
		l := b.accept("1", "me")
		before := *l
		out, err := b.inbox.Finish(t.Context(), l, fullEnd("taken"), "me") // its last statement fails
		if !errors.Is(err, gorm.ErrDuplicatedKey) || out != nil || *l != before {
			t.Errorf("lease to send %+v, lease %+v, %v", out, *l, err)
		}
		b.nothingOf("an end that failed")

		stale := *l
		stale.Fence--
		far := fullEnd("fresh")
		far.Through = 2
		_, serr := b.inbox.Finish(t.Context(), &stale, fullEnd("fresh"), "me")
		_, ferr := b.inbox.Finish(t.Context(), l, far, "me")
		if !errors.Is(serr, lane.ErrFenced) || ferr == nil {
			t.Errorf("an old fence: %v; an item that is not there: %v", serr, ferr)
		}
		b.nothingOf("ends that nobody may write")

		end := fullEnd("fresh")
		b.finish(l, end)
		if !l.Idle() || end.Entries[0].Seq != 1 || end.Entries[1].Seq != 2 {
			t.Errorf("lease %+v, entries %+v", l, end.Entries)
		}
		for sql, want := range map[string]int64{
			`SELECT count(*) FROM history WHERE tenant = 'acme'`:                     2,
			`SELECT count(*) FROM outbox WHERE tenant = 'acme'`:                      2,
			`SELECT count(*) FROM inbox WHERE done_at > 0 AND outcome = 'answered'`:  1,
			`SELECT last_seq - done_seq FROM lanes WHERE kind = 'conversation'`:      3,
			`SELECT count(*) FROM lanes WHERE kind = 'session' AND lease_owner = ''`: 1,
		} {
			if n := number(t, b.db, sql); n != want {
				t.Errorf("%s is %d, want %d", sql, n, want)
			}
		}
	})
}

func TestScriptThatForgotTheTenantIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		for sql, allowed := range map[string]bool{
			`UPDATE history SET step = 1 WHERE seq = 1`:                                false,
			`UPDATE history SET step = 1 WHERE seq = 1 AND tenant = 'acme'`:            true,
			store.AcrossTenants + `UPDATE history SET step = 1 WHERE seq = 1`:          true,
			`UPDATE lanes SET attempts = 0 WHERE id IN (SELECT session FROM inbox)`:    false,
			`UPDATE lanes SET attempts = 0 WHERE kind = 'session' AND lease_until < 0`: true,
		} {
			if err := db.Script(t.Context(), sql); errors.Is(err, store.ErrNoTenant) == allowed || allowed && err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	})
}

func TestScriptOfACallerWhoLeftIsNotBegun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := b.out.Post(gone, "acme", "", messages("a"), "me"); !errors.Is(err, context.Canceled) {
			t.Errorf("post: %v", err)
		}
		if err := b.db.Script(gone, `UPDATE lanes SET attempts = 7`); !errors.Is(err, context.Canceled) {
			t.Errorf("script: %v", err)
		}
		if n := number(t, b.db, `SELECT count(*) FROM outbox`); n != 0 {
			t.Errorf("%d messages were posted", n)
		}
	})
}

func TestMessageThatComesAgainIsKnown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		l := b.accept("1", "me")
		b.finish(l, &inbox.End{Through: 1, Outcome: inbox.Answered})
		before := number(t, b.db, `SELECT fence FROM lanes WHERE kind = 'session'`)
		if again, known, err := b.inbox.Accept(t.Context(), b.item("1"), "me", 100); again != nil || !known || err != nil {
			t.Errorf("lease %+v, known %v, %v", again, known, err)
		}
		if n := number(t, b.db, `SELECT last_seq FROM lanes WHERE kind = 'session'`); n != 1 {
			t.Errorf("the session counts %d messages", n)
		}
		if n := number(t, b.db, `SELECT fence FROM lanes WHERE kind = 'session'`); n != before {
			t.Errorf("fence %d, was %d", n, before)
		}
	})
}
