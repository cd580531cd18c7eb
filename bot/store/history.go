package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/lane"
)

// history is the session.Log of the session that a lease is for.
type history struct {
	inbox *Inbox
	lease lane.Lease
}

type historyRow struct {
	Session string `gorm:"primaryKey"`
	Seq     int64  `gorm:"primaryKey"`
	Tenant  string
	Turn    int64
	Source  int64
	Kind    string
	Covers  int64
	Step    int
	Files   string
	Message string
	At      int64
}

func (historyRow) TableName() string { return "history" }

func historyRowOf(sessionID, tenant string, seq int64, e *session.Entry) (*historyRow, error) {
	message, err := json.Marshal(e.Message)
	if err != nil {
		return nil, err
	}
	row := &historyRow{
		Session: sessionID, Seq: seq, Tenant: tenant, Turn: e.Turn, Source: e.Source, Kind: string(e.Kind),
		Covers: e.Covers, Step: e.Step, Message: string(message), At: e.At.UnixMilli(),
	}
	if len(e.Files) > 0 {
		files, err := json.Marshal(e.Files)
		if err != nil {
			return nil, err
		}
		row.Files = string(files)
	}
	return row, nil
}

func (r *historyRow) entry() (session.Entry, error) {
	e := session.Entry{
		Seq: r.Seq, Turn: r.Turn, Step: r.Step, Source: r.Source, Kind: session.Kind(r.Kind), Covers: r.Covers,
		At: time.UnixMilli(r.At).UTC(),
	}
	if err := json.Unmarshal([]byte(r.Message), &e.Message); err != nil {
		return e, fmt.Errorf("read entry %d of session %s: %w", r.Seq, r.Session, err)
	}
	if r.Files != "" {
		if err := json.Unmarshal([]byte(r.Files), &e.Files); err != nil {
			return e, fmt.Errorf("read files of entry %d of session %s: %w", r.Seq, r.Session, err)
		}
	}
	return e, nil
}

func (h *history) Load(ctx context.Context) ([]session.Entry, error) {
	had := h.inbox.recent.get(h.lease.ID)
	q := h.inbox.db.read(ctx)
	if had.last > 0 {
		q = q.Raw(acrossTenants+`SELECT * FROM history WHERE session = ? AND seq > ? ORDER BY seq`, h.lease.ID, had.last)
	} else {
		q = q.Raw(acrossTenants+`SELECT h.* FROM history h, (SELECT coalesce(max(seq), 0) AS seq,
				coalesce(max(covers), 0) AS covers FROM history WHERE session = ? AND kind = 'summary') s
			WHERE h.session = ? AND (h.seq = s.seq OR h.seq > s.covers AND h.kind <> 'summary') ORDER BY h.seq`,
			h.lease.ID, h.lease.ID)
	}
	var rows []historyRow
	if err := q.Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("load history: %w", err)
	}
	now, err := had.extend(rows)
	if err != nil {
		return nil, err
	}
	h.inbox.recent.put(h.lease.ID, now)
	return slices.Clone(now.entries), nil
}

func (h *history) Append(ctx context.Context, entries []session.Entry) error {
	err := h.inbox.db.write(ctx, func(tx *gorm.DB) error {
		if err := h.inbox.hold(tx, h.lease); err != nil {
			return err
		}
		var tenant string
		err := tx.Raw(acrossTenants+`SELECT tenant FROM sessions WHERE id = ?`, h.lease.ID).Scan(&tenant).Error
		if err != nil {
			return err
		}
		return appendHistory(tx, h.lease.ID, tenant, entries)
	})
	if err != nil {
		return fmt.Errorf("append to history: %w", err)
	}
	return nil
}

// appendHistory numbers the entries and writes them. The caller's transaction holds the session's lane, so nobody else
// appends at the same time.
func appendHistory(tx *gorm.DB, sessionID, tenant string, entries []session.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var last int64
	err := tx.Raw(`SELECT coalesce(max(seq), 0) FROM history WHERE tenant = ? AND session = ?`, tenant, sessionID).
		Scan(&last).Error
	if err != nil {
		return err
	}
	rows := make([]*historyRow, len(entries))
	for i := range entries {
		seq := last + int64(i) + 1
		if rows[i], err = historyRowOf(sessionID, tenant, seq, &entries[i]); err != nil {
			return err
		}
		entries[i].Seq = seq
	}
	return tx.Create(rows).Error
}
