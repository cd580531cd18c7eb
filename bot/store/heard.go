package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// What people say to each other is told to the agent when somebody speaks to it: the newest, and not for ever.
const (
	maxHeard    = 50
	maxHeardAge = 24 * time.Hour
)

// Talk keeps what people say to each other in the presence of the bot, until somebody speaks to the bot.
type Talk struct{ db *DB }

// NewTalk works on db.
func NewTalk(db *DB) *Talk { return &Talk{db} }

type heardRow struct {
	Channel      string `gorm:"primaryKey"`
	EventKey     string `gorm:"primaryKey"`
	Tenant       string
	Conversation string
	Album        string
	Payload      string // a channels.Inbound; empty once it was taken
	HeardAt      int64
	TakenAt      int64
	Now          int64 `gorm:"->"` // computed by the query that asks for it
}

func (heardRow) TableName() string { return "heard" }

// Hear keeps a message that is not for the bot. One that is delivered again is kept once.
func (s *Talk) Hear(ctx context.Context, tenant string, in *channels.Inbound) error {
	payload, err := json.Marshal(in)
	if err != nil {
		return err
	}
	err = s.db.script(ctx, &step{
		sql: `INSERT INTO heard (channel, event_key, tenant, conversation, album, payload, heard_at)
			VALUES (?, ?, ?, ?, ?, ?, {now}) ON CONFLICT (channel, event_key) DO NOTHING`,
		args: []any{in.Conversation.Channel, in.EventKey, tenant, in.Conversation.String(), in.Album,
			string(payload)},
	})
	if err != nil {
		return fmt.Errorf("keep what was heard: %w", err)
	}
	return nil
}

// Revise changes the text of a message that was heard; nothing happens when it is gone, or was told already.
func (s *Talk) Revise(ctx context.Context, in *channels.Inbound) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		var row heardRow
		r := tx.Raw(acrossTenants+`SELECT * FROM heard WHERE channel = ? AND event_key = ? AND taken_at = 0`,
			in.Conversation.Channel, in.Revises).Scan(&row)
		if r.Error != nil || r.RowsAffected == 0 {
			return r.Error
		}
		var was channels.Inbound
		if err := json.Unmarshal([]byte(row.Payload), &was); err != nil {
			return err
		}
		was.Text = in.Text
		payload, err := json.Marshal(was)
		if err != nil {
			return err
		}
		return tx.Exec(acrossTenants+`UPDATE heard SET payload = ? WHERE channel = ? AND event_key = ? AND taken_at = 0`,
			string(payload), row.Channel, row.EventKey).Error
	})
	if err != nil {
		return fmt.Errorf("change what was heard: %w", err)
	}
	return nil
}

// Forget drops a message that was heard and then taken back, unless it was told already.
func (s *Talk) Forget(ctx context.Context, in *channels.Inbound) error {
	err := s.db.script(ctx, &step{
		sql: acrossTenants + `UPDATE heard SET payload = '', taken_at = {now}
			WHERE channel = ? AND event_key = ? AND taken_at = 0`,
		args: []any{in.Conversation.Channel, in.Revises},
	})
	if err != nil {
		return fmt.Errorf("forget what was heard: %w", err)
	}
	return nil
}

// overheard gives a message what was heard before it in its conversation. Files of the same album come with it; those
// of another album are left alone until it is complete, because it may speak to the bot yet. A message that was heard
// itself, before it was changed to speak to the bot, is not told twice. The step, nil when there is nothing, marks all
// of it as told if the message is stored; parts are those of its album that were found.
func (db *DB) overheard(ctx context.Context, it *inbox.Item) (told *step, parts []channels.Inbound, err error) {
	if it.Message.Direct {
		return nil, nil, nil
	}
	from := it.Message.Conversation
	if string(from.Topic) == string(it.Message.ID) { // it opens its topic: what it refers to was said in the room
		from.Topic = ""
	}
	where, album := from.String(), it.Message.Album
	first := &step{ // mostly there is none, which a prepared statement finds out cheaply
		sql:  acrossTenants + `SELECT 1 FROM heard WHERE conversation = ? AND taken_at = 0 LIMIT 1`,
		args: []any{where}, row: []any{new(int)},
	}
	if err := db.query(ctx, first); err != nil || first.rows == 0 {
		return nil, nil, err
	}
	var rows []heardRow
	err = db.read(ctx).Raw(acrossTenants+db.stmt(`SELECT *, {now} AS now FROM heard WHERE conversation = ?
		AND taken_at = 0 AND heard_at > {now} - ? ORDER BY heard_at, event_key`), where, maxHeardAge.Milliseconds()).
		Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	newest := rows[len(rows)-1]
	complete := newest.Now - 2*albumWait.Milliseconds()
	it.Heard, it.Omitted = nil, 0
	for i := range rows {
		r := &rows[i]
		var in channels.Inbound
		if err := json.Unmarshal([]byte(r.Payload), &in); err != nil {
			return nil, nil, fmt.Errorf("read what was heard: %w", err)
		}
		switch {
		case in.EventKey == it.Message.EventKey:
		case in.Album != "" && in.Album == album:
			parts = append(parts, in)
		case in.Album == "" || r.HeardAt <= complete:
			it.Heard = append(it.Heard, in)
		}
	}
	slices.SortStableFunc(it.Heard, func(a, b channels.Inbound) int { return a.SentAt.Compare(b.SentAt) })
	if n := len(it.Heard) - maxHeard; n > 0 {
		it.Heard, it.Omitted = it.Heard[n:], n
	}
	return &step{
		sql: acrossTenants + `UPDATE heard SET taken_at = {now}, payload = '' WHERE conversation = ? AND taken_at = 0
			AND heard_at <= ? AND (album = '' OR album = ? OR heard_at <= ?)
			AND EXISTS (SELECT 1 FROM inbox WHERE channel = ? AND event_key = ?)`,
		args: []any{
			where, newest.HeardAt, album, complete, it.Message.Conversation.Channel, it.Message.EventKey,
		},
	}, parts, nil
}
