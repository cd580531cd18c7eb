package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
)

// usageRow is what one turn used. Cost is in millionths of a US dollar.
type usageRow struct {
	Session string `gorm:"primaryKey"`
	Seq     int64  `gorm:"primaryKey"`
	Tenant  string
	Person  string
	Agent   string
	Channel string
	Chat    string
	Topic   string
	Steps   int
	Input   int
	Cached  int
	Output  int
	Cost    int64
	UsedAt  int64
}

func (usageRow) TableName() string { return "turn_usage" }

// addUsage are the steps that keep what the turn at the head of a session used, while held.
func (s *Inbox) addUsage(l *lane.Lease, used *inbox.Used, held part) []*step {
	if used == nil || used.Steps == 0 {
		return nil
	}
	whose, sc, u := s.tenant(l), &used.Scope, &used.Usage
	return []*step{{
		sql: `INSERT INTO turn_usage (session, seq, tenant, person, agent, channel, chat, topic, steps, input, cached, output,
				cost, used_at)
			SELECT ?, ?, ` + whose.sql + `, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now} WHERE ` + held.sql,
		args: slices.Concat([]any{l.ID, l.Done + 1}, whose.args, []any{
			sc.User, sc.Agent, sc.Conversation.Channel, string(sc.Conversation.Chat), string(sc.Conversation.Topic),
			used.Steps, u.Input, u.CacheRead, u.Output, u.Cost,
		}, held.args),
	}}
}

// Usage tells what turns used.
type Usage struct{ db *DB }

// NewUsage works on db.
func NewUsage(db *DB) *Usage { return &Usage{db} }

// Spent sums what was used, the most first.
func (s *Usage) Spent(ctx context.Context, tenant string, by inbox.UsedBy) ([]inbox.Spent, error) {
	var rows []struct {
		Person, Agent                string
		Turns, Input, Cached, Output int
		Cost                         int64
	}
	q := s.db.read(ctx).Table("turn_usage").
		Select(`person, agent, count(*) AS turns, sum(input) AS input, sum(cached) AS cached, sum(output) AS output,
			sum(cost) AS cost`).
		Where("tenant = ? AND used_at >= ?", tenant, by.Since.UnixMilli())
	for column, value := range map[string]string{
		"person": by.Person, "channel": by.Place.Channel, "chat": string(by.Place.Chat), "topic": string(by.Place.Topic),
	} {
		if value != "" {
			q = q.Where(column+" = ?", value)
		}
	}
	err := q.Group("person, agent").Order("sum(cost) DESC, sum(input) + sum(output) DESC, person, agent").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("sum what was used: %w", err)
	}
	all := make([]inbox.Spent, len(rows))
	for i, r := range rows {
		all[i] = inbox.Spent{Person: r.Person, Agent: r.Agent, Turns: r.Turns}
		all[i].Usage.Input, all[i].Usage.CacheRead, all[i].Usage.Output = r.Input, r.Cached, r.Output
		all[i].Usage.Cost = r.Cost
	}
	return all, nil
}
