package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// Sessions finds and ends the sessions of conversations.
type Sessions struct{ db *DB }

// NewSessions works on db.
func NewSessions(db *DB) *Sessions { return &Sessions{db} }

type sessionRow struct {
	ID        string `gorm:"primaryKey"`
	Tenant    string
	Agent     string
	Channel   string
	Chat      string
	Topic     string
	Title     string
	Model     string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	EndedAt   int64
}

func (sessionRow) TableName() string { return "sessions" }

// Current is the id of the session that agent has in a conversation. The first message opens it; title says what that
// is about.
func (s *Sessions) Current(
	ctx context.Context, tenant, agent string, c channels.Conversation, title string,
) (string, error) {
	if tenant == "" {
		return "", fmt.Errorf("find session: %w", ErrNoTenant)
	}
	var id string
	find := &step{
		sql: `SELECT id FROM sessions
			WHERE tenant = ? AND agent = ? AND channel = ? AND chat = ? AND topic = ? AND ended_at = 0`,
		args: []any{tenant, agent, c.Channel, c.Chat, c.Topic},
		row:  []any{&id},
	}
	if err := s.db.query(ctx, find); err != nil {
		return "", fmt.Errorf("find session: %w", err)
	}
	if find.rows > 0 {
		return id, nil
	}
	fresh, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		// The update changes nothing: it is there to get the id of the session that another opened meanwhile.
		return tx.Raw(s.db.stmt(`INSERT INTO sessions (id, tenant, agent, channel, chat, topic, title, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, {now})
			ON CONFLICT (tenant, agent, channel, chat, topic) WHERE ended_at = 0 DO UPDATE SET ended_at = 0
			RETURNING id`), fresh.String(), tenant, agent, c.Channel, c.Chat, c.Topic, title).Scan(&id).Error
	})
	if err != nil {
		return "", fmt.Errorf("open session: %w", err)
	}
	return id, nil
}

func current(tx *gorm.DB, tenant, agent string, c channels.Conversation) (string, error) {
	var row sessionRow
	err := tx.Where("tenant = ? AND agent = ? AND channel = ? AND chat = ? AND topic = ? AND ended_at = 0",
		tenant, agent, c.Channel, c.Chat, c.Topic).Take(&row).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return "", fmt.Errorf("find session: %w", err)
	}
	return row.ID, nil
}

// Joined tells whether any agent has, or had, a session in a conversation.
func (s *Sessions) Joined(ctx context.Context, tenant string, c channels.Conversation) (bool, error) {
	find := &step{
		sql:  `SELECT 1 FROM sessions WHERE tenant = ? AND channel = ? AND chat = ? AND topic = ? LIMIT 1`,
		args: []any{tenant, c.Channel, c.Chat, c.Topic}, row: []any{new(int)},
	}
	if err := s.db.query(ctx, find); err != nil {
		return false, fmt.Errorf("look for sessions in a conversation: %w", err)
	}
	return find.rows > 0, nil
}

// Where people talk to the bot lately.
const (
	talkedAge = 30 * 24 * time.Hour
	maxTalked = 200
)

// Talked lists the conversations of a channel in which people lately talked to the bot, the newest first.
func (s *Sessions) Talked(ctx context.Context, tenant, channel string) ([]channels.Conversation, error) {
	var found []channels.Conversation
	err := s.db.read(ctx).Raw(s.db.stmt(`SELECT s.channel, s.chat, s.topic FROM sessions s JOIN inbox i ON i.session = s.id
		WHERE s.tenant = ? AND s.channel = ? AND i.received_at > {now} - ?
		GROUP BY s.channel, s.chat, s.topic ORDER BY max(i.received_at) DESC LIMIT ?`),
		tenant, channel, talkedAge.Milliseconds(), maxTalked).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("list where people talked: %w", err)
	}
	return found, nil
}

// Busy lists what is queued or running in a conversation, in ended sessions and of all agents, too.
func (s *Sessions) Busy(ctx context.Context, tenant string, c channels.Conversation) ([]inbox.Busy, error) {
	return s.busy(ctx, tenant, c, `s.topic = ?`)
}

// BusyBelow is Busy of all topics of a chat.
func (s *Sessions) BusyBelow(ctx context.Context, tenant string, c channels.Conversation) ([]inbox.Busy, error) {
	c.Topic = ""
	return s.busy(ctx, tenant, c, `s.topic <> ?`)
}

func (s *Sessions) busy(
	ctx context.Context, tenant string, c channels.Conversation, topics string,
) ([]inbox.Busy, error) {
	var rows []inboxRow
	err := s.db.read(ctx).Raw(`SELECT i.* FROM sessions s JOIN lanes l ON l.kind = 'session' AND l.id = s.id
		JOIN inbox i ON i.session = s.id AND i.seq > l.done_seq
		WHERE s.tenant = ? AND s.channel = ? AND s.chat = ? AND `+topics+` ORDER BY i.session, i.seq`,
		tenant, c.Channel, c.Chat, c.Topic).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find busy sessions: %w", err)
	}
	var busy []inbox.Busy
	for i := range rows {
		if len(busy) == 0 || busy[len(busy)-1].Session != rows[i].Session {
			busy = append(busy, inbox.Busy{Session: rows[i].Session, Since: fromMillis(rows[i].ReceivedAt)})
		}
		last := &busy[len(busy)-1]
		var who inbox.Sender
		if it, err := rows[i].item(); err == nil { // what can't be read is nobody's, and only leads may stop it
			who = inbox.Sender{Person: it.Scope.User, Name: it.Message.Sender.Name}
			last.Agent = it.Scope.Agent
		}
		last.Senders = append(last.Senders, who)
	}
	return busy, nil
}

// End closes the session that agent has in a conversation, so that the next message opens another, and returns how
// many messages of people it holds; found is false when there was none. With a title the other one is opened at once.
func (s *Sessions) End(
	ctx context.Context, tenant, agent string, c channels.Conversation, title string,
) (messages int, found bool, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		id, err := current(tx, tenant, agent, c)
		if err != nil || id == "" && title == "" {
			return err
		}
		if id == "" {
			return s.open(tx, tenant, agent, c, title, "")
		}
		r := tx.Table("sessions").Where("tenant = ? AND id = ? AND ended_at = 0", tenant, id).
			Update("ended_at", gorm.Expr(s.db.now()))
		if found = r.RowsAffected == 1; r.Error != nil || !found {
			return r.Error
		}
		err = tx.Raw(`SELECT count(*) FROM history WHERE tenant = ? AND session = ? AND source > 0`, tenant, id).
			Scan(&messages).Error
		if err != nil || title == "" {
			return err
		}
		return s.open(tx, tenant, agent, c, title, "")
	})
	if err != nil {
		return 0, false, fmt.Errorf("end session: %w", err)
	}
	return messages, found, nil
}
