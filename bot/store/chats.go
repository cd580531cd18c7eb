package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/channels"
)

// Chats follows chats that get another id.
type Chats struct{ db *DB }

// NewChats works on db.
func NewChats(db *DB) *Chats { return &Chats{db} }

// Move gives what is kept of a chat to its new id. Sessions go on there; one that was begun under the new id meanwhile
// ends. What is queued keeps its address: the adapter knows where it goes. Moving again changes nothing.
func (s *Chats) Move(ctx context.Context, channel string, from, to channels.ChatID) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		err := tx.Exec(acrossTenants+s.db.stmt(`UPDATE sessions SET ended_at = {now}
			WHERE channel = ? AND chat = ? AND ended_at = 0 AND EXISTS (SELECT 1 FROM sessions old
				WHERE old.tenant = sessions.tenant AND old.agent = sessions.agent AND old.channel = sessions.channel
					AND old.chat = ? AND old.topic = sessions.topic AND old.ended_at = 0)`), channel, to, from).Error
		if err != nil {
			return err
		}
		err = tx.Exec(acrossTenants+`UPDATE sessions SET chat = ? WHERE channel = ? AND chat = ?`, to, channel, from).Error
		if err != nil {
			return err
		}
		err = tx.Exec(acrossTenants+`UPDATE buttons SET chat = ? WHERE channel = ? AND chat = ?`, to, channel, from).Error
		if err != nil {
			return err
		}
		err = tx.Exec(acrossTenants+`UPDATE grants SET chat = ? WHERE channel = ? AND chat = ?`, to, channel, from).Error
		if err != nil {
			return err
		}
		err = tx.Exec(acrossTenants+`UPDATE turn_usage SET chat = ? WHERE channel = ? AND chat = ?`, to, channel, from).Error
		if err != nil {
			return err
		}
		// What is set under the new id already counts there.
		err = tx.Exec(acrossTenants+`UPDATE place_settings SET chat = ? WHERE channel = ? AND chat = ? AND NOT EXISTS
			(SELECT 1 FROM place_settings n WHERE n.tenant = place_settings.tenant AND n.channel = place_settings.channel
				AND n.chat = ? AND n.topic = place_settings.topic AND n.key = place_settings.key)`,
			to, channel, from, to).Error
		if err != nil {
			return err
		}
		old := channels.Conversation{Channel: channel, Chat: from} // a chat without topics: those have no other id
		return tx.Exec(acrossTenants+`UPDATE heard SET conversation = ? WHERE conversation = ?`,
			channels.Conversation{Channel: channel, Chat: to}.String(), old.String()).Error
	})
	if err != nil {
		return fmt.Errorf("move a chat: %w", err)
	}
	return nil
}
