package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
)

// Commands remembers which commands were done, so that one that is delivered again is not done again.
type Commands struct{ db *DB }

// NewCommands works on db.
func NewCommands(db *DB) *Commands { return &Commands{db} }

type commandRow struct {
	Channel  string `gorm:"primaryKey"`
	EventKey string `gorm:"primaryKey"`
	DoneAt   int64
}

func (commandRow) TableName() string { return "commands" }

// Done tells whether the command of an event was done.
func (s *Commands) Done(ctx context.Context, channel, eventKey string) (bool, error) {
	var n int64
	err := s.db.read(ctx).Model(&commandRow{}).Where("channel = ? AND event_key = ?", channel, eventKey).Count(&n).Error
	if err != nil {
		return false, fmt.Errorf("find command: %w", err)
	}
	return n > 0, nil
}

// Finish remembers that the command of an event was done.
func (s *Commands) Finish(ctx context.Context, channel, eventKey string) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Exec(s.db.stmt(`INSERT INTO commands (channel, event_key, done_at) VALUES (?, ?, {now})
			ON CONFLICT (channel, event_key) DO NOTHING`), channel, eventKey).Error
	})
	if err != nil {
		return fmt.Errorf("remember command: %w", err)
	}
	return nil
}
