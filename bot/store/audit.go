package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/channels"
)

// Audit is the audit.Store.
type Audit struct{ db *DB }

var _ audit.Store = (*Audit)(nil)

// NewAudit works on db.
func NewAudit(db *DB) *Audit { return &Audit{db} }

type auditRow struct {
	ID      string `gorm:"primaryKey"`
	Tenant  string
	Kind    string
	Person  string
	Agent   string
	Session string
	Channel string
	Chat    string
	Topic   string
	What    string
	Outcome string
	Detail  string
	DoneAt  int64
}

func (auditRow) TableName() string { return "audit" }

func (r *auditRow) entry() audit.Entry {
	return audit.Entry{
		At: fromMillis(r.DoneAt), Kind: audit.Kind(r.Kind), Person: r.Person, Agent: r.Agent, Session: r.Session,
		Conversation: channels.Conversation{
			Channel: r.Channel, Chat: channels.ChatID(r.Chat), Topic: channels.TopicID(r.Topic),
		},
		What: r.What, Outcome: audit.Outcome(r.Outcome), Detail: r.Detail,
	}
}

// Record implements audit.Store.
func (s *Audit) Record(ctx context.Context, tenant string, e *audit.Entry) error {
	if tenant == "" {
		return ErrNoTenant
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	c := e.Conversation
	return s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Exec(s.db.stmt(`INSERT INTO audit (id, tenant, kind, person, agent, session, channel, chat, topic, what,
				outcome, detail, done_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now})`),
			id.String(), tenant, string(e.Kind), e.Person, e.Agent, e.Session, c.Channel, string(c.Chat), string(c.Topic),
			e.What, string(e.Outcome), e.Detail).Error
	})
}

// Find implements audit.Store.
func (s *Audit) Find(ctx context.Context, tenant string, q audit.Query) ([]audit.Entry, error) {
	tx := s.db.read(ctx).Where("tenant = ? AND done_at >= ?", tenant, q.Since.UnixMilli())
	if q.Person != "" {
		tx = tx.Where("person = ?", q.Person)
	}
	if q.Outcome != "" {
		tx = tx.Where("outcome = ?", string(q.Outcome))
	}
	if q.At.Chat != "" {
		tx = tx.Where("channel = ? AND chat = ?", q.At.Channel, string(q.At.Chat))
	}
	if q.At.Topic != "" {
		tx = tx.Where("topic = ?", string(q.At.Topic))
	}
	var rows []auditRow
	if err := tx.Order("id DESC").Limit(q.Limit).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("look into the audit: %w", err)
	}
	found := make([]audit.Entry, len(rows))
	for i := range rows {
		found[i] = rows[i].entry()
	}
	return found, nil
}
