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
	v, err := latest(tx, in)
	if v == nil || err != nil {
		return inbox.Unknown, err
	}
	var l laneRow
	err = tx.Raw(`UPDATE lanes SET pool = pool WHERE kind = ? AND id = ? RETURNING `+laneColumns, s.kind, v.row.Session).
		Scan(&l).Error
	if err != nil {
		return "", err
	}
	var taken int // by the turn before it
	err = tx.Raw(acrossTenants+`SELECT count(*) FROM history WHERE session = ? AND source = ?`, v.row.Session, v.row.Seq).
		Scan(&taken).Error
	switch {
	case err != nil:
		return "", err
	case v.row.Seq <= l.DoneSeq || same(v.message, in):
		return inbox.Done, nil
	case taken > 0, v.row.Seq == l.DoneSeq+1 && l.LeaseOwner != "":
		return inbox.Running, nil
	}
	v.message.Text, v.message.Attachments, v.message.ReplyTo = in.Text, in.Attachments, in.ReplyTo
	payload, err := json.Marshal(v.payload)
	if err != nil {
		return "", err
	}
	return inbox.Waiting, tx.Exec(acrossTenants+`UPDATE inbox SET payload = ? WHERE session = ? AND seq = ?`,
		string(payload), v.row.Session, v.row.Seq).Error
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
