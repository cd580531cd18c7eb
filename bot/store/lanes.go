package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/lane"
)

// leaseTTL is how long a lease lasts without renewal. On SQLite, and for a process that was killed, nobody waits for
// it: leases found at start are dead, and dead processes are noticed by their lock.
const leaseTTL = 15 * time.Second

// Lane kinds, in the column lanes.kind.
const (
	sessionLane      = "session"
	conversationLane = "conversation"
)

// lanes is the lane.Store of one kind, for the channels that this process serves.
type lanes struct {
	db    *DB
	kind  string
	pools []string // channel names
}

type laneRow struct {
	ID         string
	LastSeq    int64
	DoneSeq    int64
	LeaseOwner string
	LeaseUntil int64
	Fence      int64
	Attempts   int
}

func (laneRow) TableName() string { return "lanes" }

func (r *laneRow) lease() lane.Lease {
	return lane.Lease{
		ID: r.ID, Owner: r.LeaseOwner, Fence: r.Fence, Last: r.LastSeq, Done: r.DoneSeq, Attempts: r.Attempts,
	}
}

// columns is where laneColumns go.
func (r *laneRow) columns() []any {
	return []any{&r.ID, &r.LastSeq, &r.DoneSeq, &r.LeaseOwner, &r.LeaseUntil, &r.Fence, &r.Attempts}
}

const laneColumns = "id, last_seq, done_seq, lease_owner, lease_until, fence, attempts"

func (s *lanes) Claim(ctx context.Context, owner string, limit int) ([]lane.Lease, error) {
	var rows []laneRow
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		// MATERIALIZED: a plain subquery may be run once for each row, and then gives more than the limit.
		return tx.Raw(s.db.stmt(`WITH ready (lane) AS MATERIALIZED (SELECT id FROM lanes
				WHERE kind = ? AND last_seq > done_seq AND pool IN ? AND lease_until <= {now} AND not_before <= {now}
				ORDER BY lease_until LIMIT ? {skip locked})
			UPDATE lanes SET lease_owner = ?, lease_until = {now} + ?, fence = fence + 1, attempts = attempts + 1
			WHERE kind = ? AND id IN (SELECT lane FROM ready) RETURNING `+laneColumns),
			s.kind, s.pools, limit, owner, leaseTTL.Milliseconds(), s.kind).Scan(&rows).Error
	})
	if err != nil {
		return nil, err
	}
	leases := make([]lane.Lease, len(rows))
	for i := range rows {
		leases[i] = rows[i].lease()
	}
	return leases, nil
}

func (s *lanes) Release(ctx context.Context, l lane.Lease, how lane.Release) error {
	refund := 0
	if how.Refund {
		refund = 1
	}
	return s.db.write(ctx, func(tx *gorm.DB) error {
		r := tx.Exec(s.db.stmt(`UPDATE lanes SET lease_owner = '', lease_until = {now}, not_before = {now} + ?,
			attempts = attempts - ? WHERE kind = ? AND id = ? AND fence = ?`),
			how.After.Milliseconds(), refund, s.kind, l.ID, l.Fence)
		if err := fenced(r); err != nil {
			return err
		}
		return s.db.notify(tx, wakeTopic, s.kind)
	})
}

// Renew goes by lane and owner, not by fence, to be one statement: a lane that this process claimed again under a
// higher fence is its own all the same.
func (s *lanes) Renew(ctx context.Context, leases []lane.Lease) error {
	ids, owners := make([]string, len(leases)), make([]string, len(leases))
	for i, l := range leases {
		ids[i], owners[i] = l.ID, l.Owner
	}
	slices.Sort(owners)
	return s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Exec(s.db.stmt(`UPDATE lanes SET lease_until = {now} + ? WHERE kind = ? AND id IN ?
			AND lease_owner IN ? AND last_seq > done_seq`),
			leaseTTL.Milliseconds(), s.kind, ids, slices.Compact(owners)).Error
	})
}

func (s *lanes) NextReady(ctx context.Context) (time.Duration, error) {
	var at *int64
	err := s.db.read(ctx).Raw(s.db.stmt(`SELECT
			min(CASE WHEN lease_until > not_before THEN lease_until ELSE not_before END) - {now}
		FROM lanes WHERE kind = ? AND last_seq > done_seq AND pool IN ?`), s.kind, s.pools).Scan(&at).Error
	switch {
	case err != nil:
		return 0, fmt.Errorf("ask for ready lanes: %w", err)
	case at == nil:
		return -1, nil
	}
	return max(time.Duration(*at)*time.Millisecond, 0), nil
}

// fenced turns a statement that met no row into lane.ErrFenced.
func fenced(r *gorm.DB) error {
	if r.Error == nil && r.RowsAffected == 0 {
		return lane.ErrFenced
	}
	return r.Error
}

// ReleaseDead frees the leases of an owner that is known to be dead, before all others in line, and raises their
// fences: should it still run, it changes nothing from now on. An empty owner means everybody: on SQLite, where this
// process has the file alone.
func (db *DB) ReleaseDead(ctx context.Context, owner string) error {
	return db.write(ctx, func(tx *gorm.DB) error { return db.releaseDead(tx, owner) })
}

func (db *DB) releaseDead(tx *gorm.DB, owner string) error {
	lanes := tx.Table("lanes").Where("lease_until > 0 AND last_seq > done_seq")
	names := tx.Table("leases").Where("expires_at > 0")
	if owner != "" {
		lanes, names = lanes.Where("lease_owner = ?", owner), names.Where("owner = ?", owner)
	}
	dead := map[string]any{"lease_owner": "", "lease_until": -1, "fence": gorm.Expr("fence + 1")}
	if err := lanes.Updates(dead).Error; err != nil {
		return err
	}
	if err := names.Updates(map[string]any{"owner": "", "expires_at": 0}).Error; err != nil {
		return err
	}
	return db.notify(tx, wakeTopic, "")
}

// Busy tells whether a channel has something queued, running or unsent.
func (db *DB) Busy(ctx context.Context, channel string) (bool, error) {
	var n int
	err := db.read(ctx).Raw(`SELECT count(*) FROM lanes WHERE pool = ? AND last_seq > done_seq`, channel).Scan(&n).Error
	if err != nil {
		return false, fmt.Errorf("ask for unfinished work: %w", err)
	}
	return n > 0, nil
}
