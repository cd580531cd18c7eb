package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
)

// Places is the place.Store.
type Places struct{ db *DB }

var _ place.Store = (*Places)(nil)

// NewPlaces works on db.
func NewPlaces(db *DB) *Places { return &Places{db} }

// settingRow with an empty value is a setting that was taken away; its revision goes on.
type settingRow struct {
	Tenant   string `gorm:"primaryKey"`
	Channel  string `gorm:"primaryKey"`
	Chat     string `gorm:"primaryKey"`
	Topic    string `gorm:"primaryKey"`
	Key      string `gorm:"primaryKey"`
	Value    string
	SetBy    string
	SetAt    int64
	Revision int64
}

func (settingRow) TableName() string { return "place_settings" }

// Settings implements place.Store.
func (s *Places) Settings(ctx context.Context, tenant string) ([]place.Setting, error) {
	var rows []settingRow
	err := s.db.read(ctx).Where("tenant = ? AND value <> ''", tenant).Order("channel, chat, topic, key").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list the settings of places: %w", err)
	}
	all := make([]place.Setting, len(rows))
	for i, r := range rows {
		all[i] = place.Setting{
			At:  channels.Conversation{Channel: r.Channel, Chat: channels.ChatID(r.Chat), Topic: channels.TopicID(r.Topic)},
			Key: place.Key(r.Key), Value: r.Value, By: r.SetBy, When: fromMillis(r.SetAt), Revision: r.Revision,
		}
	}
	return all, nil
}

// Set implements place.Store.
func (s *Places) Set(ctx context.Context, tenant string, set place.Setting) error {
	if tenant == "" {
		return ErrNoTenant
	}
	return s.db.write(ctx, func(tx *gorm.DB) error {
		r := tx.Exec(s.db.stmt(`INSERT INTO place_settings
				(tenant, channel, chat, topic, key, value, set_by, set_at, revision) VALUES (?, ?, ?, ?, ?, ?, ?, {now}, 1)
			ON CONFLICT (tenant, channel, chat, topic, key) DO UPDATE SET value = excluded.value, set_by = excluded.set_by,
				set_at = excluded.set_at, revision = place_settings.revision + 1
			WHERE place_settings.revision = ? OR place_settings.value = '' AND ? = 0`),
			tenant, set.At.Channel, set.At.Chat, set.At.Topic, set.Key, set.Value, set.By, set.Revision, set.Revision)
		if r.Error == nil && r.RowsAffected == 0 {
			return place.ErrChanged
		}
		return r.Error
	})
}
