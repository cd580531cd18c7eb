package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

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

const historyColumns = "h.session, h.seq, h.turn, h.source, h.kind, h.covers, h.step, h.files, h.message, h.at"

// columns is where historyColumns go.
func (r *historyRow) columns() []any {
	return []any{&r.Session, &r.Seq, &r.Turn, &r.Source, &r.Kind, &r.Covers, &r.Step, &r.Files, &r.Message, &r.At}
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
	var (
		r    historyRow
		rows []historyRow
	)
	load := &step{
		sql: acrossTenants + `SELECT ` + historyColumns + ` FROM history h, (SELECT coalesce(max(seq), 0) AS seq,
				coalesce(max(covers), 0) AS covers FROM history WHERE session = ? AND kind = 'summary') s
			WHERE h.session = ? AND (h.seq = s.seq OR h.seq > s.covers AND h.kind <> 'summary') ORDER BY h.seq`,
		args: []any{h.lease.ID, h.lease.ID},
		row:  r.columns(),
		each: func() { rows = append(rows, r) },
	}
	if had.last > 0 {
		load.sql = acrossTenants + `SELECT ` + historyColumns + ` FROM history h WHERE session = ? AND seq > ? ORDER BY seq`
		load.args = []any{h.lease.ID, had.last}
	}
	if err := h.inbox.db.query(ctx, load); err != nil {
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
	held := h.inbox.hold(&h.lease)
	added, err := h.inbox.addHistory(&h.lease, entries, h.inbox.held(&h.lease))
	if err == nil {
		err = h.inbox.db.script(ctx, append([]*step{held}, added...)...)
	}
	if err == nil {
		err = held.fenced()
	}
	if err != nil {
		return fmt.Errorf("append to history: %w", err)
	}
	return nil
}

// addHistory is the steps that number the entries and write them while held. The transaction holds the session's lane,
// so nobody else appends at the same time.
func (s *Inbox) addHistory(l *lane.Lease, entries []session.Entry, held part) ([]*step, error) {
	tenant := s.tenant(l)
	steps := make([]*step, len(entries))
	for i := range entries {
		e := &entries[i]
		message, err := json.Marshal(e.Message)
		if err != nil {
			return nil, err
		}
		files := ""
		if len(e.Files) > 0 {
			b, err := json.Marshal(e.Files)
			if err != nil {
				return nil, err
			}
			files = string(b)
		}
		args := slices.Concat([]any{l.ID, l.ID}, tenant.args, []any{
			e.Turn, e.Source, string(e.Kind), e.Covers, e.Step, files, string(message), e.At.UnixMilli(),
		}, held.args)
		steps[i] = &step{
			sql: `INSERT INTO history (session, seq, tenant, turn, source, kind, covers, step, files, message, at)
				SELECT ?, (SELECT coalesce(max(seq), 0) + 1 FROM history WHERE session = ?), ` + tenant.sql + `,
					?, ?, ?, ?, ?, ?, ?, ? WHERE ` + held.sql + ` RETURNING seq`,
			args: args,
			row:  []any{&e.Seq},
		}
	}
	return steps, nil
}
