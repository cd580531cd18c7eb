package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/channels"
)

// albumWait is how long the first part of an album waits for another, in the queue, where a crash does not lose it.
const albumWait = 700 * time.Millisecond

// Join adds a part of an album to the part that waits for it. joined is false when none does; it is true for a part
// that was added before.
func (s *Inbox) Join(ctx context.Context, it *inbox.Item) (joined bool, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		joined, err = s.join(tx, it)
		return err
	})
	return joined, err
}

func (s *Inbox) join(tx *gorm.DB, it *inbox.Item) (bool, error) {
	var rows []inboxRow
	err := tx.Raw(acrossTenants+`SELECT * FROM inbox
		WHERE session = ? AND album = ? AND album <> ''`, it.Session, it.Message.Album).Scan(&rows).Error
	if err != nil {
		return false, err
	}
	for i := range rows {
		var p inboxPayload
		if err := json.Unmarshal([]byte(rows[i].Payload), &p); err != nil {
			return false, err
		}
		if p.holds(it.Message.EventKey) {
			return true, nil
		}
		if rows[i].HoldUntil == 0 || p.Scope.User != it.Scope.User {
			continue
		}
		p.Parts = append(p.Parts, it.Message)
		payload, err := json.Marshal(p)
		if err != nil {
			return false, err
		}
		// Whoever begins the message ends the hold first, under the row's lock: then this is not a part of it any more.
		r := tx.Exec(acrossTenants+s.db.stmt(`UPDATE inbox SET payload = ?, hold_until = {now} + ?
			WHERE session = ? AND seq = ? AND hold_until > 0 AND payload = ?`), string(payload), albumWait.Milliseconds(),
			it.Session, rows[i].Seq, rows[i].Payload)
		if r.Error != nil || r.RowsAffected > 0 {
			return true, r.Error
		}
	}
	return false, nil
}

// complete ends the wait of an album whose time is over, and loads it as it is then. Until then, or when another part
// came in this moment, the error asks to come again.
func (s *Inbox) complete(ctx context.Context, row *inboxRow) error {
	end := &step{
		sql: acrossTenants + `UPDATE inbox SET hold_until = 0 WHERE session = ? AND seq = ? AND hold_until <= {now}
			RETURNING payload`,
		args: []any{row.Session, row.Seq},
		row:  []any{&row.Payload},
	}
	if err := s.db.script(ctx, end); err != nil {
		return fmt.Errorf("complete an album: %w", err)
	}
	if end.rows == 0 {
		return &lane.Later{After: albumWait / 4, Err: errors.New("other parts of the album may come")}
	}
	return nil
}

// whole is an album as one message: what its parts hold in the order of the messages, whatever order they came in. It
// answers to the part that has words.
func whole(first channels.Inbound, parts []channels.Inbound) channels.Inbound {
	all := append([]channels.Inbound{first}, parts...)
	slices.SortStableFunc(all, func(a, b channels.Inbound) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	m := all[0]
	m.EventKey, m.Attachments, m.Text = first.EventKey, nil, ""
	var texts []string
	for _, p := range all {
		if p.Text != "" {
			if len(texts) == 0 {
				m.ID = p.ID
			}
			texts = append(texts, p.Text)
		}
		m.Attachments = append(m.Attachments, p.Attachments...)
		m.Mentioned = m.Mentioned || p.Mentioned
		if m.ReplyTo == nil {
			m.ReplyTo = p.ReplyTo
		}
	}
	m.Text = strings.Join(texts, "\n")
	return m
}

// holds tells whether a message is, or is a part of, the album.
func (p *inboxPayload) holds(eventKey string) bool {
	return p.Message.EventKey == eventKey ||
		slices.ContainsFunc(p.Parts, func(m channels.Inbound) bool { return m.EventKey == eventKey })
}

// number orders the ids of messages; those that are no numbers stay in the order in which they came.
func number(id channels.MessageID) int {
	n, err := strconv.Atoi(string(id))
	if err != nil {
		return 0
	}
	return n
}
