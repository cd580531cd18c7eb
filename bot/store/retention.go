package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
)

// sweepBatch bounds how many rows one transaction deletes, so that no writer waits long.
const sweepBatch = 500

// minRetention is the shortest age at which rows may go: until then an event may be delivered again and is known by
// its row.
const minRetention = 48 * time.Hour

// usageAge is how long it is kept what turns used: people compare with the year before.
const usageAge = 400 * 24 * time.Hour

// Sweep deletes messages that were worked or delivered longer than age ago, and contents that no file has any more, and
// returns how many. History, files and undeliverable messages stay.
func (db *DB) Sweep(ctx context.Context, age time.Duration) (int, error) {
	age = max(age, minRetention)
	total := 0
	for _, q := range []string{
		`DELETE FROM inbox WHERE (session, seq) IN
			(SELECT session, seq FROM inbox WHERE done_at > 0 AND done_at < (SELECT {now} - {age})
				ORDER BY done_at LIMIT ?)`,
		`DELETE FROM outbox WHERE (conversation, seq) IN
			(SELECT conversation, seq FROM outbox WHERE sent_at > 0 AND sent_at < (SELECT {now} - {age})
				ORDER BY sent_at LIMIT ?)`,
		`DELETE FROM commands WHERE (channel, event_key) IN
			(SELECT channel, event_key FROM commands WHERE done_at < (SELECT {now} - {age}) ORDER BY done_at LIMIT ?)`,
		`DELETE FROM heard WHERE (channel, event_key) IN
			(SELECT channel, event_key FROM heard WHERE heard_at < (SELECT {now} - {heard}) ORDER BY heard_at LIMIT ?)`,
		`DELETE FROM buttons WHERE token IN
			(SELECT token FROM buttons WHERE expires_at < (SELECT {now}) ORDER BY expires_at LIMIT ?)`,
		`DELETE FROM audit WHERE id IN
			(SELECT id FROM audit WHERE done_at < (SELECT {now} - {year}) ORDER BY done_at LIMIT ?)`,
		`DELETE FROM outputs WHERE (tenant, session, ref) IN
			(SELECT tenant, session, ref FROM outputs WHERE expires_at < (SELECT {now}) ORDER BY expires_at LIMIT ?)`,
		`DELETE FROM codes WHERE (tenant, hash) IN
			(SELECT tenant, hash FROM codes WHERE expires_at < (SELECT {now}) ORDER BY expires_at LIMIT ?)`,
		`DELETE FROM requests WHERE (tenant, code) IN
			(SELECT tenant, code FROM requests WHERE asked_at < (SELECT {now} - {age}) ORDER BY asked_at LIMIT ?)`,
		`DELETE FROM grants WHERE (tenant, code) IN
			(SELECT tenant, code FROM grants WHERE asked_at < (SELECT {now} - {age}) AND until < (SELECT {now})
				ORDER BY asked_at LIMIT ?)`,
		`DELETE FROM turn_usage WHERE (session, seq) IN
			(SELECT session, seq FROM turn_usage WHERE used_at < (SELECT {now} - {year}) ORDER BY used_at LIMIT ?)`,
		`DELETE FROM blobs WHERE hash IN
			(SELECT hash FROM blobs b WHERE created_at < (SELECT {now} - {age}) AND NOT EXISTS
				(SELECT 1 FROM files f WHERE f.hash = b.hash) ORDER BY hash LIMIT ?)
			AND created_at < (SELECT {now} - {age})`, // once more: a file may have taken the content up again meanwhile
	} {
		q = strings.NewReplacer("{year}", millis(usageAge), "{age}", millis(age), "{heard}", millis(minRetention)).Replace(q)
		n, err := db.sweep(ctx, acrossTenants+db.stmt(q))
		total += n
		if err != nil {
			return total, fmt.Errorf("delete old rows: %w", err)
		}
	}
	return total, nil
}

func (db *DB) sweep(ctx context.Context, stmt string) (total int, err error) {
	for {
		var n int
		err := db.write(ctx, func(tx *gorm.DB) error {
			r := tx.Exec(stmt, sweepBatch)
			n = int(r.RowsAffected)
			return r.Error
		})
		total += n
		if err != nil || n < sweepBatch {
			return total, err
		}
	}
}

// millis writes a duration into a statement.
func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
