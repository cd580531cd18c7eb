package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

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
	Stopped    int // a person's stop, or withdrawn
	Bot        int // another program wrote it
	Album      string
	HoldUntil  int64 // until then other parts of the album may come
	Preview    string
}

// What inbox.stopped says.
const (
	stopped   = 1 // a person asked to stop it
	withdrawn = 2 // it was taken back before its turn began
)

func (inboxRow) TableName() string { return "inbox" }

// inboxPayload is what inbox.payload holds.
type inboxPayload struct {
	Scope   tools.Scope      `json:"scope"`
	Message channels.Inbound `json:"message"`
	// Heard and Omitted are as in inbox.Item.
	Heard   []channels.Inbound `json:"heard,omitempty"`
	Omitted int                `json:"omitted,omitempty"`
	Parts   []channels.Inbound `json:"parts,omitempty"` // of an album, without the first that came
}

func (r *inboxRow) item() (*inbox.Item, error) {
	var p inboxPayload
	if err := json.Unmarshal([]byte(r.Payload), &p); err != nil {
		return nil, fmt.Errorf("%w: %d of session %s: %w", inbox.ErrUnreadable, r.Seq, r.Session, err)
	}
	if len(p.Parts) > 0 {
		p.Message = whole(p.Message, p.Parts)
	}
	return &inbox.Item{
		Session: r.Session, Seq: r.Seq, Scope: p.Scope, Message: p.Message,
		ReceivedAt: fromMillis(r.ReceivedAt), Stopped: r.Stopped == stopped, Withdrawn: r.Stopped == withdrawn,
		Preview: channels.MessageID(r.Preview), Heard: p.Heard, Omitted: p.Omitted,
	}, nil
}

func (s *Inbox) Accept(
	ctx context.Context, it *inbox.Item, owner string, limit int,
) (l *lane.Lease, known bool, err error) {
	if it.Scope.Tenant == "" {
		return nil, false, ErrNoTenant
	}
	if it.Message.Album != "" {
		if joined, err := s.Join(ctx, it); joined || err != nil {
			return nil, joined, err
		}
		owner = "" // it waits for its other parts
	}
	told, parts, err := s.db.overheard(ctx, it)
	if err != nil {
		return nil, false, err
	}
	if told != nil { // what was heard is told with a message that is new
		if known, err := s.known(ctx, it); known || err != nil {
			return nil, known, err
		}
	}
	pushed := s.push(it.Session, it.Message.Conversation.Channel, 1, owner, part{
		`NOT EXISTS (SELECT 1 FROM lanes q WHERE q.kind = ? AND q.id = ? AND q.last_seq - q.done_seq >= ?)`,
		[]any{s.kind, it.Session, limit},
	})
	insert, err := s.insert(it, parts)
	if err != nil {
		return nil, false, err
	}
	steps := append([]*step{&pushed.step, insert}, s.wake(pushed, it.Session)...)
	if told != nil {
		steps = append(steps, told)
	}
	err = s.db.script(ctx, steps...)
	full := err == nil && pushed.rows == 0
	if full || errors.Is(err, gorm.ErrDuplicatedKey) {
		if known, kerr := s.known(ctx, it); known || kerr != nil {
			return nil, known, kerr
		}
	}
	switch {
	case err != nil:
		return nil, false, err
	case full:
		return nil, false, &inbox.FullError{Waiting: limit}
	}
	return pushed.lease(), false, nil
}

// insert is the step that gives a message the number that was pushed for it, if one was. Parts are those of its album
// that it has already.
func (s *Inbox) insert(it *inbox.Item, parts []channels.Inbound) (*step, error) {
	p := inboxPayload{Scope: it.Scope, Message: it.Message, Heard: it.Heard, Omitted: it.Omitted}
	hold := time.Duration(0)
	if it.Message.Album != "" {
		p.Parts, hold = parts, albumWait
	}
	payload, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	bot := 0
	if it.Message.Sender.Bot {
		bot = 1
	}
	return &step{
		sql: `INSERT INTO inbox
			(session, seq, tenant, channel, event_key, payload, album, hold_until, bot, received_at)
			SELECT id, last_seq, ?, ?, ?, ?, ?, CASE WHEN ? > 0 THEN {now} + ? ELSE 0 END, ?, {now} FROM lanes
			WHERE kind = ? AND id = ? AND last_seq > coalesce((SELECT max(seq) FROM inbox WHERE session = ?), 0)
			RETURNING seq`,
		args: []any{
			it.Scope.Tenant, it.Message.Conversation.Channel, it.Message.EventKey, string(payload), it.Message.Album,
			hold.Milliseconds(), hold.Milliseconds(), bot, s.kind, it.Session, it.Session,
		},
		row: []any{&it.Seq},
	}, nil
}

// known tells whether a message's event was stored before.
func (s *Inbox) known(ctx context.Context, it *inbox.Item) (bool, error) {
	var n int
	err := s.db.read(ctx).Raw(acrossTenants+`SELECT count(*) FROM inbox WHERE channel = ? AND event_key = ?`,
		it.Message.Conversation.Channel, it.Message.EventKey).Scan(&n).Error
	return n > 0, err
}

func (s *Inbox) Item(ctx context.Context, sessionID string, seq int64) (*inbox.Item, error) {
	row := inboxRow{Session: sessionID, Seq: seq}
	load := &step{
		sql: acrossTenants + `SELECT payload, received_at, stopped, preview, hold_until FROM inbox
			WHERE session = ? AND seq = ?`,
		args: []any{sessionID, seq},
		row:  []any{&row.Payload, &row.ReceivedAt, &row.Stopped, &row.Preview, &row.HoldUntil},
	}
	if err := s.db.query(ctx, load); err != nil {
		return nil, err
	}
	if load.rows == 0 {
		return nil, fmt.Errorf("message %d of session %s is not there", seq, sessionID)
	}
	if row.HoldUntil > 0 {
		if err := s.complete(ctx, &row); err != nil {
			return nil, err
		}
	}
	return row.item()
}

func (s *Inbox) After(ctx context.Context, sessionID string, seq int64, limit int) ([]*inbox.Item, error) {
	first := &step{ // mostly there is none, which a prepared statement finds out cheaply
		sql:  acrossTenants + `SELECT 1 FROM inbox WHERE session = ? AND seq > ? AND done_at = 0 LIMIT 1`,
		args: []any{sessionID, seq}, row: []any{new(int)},
	}
	if err := s.db.query(ctx, first); err != nil || first.rows == 0 {
		return nil, err
	}
	var rows []inboxRow
	err := s.db.read(ctx).Raw(acrossTenants+`SELECT * FROM inbox WHERE session = ? AND seq > ? AND done_at = 0
		ORDER BY seq LIMIT ?`, sessionID, seq, limit).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	var items []*inbox.Item
	for i := range rows {
		it, err := rows[i].item()
		if err != nil || rows[i].HoldUntil > 0 {
			break // it must not fail the turn that runs before it, and an album gets one of its own
		}
		items = append(items, it)
	}
	return items, nil
}

func (s *Inbox) Finish(
	ctx context.Context, l *lane.Lease, end *inbox.End, outOwner string,
) (out *lane.Lease, err error) {
	if err := checkPost(end.Out); err != nil {
		return nil, err
	}
	err = s.out.onlyNew(ctx, s.tenant(l), end.Out, func(ms []channels.Outbound) (err error) {
		out, err = s.finish(ctx, l, end, ms, outOwner)
		return err
	})
	return out, err
}

// finish is Finish with the messages that are to be posted.
func (s *Inbox) finish(
	ctx context.Context, l *lane.Lease, end *inbox.End, ms []channels.Outbound, outOwner string,
) (*lane.Lease, error) {
	moved := s.advance(l, end.Through)
	done := &step{
		sql: acrossTenants + `UPDATE inbox SET done_at = {now}, outcome = ?
			WHERE session = ? AND seq > ? AND seq <= ? AND ` + moved.held.sql,
		args: moved.held.after(end.Outcome, l.ID, l.Done, end.Through),
	}
	added, err := s.addHistory(l, end.Entries, moved.held)
	if err != nil {
		return nil, err
	}
	posted, err := s.out.post(s.tenant(l), l.ID, ms, outOwner, moved.held)
	if err != nil {
		return nil, err
	}
	used := s.addUsage(l, end.Used, moved.held)
	if err := s.db.script(ctx, slices.Concat([]*step{&moved.step, done}, added, used, posted.steps)...); err != nil {
		return nil, err
	}
	if err := moved.apply(l); err != nil {
		return nil, err
	}
	return posted.lease(), nil
}

// tenant is whose message is at the head of a session.
func (s *Inbox) tenant(l *lane.Lease) part {
	return part{`(SELECT tenant FROM inbox WHERE session = ? AND seq = ?)`, []any{l.ID, l.Done + 1}}
}

func (s *Inbox) Stop(ctx context.Context, sessionID string, all bool) (marked, waiting int, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		upTo := `(SELECT done_seq + 1 FROM lanes WHERE kind = 'session' AND id = ?)`
		if all {
			upTo = `(SELECT last_seq FROM lanes WHERE kind = 'session' AND id = ?)`
		}
		r := tx.Exec(acrossTenants+`UPDATE inbox SET stopped = 1 WHERE session = ? AND done_at = 0 AND stopped <> 2
			AND seq <= `+upTo, sessionID, sessionID)
		if r.Error != nil {
			return r.Error
		}
		marked = int(r.RowsAffected)
		// What the running turn took in stands in the history already; it ends with that turn.
		err := tx.Raw(acrossTenants+`SELECT count(*) FROM inbox i WHERE session = ? AND done_at = 0 AND stopped = 0
			AND NOT EXISTS (SELECT 1 FROM history h WHERE h.session = i.session AND h.source = i.seq)`,
			sessionID).Scan(&waiting).Error
		if err != nil {
			return err
		}
		return s.db.notify(tx, stopTopic, sessionID)
	})
	return marked, waiting, err
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
