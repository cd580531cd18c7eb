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
	Payload      string // a channels.Inbound; empty once it was taken
	HeardAt      int64
	TakenAt      int64
}

func (heardRow) TableName() string { return "heard" }

// Hear keeps a message that is not for the bot. One that is delivered again is kept once.
func (s *Talk) Hear(ctx context.Context, tenant string, in *channels.Inbound) error {
	payload, err := json.Marshal(in)
	if err != nil {
		return err
	}
	err = s.db.script(ctx, &step{
		sql: `INSERT INTO heard (channel, event_key, tenant, conversation, payload, heard_at)
			VALUES (?, ?, ?, ?, ?, {now}) ON CONFLICT (channel, event_key) DO NOTHING`,
		args: []any{in.Conversation.Channel, in.EventKey, tenant, in.Conversation.String(), string(payload)},
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

// overheard gives a message what was heard before it in its conversation. Files of the same album come with it; a
// message that was heard itself, before it was changed to speak to the bot, is not told twice. The step marks all of it
// as told; nil when there is nothing.
func (db *DB) overheard(ctx context.Context, it *inbox.Item) (*step, error) {
	if it.Message.Direct {
		return nil, nil
	}
	var rows []heardRow
	err := db.read(ctx).Raw(acrossTenants+db.stmt(`SELECT * FROM heard WHERE conversation = ? AND taken_at = 0
		AND heard_at > {now} - ? ORDER BY heard_at, event_key`), it.Message.Conversation.String(),
		maxHeardAge.Milliseconds()).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	keys := make([]any, len(rows))
	it.Heard, it.Omitted = nil, 0
	for i := range rows {
		keys[i] = rows[i].EventKey
		var in channels.Inbound
		if err := json.Unmarshal([]byte(rows[i].Payload), &in); err != nil {
			return nil, fmt.Errorf("read what was heard: %w", err)
		}
		switch {
		case in.EventKey == it.Message.EventKey:
		case in.Album != "" && in.Album == it.Message.Album:
			join(it, &in)
		default:
			it.Heard = append(it.Heard, in)
		}
	}
	slices.SortStableFunc(it.Heard, func(a, b channels.Inbound) int { return a.SentAt.Compare(b.SentAt) })
	if n := len(it.Heard) - maxHeard; n > 0 {
		it.Heard, it.Omitted = it.Heard[n:], n
	}
	return &step{
		sql: acrossTenants + `UPDATE heard SET taken_at = {now}, payload = '' WHERE conversation = ? AND taken_at = 0
			AND heard_at <= ?`,
		args: []any{it.Message.Conversation.String(), rows[len(rows)-1].HeardAt},
	}, nil
}
