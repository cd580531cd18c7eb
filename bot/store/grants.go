package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
)

// Grants is the place.Grants.
type Grants struct{ db *DB }

var _ place.Grants = (*Grants)(nil)

// NewGrants works on db.
func NewGrants(db *DB) *Grants { return &Grants{db} }

type grantRow struct {
	Tenant    string `gorm:"primaryKey"`
	Code      string `gorm:"primaryKey"`
	Channel   string
	Chat      string
	Topic     string
	Person    string
	Name      string
	Tools     string // a JSON list
	Lasts     int64  // milliseconds
	AskedAt   int64
	Decision  string
	DecidedBy string
	DecidedAt int64
	Until     int64
}

func (grantRow) TableName() string { return "grants" }

func (r *grantRow) grant() (*place.Grant, error) {
	g := &place.Grant{
		Code:   r.Code,
		At:     channels.Conversation{Channel: r.Channel, Chat: channels.ChatID(r.Chat), Topic: channels.TopicID(r.Topic)},
		Person: r.Person, Name: r.Name, Lasts: time.Duration(r.Lasts) * time.Millisecond, AskedAt: fromMillis(r.AskedAt),
		Decision: place.Decision(r.Decision), By: r.DecidedBy, DecidedAt: fromMillis(r.DecidedAt), Until: fromMillis(r.Until),
	}
	if err := json.Unmarshal([]byte(r.Tools), &g.Tools); err != nil {
		return nil, fmt.Errorf("read grant %s: %w", r.Code, err)
	}
	return g, nil
}

// Ask implements place.Grants. One that is decided already lasts from now on.
func (s *Grants) Ask(ctx context.Context, tenant string, g *place.Grant) (asked *place.Grant, err error) {
	if tenant == "" {
		return nil, ErrNoTenant
	}
	names, err := json.Marshal(g.Tools)
	if err != nil {
		return nil, err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		if g.Decision == place.Open {
			if asked, err = s.wished(tx, tenant, g, string(names)); asked != nil || err != nil {
				return err
			}
		}
		asked = g
		err := tx.Exec(s.db.stmt(`INSERT INTO grants
			(tenant, code, channel, chat, topic, person, name, tools, lasts, asked_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {now})`),
			tenant, g.Code, g.At.Channel, g.At.Chat, g.At.Topic, g.Person, g.Name, string(names), g.Lasts.Milliseconds()).Error
		if err != nil || g.Decision == place.Open {
			return err
		}
		_, err = s.decide(tx, tenant, g.Code, g.Decision, g.By)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("keep a grant: %w", err)
	}
	return asked, nil
}

// wished is the wish for the same that is open, or was refused a moment ago.
func (s *Grants) wished(tx *gorm.DB, tenant string, g *place.Grant, names string) (*place.Grant, error) {
	var row grantRow
	q := tx.Raw(s.db.stmt(`SELECT * FROM grants WHERE tenant = ? AND channel = ? AND chat = ? AND topic = ? AND person = ?
		AND tools = ? AND (decision = '' OR decision = ? AND decided_at > {now} - ?) ORDER BY asked_at DESC LIMIT 1`),
		tenant, g.At.Channel, g.At.Chat, g.At.Topic, g.Person, names, place.Denied, requestRenewal.Milliseconds()).Scan(&row)
	if q.Error != nil || q.RowsAffected == 0 {
		return nil, q.Error
	}
	return row.grant()
}

func (s *Grants) decide(tx *gorm.DB, tenant, code string, d place.Decision, by string) (int64, error) {
	r := tx.Exec(s.db.stmt(`UPDATE grants SET decision = ?, decided_by = ?, decided_at = {now},
		until = CASE WHEN ? = 'granted' THEN {now} + lasts ELSE 0 END
		WHERE tenant = ? AND code = ? AND decision = ''`), d, by, d, tenant, code)
	return r.RowsAffected, r.Error
}

// Find implements place.Grants.
func (s *Grants) Find(ctx context.Context, tenant, code string) (*place.Grant, error) {
	var row grantRow
	err := s.db.read(ctx).Where("tenant = ? AND code = ?", tenant, code).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find a grant: %w", err)
	}
	return row.grant()
}

// Decide implements place.Grants.
func (s *Grants) Decide(
	ctx context.Context, tenant, code string, d place.Decision, by string,
) (g *place.Grant, ok bool, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		n, err := s.decide(tx, tenant, code, d, by)
		ok = n > 0
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("decide about a grant: %w", err)
	}
	g, err = s.Find(ctx, tenant, code)
	return g, ok, err
}

// Holding implements place.Grants. It is asked for every run that a place or a role limits.
func (s *Grants) Holding(
	ctx context.Context, tenant string, at channels.Conversation, person string,
) ([]place.Grant, error) {
	var rows []grantRow
	err := s.db.read(ctx).Raw(s.db.stmt(`SELECT * FROM grants WHERE tenant = ? AND channel = ? AND chat = ? AND topic = ?
		AND person = ? AND until > {now} ORDER BY decided_at`),
		tenant, at.Channel, at.Chat, at.Topic, person).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	var all []place.Grant
	for i := range rows {
		g, err := rows[i].grant()
		if err != nil { // it lifts nothing then
			s.db.log.Error("a grant is left out", "err", err)
			continue
		}
		all = append(all, *g)
	}
	return all, nil
}
