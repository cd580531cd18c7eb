package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Inbox is the inbox.Store.
type Inbox struct {
	lanes
	out    *Outbox
	recent *recent
}

var _ inbox.Store = (*Inbox)(nil)

// NewInbox keeps the messages of the sessions of the named channels.
func NewInbox(db *DB, channelNames ...string) *Inbox {
	return &Inbox{lanes{db, sessionLane, channelNames}, NewOutbox(db, channelNames...), newRecent()}
}

type inboxRow struct {
	Session    string `gorm:"primaryKey"`
	Seq        int64  `gorm:"primaryKey"`
	Tenant     string
	Channel    string
	EventKey   string
	Payload    string
	ReceivedAt int64
	DoneAt     int64
	Outcome    string
	Stopped    int
}

func (inboxRow) TableName() string { return "inbox" }

// inboxPayload is what inbox.payload holds.
type inboxPayload struct {
	Scope   tools.Scope      `json:"scope"`
	Message channels.Inbound `json:"message"`
}

func (r *inboxRow) item() (*inbox.Item, error) {
	var p inboxPayload
	if err := json.Unmarshal([]byte(r.Payload), &p); err != nil {
		return nil, fmt.Errorf("%w: %d of session %s: %w", inbox.ErrUnreadable, r.Seq, r.Session, err)
	}
	return &inbox.Item{
		Session: r.Session, Seq: r.Seq, Scope: p.Scope, Message: p.Message,
		ReceivedAt: fromMillis(r.ReceivedAt), Stopped: r.Stopped != 0,
	}, nil
}

// errKnown rolls a push back when the event was stored before.
var errKnown = errors.New("the event is known")

func (s *Inbox) Accept(ctx context.Context, it *inbox.Item, owner string) (*lane.Lease, bool, error) {
	if it.Scope.Tenant == "" {
		return nil, false, ErrNoTenant
	}
	payload, err := json.Marshal(inboxPayload{it.Scope, it.Message})
	if err != nil {
		return nil, false, err
	}
	var l *lane.Lease
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		row, claimed, err := s.push(tx, it.Session, it.Message.Conversation.Channel, 1, owner)
		if err != nil {
			return err
		}
		r := tx.Exec(s.db.stmt(`INSERT INTO inbox (session, seq, tenant, channel, event_key, payload, received_at)
			VALUES (?, ?, ?, ?, ?, ?, {now}) ON CONFLICT (channel, event_key) DO NOTHING`),
			it.Session, row.LastSeq, it.Scope.Tenant, it.Message.Conversation.Channel, it.Message.EventKey,
			string(payload))
		if r.Error != nil {
			return r.Error
		}
		if r.RowsAffected == 0 {
			return errKnown
		}
		it.Seq = row.LastSeq
		if claimed {
			got := row.lease()
			l = &got
		}
		return nil
	})
	if errors.Is(err, errKnown) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	return l, false, nil
}

func (s *Inbox) Item(ctx context.Context, sessionID string, seq int64) (*inbox.Item, error) {
	var row inboxRow
	err := s.db.read(ctx).Raw(acrossTenants+`SELECT * FROM inbox WHERE session = ? AND seq = ?`, sessionID, seq).
		Take(&row).Error
	if err != nil {
		return nil, err
	}
	return row.item()
}

func (s *Inbox) After(ctx context.Context, sessionID string, seq int64, limit int) ([]*inbox.Item, error) {
	var rows []inboxRow
	err := s.db.read(ctx).Raw(acrossTenants+`SELECT * FROM inbox WHERE session = ? AND seq > ? AND done_at = 0
		ORDER BY seq LIMIT ?`, sessionID, seq, limit).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	var items []*inbox.Item
	for i := range rows {
		it, err := rows[i].item()
		if err != nil {
			break // must not fail the turn that runs before it
		}
		items = append(items, it)
	}
	return items, nil
}

func (s *Inbox) Finish(
	ctx context.Context, l *lane.Lease, end *inbox.End, outOwner string,
) (out *lane.Lease, err error) {
	next := *l
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		next, out = *l, nil
		if err := s.advance(tx, &next, end.Through); err != nil {
			return err
		}
		var tenant string
		err := tx.Raw(acrossTenants+s.db.stmt(`UPDATE inbox SET done_at = {now}, outcome = ?
			WHERE session = ? AND seq > ? AND seq <= ? RETURNING tenant`),
			end.Outcome, l.ID, l.Done, end.Through).Scan(&tenant).Error
		if err != nil {
			return err
		}
		if err := appendHistory(tx, l.ID, tenant, end.Entries); err != nil {
			return err
		}
		out, err = s.out.post(tx, tenant, l.ID, end.Out, outOwner)
		return err
	})
	if err != nil {
		return nil, err
	}
	*l = next
	return out, nil
}

func (s *Inbox) Stop(ctx context.Context, sessionID string, all bool) (stopped, waiting int, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		upTo := `(SELECT done_seq + 1 FROM lanes WHERE kind = 'session' AND id = ?)`
		if all {
			upTo = `(SELECT last_seq FROM lanes WHERE kind = 'session' AND id = ?)`
		}
		r := tx.Exec(acrossTenants+`UPDATE inbox SET stopped = 1 WHERE session = ? AND done_at = 0 AND seq <= `+upTo,
			sessionID, sessionID)
		if r.Error != nil {
			return r.Error
		}
		stopped = int(r.RowsAffected)
		// What the running turn took in stands in the history already; it ends with that turn.
		err := tx.Raw(acrossTenants+`SELECT count(*) FROM inbox i WHERE session = ? AND done_at = 0 AND stopped = 0
			AND NOT EXISTS (SELECT 1 FROM history h WHERE h.session = i.session AND h.source = i.seq)`,
			sessionID).Scan(&waiting).Error
		if err != nil {
			return err
		}
		return s.db.notify(tx, stopTopic, sessionID)
	})
	return stopped, waiting, err
}

// headStopped tells whether what is being worked in a session is what a person stopped.
func (db *DB) headStopped(ctx context.Context, sessionID string) (bool, error) {
	var n int
	err := db.read(ctx).Raw(acrossTenants+`SELECT count(*) FROM inbox i
		JOIN lanes l ON l.kind = 'session' AND l.id = i.session AND i.seq = l.done_seq + 1
		WHERE i.session = ? AND i.stopped = 1`, sessionID).Scan(&n).Error
	return n > 0, err
}

func (s *Inbox) Log(l lane.Lease) session.Log { return &history{s, l} }
