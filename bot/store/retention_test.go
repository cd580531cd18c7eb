package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/store/storetest"
)

func TestSweepTakesOldWorkedRowsOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		ago := func(d time.Duration) int64 { return time.Now().Add(-d).UnixMilli() }
		old, young := ago(49*time.Hour), ago(47*time.Hour)
		for i, row := range []struct {
			key     string
			at      int64
			status  int // of the outbox
			settled int64
		}{
			{"done long ago", old, 2, old}, {"done lately", young, 2, young}, {"old and waiting", old, 0, 0},
			{"old and in flight", old, 1, 0}, {"undeliverable", old, 3, 0},
		} {
			exec(t, b.db, `INSERT INTO inbox (session, seq, tenant, channel, event_key, payload, received_at, done_at)
				VALUES ('s', ?, 'acme', 'test', ?, '{}', ?, ?)`, i, row.key, row.at, row.settled)
			exec(t, b.db, `INSERT INTO outbox (conversation, seq, tenant, key, payload, created_at, status, sent_at)
				VALUES ('c', ?, 'acme', ?, '{}', ?, ?, ?)`, i, row.key, row.at, row.status, row.settled)
		}
		n, err := b.db.Sweep(t.Context(), time.Hour) // shorter than an event may be repeated
		if err != nil || n != 2 {
			t.Errorf("%d rows deleted, %v", n, err)
		}
		var left []string
		err = b.db.Read(t.Context()).Raw(`SELECT key FROM outbox WHERE tenant = 'acme' ORDER BY seq`).Scan(&left).Error
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"done lately", "old and waiting", "old and in flight", "undeliverable"}, left); d != "" {
			t.Error(d)
		}
		if n := number(t, b.db, `SELECT count(*) FROM inbox`); n != 4 {
			t.Errorf("%d messages are left, want 4", n)
		}
		if n, err := b.db.Sweep(t.Context(), 1000*time.Hour); n != 0 || err != nil {
			t.Errorf("a longer age deleted %d rows, %v", n, err)
		}
	})
}

func TestSweepTakesMoreThanOneBatch(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		b := newBench(t, url)
		const rows = 1203
		numbers := fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)`, rows)
		exec(t, b.db, `INSERT INTO inbox (session, seq, tenant, channel, event_key, payload, received_at, done_at) `+numbers+
			` SELECT 's', i, 'acme', 'test', CAST(i AS TEXT), '{}', 1, 1 FROM n`)
		if n, err := b.db.Sweep(t.Context(), 0); n != rows || err != nil {
			t.Errorf("%d rows deleted, %v", n, err)
		}
	})
}
