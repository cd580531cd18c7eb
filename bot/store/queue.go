package store

import (
	"fmt"
	"slices"

	"github.com/leadhand/leadhand/bot/lane"
)

// push is the step that gives a lane more items. It locks the row until the transaction ends, which puts concurrent
// pushes in order.
type push struct {
	step
	n     int64
	owner string  // gets the lease if the lane was idle; empty: nobody
	after laneRow // the lane afterwards; its last n items are the new ones
}

// push gives a lane n more items if when holds, and, if the lane was idle, its lease to owner (unless that is empty). A
// lane of a channel that this process does not serve is left to those who do.
func (s *lanes) push(id, pool string, n int, owner string, when part) *push {
	if !slices.Contains(s.pools, pool) {
		owner = ""
	}
	ttl, fence := leaseTTL.Milliseconds(), 1
	if owner == "" {
		ttl, fence = 0, 0
	}
	p := &push{n: int64(n), owner: owner}
	// Idle means: nothing left and nobody's. After the push exactly n are left then, and the owner is the new one.
	p.step = step{
		sql: `INSERT INTO lanes (kind, id, pool, last_seq, lease_owner, lease_until, fence, attempts)
			SELECT ?, ?, ?, ?, ?, {now} + ?, ?, ? WHERE ` + when.sql + `
			ON CONFLICT (kind, id) DO UPDATE SET last_seq = lanes.last_seq + excluded.last_seq, pool = excluded.pool,
				lease_owner = CASE WHEN lanes.last_seq = lanes.done_seq AND excluded.lease_owner <> ''
					THEN excluded.lease_owner ELSE lanes.lease_owner END,
				lease_until = CASE WHEN lanes.last_seq = lanes.done_seq THEN excluded.lease_until ELSE lanes.lease_until END,
				fence = CASE WHEN lanes.last_seq = lanes.done_seq THEN lanes.fence + excluded.fence ELSE lanes.fence END,
				attempts = CASE WHEN lanes.last_seq = lanes.done_seq THEN excluded.attempts ELSE lanes.attempts END,
				not_before = CASE WHEN lanes.last_seq = lanes.done_seq THEN 0 ELSE lanes.not_before END
			RETURNING ` + laneColumns,
		args: when.after(s.kind, id, pool, n, owner, ttl, fence, fence),
		row:  p.after.columns(),
	}
	return p
}

// lease is what the push claimed; nil if it claimed nothing. The caller must hand it to the engine.
func (p *push) lease() *lane.Lease {
	if p.owner == "" || p.rows == 0 || p.after.LastSeq-p.after.DoneSeq != p.n {
		return nil
	}
	l := p.after.lease()
	return &l
}

// wake is the step that calls those who look for work, if a push left a lane to them that was idle. A lane that was
// not gets no readier by what is added: its owner comes to that, or whoever it waits for.
func (s *lanes) wake(p *push, id string) []*step {
	if s.db.pg == nil || p.owner != "" {
		return nil
	}
	return []*step{{
		sql:  `SELECT pg_notify(?, ?) FROM lanes WHERE kind = ? AND id = ? AND last_seq - done_seq = ?`,
		args: []any{wakeTopic, s.kind, s.kind, id, p.n},
	}}
}

// advance is the step that moves a lane to done under its fence, and releases it when nothing is left.
type advance struct {
	step
	to    int64
	after laneRow
	held  part // holds for the rest of the transaction if the lane was moved
}

func (s *lanes) advance(l *lane.Lease, to int64) *advance {
	a := &advance{to: to}
	a.step = step{
		sql: `UPDATE lanes SET done_seq = ?, not_before = 0,
				attempts = CASE WHEN last_seq > ? THEN 1 ELSE 0 END,
				lease_owner = CASE WHEN last_seq > ? THEN lease_owner ELSE '' END,
				lease_until = CASE WHEN last_seq > ? THEN {now} + ? ELSE 0 END
			WHERE kind = ? AND id = ? AND fence = ? AND done_seq < ? AND last_seq >= ? RETURNING ` + laneColumns,
		args: []any{to, to, to, to, leaseTTL.Milliseconds(), s.kind, l.ID, l.Fence, to, to},
		row:  a.after.columns(),
	}
	a.held = part{
		sql:  `EXISTS (SELECT 1 FROM lanes WHERE kind = ? AND id = ? AND fence = ? AND done_seq = ?)`,
		args: []any{s.kind, l.ID, l.Fence, to},
	}
	return a
}

// apply updates l after the script.
func (a *advance) apply(l *lane.Lease) error {
	if a.rows == 0 {
		return fmt.Errorf("%w, or item %d is not the next to be done", lane.ErrFenced, a.to)
	}
	l.Last, l.Done, l.Attempts, l.Begun = a.after.LastSeq, a.after.DoneSeq, a.after.Attempts, false
	return nil
}

// held is that l's owner has the lane. It holds for the rest of the transaction after hold.
func (s *lanes) held(l *lane.Lease) part {
	return part{
		sql:  `EXISTS (SELECT 1 FROM lanes WHERE kind = ? AND id = ? AND fence = ?)`,
		args: []any{s.kind, l.ID, l.Fence},
	}
}

// hold is the step that locks a lane's row under its fence for the rest of the transaction.
func (s *lanes) hold(l *lane.Lease) *step {
	return &step{
		sql:  `UPDATE lanes SET lease_until = {now} + ? WHERE kind = ? AND id = ? AND fence = ?`,
		args: []any{leaseTTL.Milliseconds(), s.kind, l.ID, l.Fence},
	}
}
