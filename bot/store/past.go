package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// open makes the session that an agent has in a conversation from now on. There must be none.
func (s *Sessions) open(tx *gorm.DB, tenant, agent string, c channels.Conversation, title, model string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return tx.Exec(s.db.stmt(`INSERT INTO sessions (id, tenant, agent, channel, chat, topic, title, model, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, {now})`),
		id.String(), tenant, agent, c.Channel, c.Chat, c.Topic, title, model).Error
}

// Past lists the sessions that were ended in a conversation, the last first.
func (s *Sessions) Past(
	ctx context.Context, tenant, agent string, c channels.Conversation, limit int,
) ([]inbox.Past, error) {
	var rows []struct {
		ID, Title          string
		CreatedAt, EndedAt int64
		Messages           int
	}
	err := s.db.read(ctx).Raw(`SELECT s.id, s.title, s.created_at, s.ended_at, (SELECT count(*) FROM history h
				WHERE h.session = s.id AND h.source > 0) AS messages
		FROM sessions s WHERE s.tenant = ? AND s.agent = ? AND s.channel = ? AND s.chat = ? AND s.topic = ?
			AND s.ended_at > 0 ORDER BY s.ended_at DESC, s.id DESC LIMIT ?`,
		tenant, agent, c.Channel, c.Chat, c.Topic, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list ended sessions: %w", err)
	}
	all := make([]inbox.Past, len(rows))
	for i, r := range rows {
		all[i] = inbox.Past{
			ID: r.ID, Title: r.Title, Began: fromMillis(r.CreatedAt), Ended: fromMillis(r.EndedAt), Messages: r.Messages,
		}
	}
	return all, nil
}

// Resume makes an ended session of a conversation the current one again, and ends the one that was; found is false when
// there is no such session there, or it is not ended.
func (s *Sessions) Resume(
	ctx context.Context, tenant, agent string, c channels.Conversation, id string,
) (found bool, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		now, err := current(tx, tenant, agent, c)
		if err != nil {
			return err
		}
		here := `tenant = ? AND agent = ? AND channel = ? AND chat = ? AND topic = ?`
		at := []any{tenant, agent, c.Channel, c.Chat, c.Topic}
		var n int64
		err = tx.Table("sessions").Where(here+" AND id = ? AND ended_at > 0", append(at, id)...).Count(&n).Error
		if found = n == 1; err != nil || !found {
			return err
		}
		if now != "" {
			err := tx.Table("sessions").Where("tenant = ? AND id = ?", tenant, now).
				Update("ended_at", gorm.Expr(s.db.now())).Error
			if err != nil {
				return err
			}
		}
		return tx.Table("sessions").Where("tenant = ? AND id = ?", tenant, id).Update("ended_at", 0).Error
	})
	if err != nil {
		return false, fmt.Errorf("resume a session: %w", err)
	}
	return found, nil
}

// Model is the model that people chose for the session that an agent has in a conversation; empty when none.
func (s *Sessions) Model(ctx context.Context, tenant, agent string, c channels.Conversation) (string, error) {
	var model string
	find := &step{
		sql: `SELECT model FROM sessions
			WHERE tenant = ? AND agent = ? AND channel = ? AND chat = ? AND topic = ? AND ended_at = 0`,
		args: []any{tenant, agent, c.Channel, c.Chat, c.Topic},
		row:  []any{&model},
	}
	if err := s.db.query(ctx, find); err != nil {
		return "", fmt.Errorf("find the model of a session: %w", err)
	}
	return model, nil
}

// Choose sets the model of the session that an agent has in a conversation, and opens one if there is none. An empty
// model is the agent's own.
func (s *Sessions) Choose(ctx context.Context, tenant, agent string, c channels.Conversation, model string) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		id, err := current(tx, tenant, agent, c)
		if err != nil {
			return err
		}
		if id == "" {
			return s.open(tx, tenant, agent, c, "", model)
		}
		return tx.Table("sessions").Where("tenant = ? AND id = ?", tenant, id).Update("model", model).Error
	})
	if err != nil {
		return fmt.Errorf("choose the model of a session: %w", err)
	}
	return nil
}
