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
	row, err := revised(tx, in)
	if row == nil || err != nil {
		return inbox.Unknown, err
	}
	var l laneRow
	err = tx.Raw(`UPDATE lanes SET pool = pool WHERE kind = ? AND id = ? RETURNING `+laneColumns, s.kind, row.Session).
		Scan(&l).Error
	if err != nil {
		return "", err
	}
	var taken int // by the turn before it
	err = tx.Raw(acrossTenants+`SELECT count(*) FROM history WHERE session = ? AND source = ?`, row.Session, row.Seq).
		Scan(&taken).Error
	switch {
	case err != nil:
		return "", err
	case row.Seq <= l.DoneSeq:
		return inbox.Done, nil
	case taken > 0, row.Seq == l.DoneSeq+1 && l.LeaseOwner != "":
		return inbox.Running, nil
	}
	var p inboxPayload
	if err := json.Unmarshal([]byte(row.Payload), &p); err != nil {
		return "", err
	}
	p.Message.Text, p.Message.Command = in.Text, in.Command
	if in.Album == "" {
		p.Message.Attachments = in.Attachments
	}
	payload, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	return inbox.Waiting, tx.Exec(acrossTenants+`UPDATE inbox SET payload = ? WHERE session = ? AND seq = ?`,
		string(payload), row.Session, row.Seq).Error
}

// revised finds the message that is changed: by its key, or as a part of an album. It is nil when there is none.
func revised(tx *gorm.DB, in *channels.Inbound) (*inboxRow, error) {
	var rows []inboxRow
	channel := in.Conversation.Channel
	q := tx.Raw(acrossTenants+`SELECT * FROM inbox WHERE channel = ? AND event_key = ?`, channel, in.Revises)
	if in.Album != "" {
		q = tx.Raw(acrossTenants+`SELECT * FROM inbox WHERE channel = ? AND album = ? AND album <> ''`, channel, in.Album)
	}
	if err := q.Scan(&rows).Error; err != nil {
		return nil, err
	}
	for i := range rows {
		var p inboxPayload
		if in.Album == "" {
			return &rows[i], nil
		}
		if json.Unmarshal([]byte(rows[i].Payload), &p) == nil && slices.Contains(p.Parts, in.Revises) {
			return &rows[i], nil
		}
	}
	return nil, nil
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
