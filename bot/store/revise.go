package store

import (
	"context"
	"encoding/json"
	"slices"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/channels"
)

// Revise looks the changed message up and replaces its text if its turn has not begun. The lane is locked meanwhile, so
// that it does not begin.
func (s *Inbox) Revise(ctx context.Context, in *channels.Inbound) (fate inbox.Fate, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		fate, err = s.revise(tx, in)
		return err
	})
	return fate, err
}

func (s *Inbox) revise(tx *gorm.DB, in *channels.Inbound) (inbox.Fate, error) {
	v, fate, err := s.fate(tx, in)
	if fate != inbox.Waiting && fate != inbox.Running || err != nil {
		return fate, err
	}
	if same(v.message, in) {
		return inbox.Done, nil
	}
	if fate == inbox.Running {
		return fate, nil
	}
	v.message.Text, v.message.Attachments, v.message.ReplyTo = in.Text, in.Attachments, in.ReplyTo
	payload, err := json.Marshal(v.payload)
	if err != nil {
		return "", err
	}
	return fate, tx.Exec(acrossTenants+`UPDATE inbox SET payload = ? WHERE session = ? AND seq = ?`,
		string(payload), v.row.Session, v.row.Seq).Error
}

// Withdraw drops the message that in takes back if its turn has not begun.
func (s *Inbox) Withdraw(ctx context.Context, in *channels.Inbound) (fate inbox.Fate, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		var v *version
		if v, fate, err = s.fate(tx, in); fate != inbox.Waiting || err != nil {
			return err
		}
		return tx.Exec(acrossTenants+`UPDATE inbox SET stopped = ? WHERE session = ? AND seq = ?`,
			withdrawn, v.row.Session, v.row.Seq).Error
	})
	return fate, err
}

// fate finds the newest version of the message that in is about, and what became of it. If that waits, it waits until
// the end of the transaction.
func (s *Inbox) fate(tx *gorm.DB, in *channels.Inbound) (*version, inbox.Fate, error) {
	v, err := latest(tx, in)
	if v == nil || err != nil {
		return nil, inbox.Unknown, err
	}
	var l laneRow
	err = tx.Raw(`UPDATE lanes SET pool = pool WHERE kind = ? AND id = ? RETURNING `+laneColumns, s.kind, v.row.Session).
		Scan(&l).Error
	if err != nil {
		return nil, "", err
	}
	var taken int // by the turn before it
	err = tx.Raw(acrossTenants+`SELECT count(*) FROM history WHERE session = ? AND source = ?`, v.row.Session, v.row.Seq).
		Scan(&taken).Error
	switch {
	case err != nil:
		return nil, "", err
	case v.row.Seq <= l.DoneSeq || v.row.Stopped == withdrawn:
		return v, inbox.Done, nil
	case taken > 0, v.row.Seq == l.DoneSeq+1 && l.LeaseOwner != "":
		return v, inbox.Running, nil
	}
	return v, inbox.Waiting, nil
}

// version is a message as it was last received.
type version struct {
	row     inboxRow
	payload inboxPayload
	message *channels.Inbound // in the payload: the message itself, or a part of an album
}

// latest finds the newest version of the message that is changed: itself, or a change that was accepted as a message of
// its own while it was worked. It is nil when there is none.
func latest(tx *gorm.DB, in *channels.Inbound) (*version, error) {
	var rows []inboxRow
	channel := in.Conversation.Channel
	q := tx.Raw(acrossTenants+`SELECT * FROM inbox WHERE channel = ? AND event_key = ?`, channel, in.Revises)
	if in.Album != "" {
		q = tx.Raw(acrossTenants+`SELECT * FROM inbox WHERE channel = ? AND album = ? AND album <> ''`, channel, in.Album)
	}
	if err := q.Scan(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	var later []inboxRow
	err := tx.Raw(acrossTenants+`SELECT * FROM inbox WHERE session = ? AND seq > ? AND payload LIKE ? ORDER BY seq`,
		rows[0].Session, rows[0].Seq, `%"revises":"`+in.Revises+`"%`).Scan(&later).Error
	if err != nil {
		return nil, err
	}
	var found *version
	for _, row := range append(rows, later...) {
		v := &version{row: row}
		if json.Unmarshal([]byte(row.Payload), &v.payload) != nil {
			continue
		}
		if v.message = v.payload.find(in.Revises); v.message != nil {
			found = v
		}
	}
	return found, nil
}

// find is the message that has the key, or is a change of it; nil when there is none.
func (p *inboxPayload) find(key string) *channels.Inbound {
	if p.Message.EventKey == key || p.Message.Revises == key {
		return &p.Message
	}
	for i := range p.Parts {
		if p.Parts[i].EventKey == key {
			return &p.Parts[i]
		}
	}
	return nil
}

// same tells whether a change changes nothing that counts, as when a preview of a link was added.
func same(was *channels.Inbound, in *channels.Inbound) bool {
	files := func(a, b channels.Attachment) bool { return a.Ref == b.Ref && a.Name == b.Name }
	return was.Text == in.Text && slices.EqualFunc(was.Attachments, in.Attachments, files)
}

// Previewed keeps which message shows the answer in the making to the head of a lane.
func (s *Inbox) Previewed(ctx context.Context, l *lane.Lease, id channels.MessageID) error {
	held := s.held(l)
	set := &step{
		sql:  acrossTenants + `UPDATE inbox SET preview = ? WHERE session = ? AND seq = ? AND ` + held.sql,
		args: held.after(string(id), l.ID, l.Done+1),
	}
	if err := s.db.script(ctx, set); err != nil {
		return err
	}
	return set.fenced()
}

// Bots implements inbox.Intake.
func (s *Inbox) Bots(ctx context.Context, sessionID string) (n int, since int64, err error) {
	count := &step{
		sql: acrossTenants + `SELECT count(*), coalesce(min(p.seq), 0) FROM inbox i,
			(SELECT coalesce(max(seq), 0) AS seq FROM inbox WHERE session = ? AND bot = 0) p
			WHERE i.session = ? AND i.seq > p.seq`,
		args: []any{sessionID, sessionID}, row: []any{&n, &since},
	}
	return n, since, s.db.query(ctx, count)
}

// Ended implements inbox.Store.
func (s *Inbox) Ended(ctx context.Context, sessionID string, seq int64) (bool, error) {
	open := &step{
		sql:  acrossTenants + `SELECT 1 FROM inbox WHERE session = ? AND seq = ? AND done_at = 0`,
		args: []any{sessionID, seq}, row: []any{new(int)},
	}
	err := s.db.query(ctx, open)
	return open.rows == 0, err
}
