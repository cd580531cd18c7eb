package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Buttons keeps what the buttons that people see stand for. A messenger is given a token only.
type Buttons struct{ db *DB }

// NewButtons works on db.
func NewButtons(db *DB) *Buttons { return &Buttons{db} }

// buttonAge is how long a button works that does not say it.
const buttonAge = 30 * 24 * time.Hour

// Keep gives the buttons of a message in a conversation their tokens.
func (s *Buttons) Keep(
	ctx context.Context, tenant string, at channels.Conversation, rows [][]channels.Button,
) ([][]channels.Button, error) {
	if tenant == "" {
		return nil, ErrNoTenant
	}
	kept, steps, err := keepButtons(part{"?", []any{tenant}}, at, rows, always())
	if err != nil {
		return nil, err
	}
	if err := s.db.script(ctx, steps...); err != nil {
		return nil, fmt.Errorf("keep buttons: %w", err)
	}
	return kept, nil
}

// keepButtons gives buttons tokens, and the steps that keep them while held.
func keepButtons(
	tenant part, at channels.Conversation, rows [][]channels.Button, held part,
) (kept [][]channels.Button, steps []*step, err error) {
	for _, row := range rows {
		row = slices.Clone(row)
		for i := range row {
			b := &row[i]
			b.Token = rand.Text()[:channels.TokenLength]
			payload, err := json.Marshal(b)
			if err != nil {
				return nil, nil, err
			}
			expires := part{`{now} + ?`, []any{buttonAge.Milliseconds()}}
			if !b.Guard.Expires.IsZero() {
				expires = part{`?`, []any{b.Guard.Expires.UnixMilli()}}
			}
			steps = append(steps, &step{
				sql: `INSERT INTO buttons (token, tenant, channel, chat, topic, object, revision, payload, expires_at)
					SELECT ?, ` + tenant.sql + `, ?, ?, ?, ?, ?, ?, ` + expires.sql + ` WHERE ` + held.sql,
				args: slices.Concat([]any{b.Token}, tenant.args, []any{at.Channel, at.Chat, at.Topic, b.Guard.Object,
					b.Guard.Revision, string(payload)}, expires.args, held.args),
			})
		}
		kept = append(kept, row)
	}
	return kept, steps, nil
}

// Kept is the button that has a token, and where it is shown; nil when there is none, or no more.
func (s *Buttons) Kept(ctx context.Context, tenant, token string) (*channels.Button, channels.Conversation, error) {
	var payload string
	var at channels.Conversation
	find := &step{
		sql:  `SELECT payload, channel, chat, topic FROM buttons WHERE tenant = ? AND token = ? AND expires_at > {now}`,
		args: []any{tenant, token},
		row:  []any{&payload, &at.Channel, &at.Chat, &at.Topic},
	}
	if err := s.db.query(ctx, find); err != nil {
		return nil, at, fmt.Errorf("find a button: %w", err)
	}
	if find.rows == 0 {
		return nil, at, nil
	}
	b := &channels.Button{}
	if err := json.Unmarshal([]byte(payload), b); err != nil {
		return nil, at, fmt.Errorf("read a button: %w", err)
	}
	return b, at, nil
}
