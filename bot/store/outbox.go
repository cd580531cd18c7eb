package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/channels"
)

// Outbox is the outbox.Store.
type Outbox struct{ lanes }

var _ outbox.Store = (*Outbox)(nil)

// NewOutbox keeps the messages to send over the named channels.
func NewOutbox(db *DB, channelNames ...string) *Outbox {
	return &Outbox{lanes{db, conversationLane, channelNames}}
}

// What outbox.status says.
const (
	outPending = 0
	outSending = 1 // written before the platform is called: found at another attempt, the message may have been shown
	outSent    = 2
	outDead    = 3
)

type outboxRow struct {
	Conversation string `gorm:"primaryKey"`
	Seq          int64  `gorm:"primaryKey"`
	Tenant       string
	Session      string
	Key          string
	Payload      string
	Status       int
	Attempts     int
	CreatedAt    int64
	SentAt       int64
	MessageID    string
	Err          string
	Parts        int   // delivered, of a message that is delivered in several
	Age          int64 `gorm:"->"` // computed by queries that ask for it: milliseconds since CreatedAt
}

func (outboxRow) TableName() string { return "outbox" }

func (s *Outbox) Post(
	ctx context.Context, tenant, session string, ms []channels.Outbound, owner string,
) (l *lane.Lease, err error) {
	if tenant == "" && len(ms) > 0 {
		return nil, ErrNoTenant
	}
	if err := checkPost(ms); err != nil {
		return nil, err
	}
	whose := part{"?", []any{tenant}}
	if ms, err = s.unknown(ctx, whose, ms); err != nil {
		return nil, err
	}
	err = s.onlyNew(ctx, whose, ms, func(ms []channels.Outbound) error {
		p, err := s.post(whose, session, ms, owner, always())
		if err != nil {
			return err
		}
		if err := s.db.script(ctx, p.steps...); err != nil {
			return err
		}
		l = p.lease()
		return nil
	})
	return l, err
}

// posting is the steps that add messages of one conversation.
type posting struct {
	push  *push
	steps []*step
}

// post adds messages while held. They must be new.
func (s *Outbox) post(tenant part, session string, ms []channels.Outbound, owner string, held part) (*posting, error) {
	if len(ms) == 0 {
		return &posting{}, nil
	}
	to := ms[0].Conversation
	p := &posting{push: s.push(to.String(), to.Channel, len(ms), owner, held)}
	p.steps = append(p.steps, &p.push.step)
	for i, m := range ms {
		var keep []*step
		var err error
		if m.Buttons, keep, err = keepButtons(tenant, to, m.Buttons, held); err != nil {
			return nil, err
		}
		p.steps = append(p.steps, keep...)
		payload, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		claimed := 0 // messages in a lane that the push claims
		if i == 0 && p.push.owner != "" {
			claimed = len(ms)
		}
		args := slices.Concat([]any{len(ms) - 1 - i}, tenant.args, []any{session, m.Key, string(payload),
			claimed, claimed, s.kind, to.String()}, held.args)
		p.steps = append(p.steps, &step{
			// The owner sends the first message at once: that it is outSending already saves a commit.
			sql: `INSERT INTO outbox (conversation, seq, tenant, session, key, payload, status, attempts, created_at)
				SELECT id, last_seq - ?, ` + tenant.sql + `, ?, ?, ?,
					CASE WHEN last_seq - done_seq = ? THEN 1 ELSE 0 END,
					CASE WHEN last_seq - done_seq = ? THEN 1 ELSE 0 END, {now}
				FROM lanes WHERE kind = ? AND id = ? AND ` + held.sql,
			args: args,
		})
	}
	p.steps = append(p.steps, s.wake(p.push, to.String())...)
	return p, nil
}

func (p *posting) lease() *lane.Lease {
	if p.push == nil {
		return nil
	}
	l := p.push.lease()
	if l != nil {
		l.Begun = true
	}
	return l
}

// checkPost finds the mistakes of a caller that would let messages disappear: without a key all but the first look like
// repetitions, and those of a second conversation would wait in the queue of the first.
func checkPost(ms []channels.Outbound) error {
	for _, m := range ms {
		switch {
		case m.Key == "":
			return fmt.Errorf("a message to %s has no key", m.Conversation)
		case m.Conversation != ms[0].Conversation:
			return fmt.Errorf("messages to %s and %s in one post", ms[0].Conversation, m.Conversation)
		}
	}
	return nil
}

// onlyNew posts messages. When one of them turns out to have been posted before, perhaps by another replica in this
// moment, it posts the others.
func (s *Outbox) onlyNew(
	ctx context.Context, tenant part, ms []channels.Outbound, post func(ms []channels.Outbound) error,
) error {
	for {
		err := post(ms)
		if !errors.Is(err, gorm.ErrDuplicatedKey) {
			return err
		}
		fresh, uerr := s.unknown(ctx, tenant, ms)
		if uerr != nil {
			return uerr
		}
		if len(fresh) == len(ms) { // something else is there twice
			return err
		}
		ms = fresh
	}
}

// unknown leaves out the messages whose key was posted before, or stands in ms before.
func (s *Outbox) unknown(ctx context.Context, tenant part, ms []channels.Outbound) ([]channels.Outbound, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	keys := make([]string, len(ms))
	for i, m := range ms {
		keys[i] = m.Key
	}
	var known []string
	err := s.db.read(ctx).Raw(`SELECT key FROM outbox WHERE key IN ? AND tenant = `+tenant.sql,
		tenant.after(keys)...).Scan(&known).Error
	if err != nil {
		return nil, fmt.Errorf("look for messages that were posted before: %w", err)
	}
	var fresh []channels.Outbound
	for _, m := range ms {
		if !slices.Contains(known, m.Key) {
			fresh = append(fresh, m)
			known = append(known, m.Key)
		}
	}
	return fresh, nil
}

func (s *Outbox) Begin(ctx context.Context, l *lane.Lease) (*outbox.Row, error) {
	var row outboxRow
	mine := part{
		`EXISTS (SELECT 1 FROM lanes WHERE kind = ? AND id = ? AND fence = ? AND lease_until > {now})`,
		[]any{s.kind, l.ID, l.Fence},
	}
	load := &step{
		sql: acrossTenants + `SELECT seq, tenant, session, payload, status, attempts, parts, {now} - created_at FROM outbox
			WHERE conversation = ? AND seq = ? AND ` + mine.sql,
		args: mine.after(l.ID, l.Done+1),
		row:  []any{&row.Seq, &row.Tenant, &row.Session, &row.Payload, &row.Status, &row.Attempts, &row.Parts, &row.Age},
	}
	if err := s.begin(ctx, l, load, mine); err != nil {
		return nil, err
	}
	r := &outbox.Row{
		Seq: row.Seq, Tenant: row.Tenant, Session: row.Session, Attempts: row.Attempts, Parts: row.Parts,
		Unsure: row.Status == outSending, Age: time.Duration(row.Age) * time.Millisecond,
	}
	if l.Begun {
		r.Unsure = false // it was this owner's post that marked it
	} else {
		r.Attempts++
	}
	if err := json.Unmarshal([]byte(row.Payload), &r.Message); err != nil {
		return r, fmt.Errorf("%w: message %d to %s: %w", outbox.ErrUnreadable, row.Seq, l.ID, err)
	}
	return r, nil
}

// begin loads the message at the head as it is, and marks it unless that is done.
func (s *Outbox) begin(ctx context.Context, l *lane.Lease, load *step, mine part) error {
	if l.Begun {
		if err := s.db.query(ctx, load); err != nil {
			return err
		}
		return load.fenced()
	}
	mark := s.update(l, l.Done+1, part{`status = ?, attempts = attempts + 1`, []any{outSending}}, mine)
	if err := s.db.script(ctx, load, mark); err != nil {
		return err
	}
	return errors.Join(load.fenced(), mark.fenced())
}

func (s *Outbox) Delivered(ctx context.Context, l *lane.Lease, r *outbox.Row, parts int) error {
	held := s.hold(l)
	if err := s.db.script(ctx, held, s.update(l, r.Seq, part{`parts = ?`, []any{parts}}, s.held(l))); err != nil {
		return fmt.Errorf("keep what was delivered to %s: %w", l.ID, err)
	}
	return held.fenced()
}

func (s *Outbox) Sent(ctx context.Context, l *lane.Lease, r *outbox.Row, id channels.MessageID) error {
	return s.settle(ctx, l, r, part{`status = ?, message_id = ?, err = '', sent_at = {now}`, []any{outSent, string(id)}})
}

func (s *Outbox) Bury(ctx context.Context, l *lane.Lease, r *outbox.Row, why string) error {
	return s.settle(ctx, l, r, part{`status = ?, err = ?`, []any{outDead, text(why)}})
}

func (s *Outbox) settle(ctx context.Context, l *lane.Lease, r *outbox.Row, set part) error {
	moved := s.advance(l, r.Seq)
	err := s.db.script(ctx, &moved.step, s.update(l, r.Seq, set, moved.held))
	if err == nil {
		err = moved.apply(l)
	}
	if err != nil {
		return fmt.Errorf("settle message to %s: %w", l.ID, err)
	}
	return nil
}

func (s *Outbox) Defer(ctx context.Context, l *lane.Lease, r *outbox.Row, unsure bool, why string) error {
	status := outPending
	if unsure || r.Unsure {
		status = outSending
	}
	held := s.hold(l)
	set := part{`status = ?, err = ?`, []any{status, text(why)}}
	if err := s.db.script(ctx, held, s.update(l, r.Seq, set, s.held(l))); err != nil {
		return fmt.Errorf("defer message to %s: %w", l.ID, err)
	}
	if err := held.fenced(); err != nil {
		return err
	}
	l.Begun = false
	return nil
}

// update is the step that changes a message while held.
func (s *Outbox) update(l *lane.Lease, seq int64, set, held part) *step {
	return &step{
		sql:  acrossTenants + `UPDATE outbox SET ` + set.sql + ` WHERE conversation = ? AND seq = ? AND ` + held.sql,
		args: slices.Concat(set.args, []any{l.ID, seq}, held.args),
	}
}

// maxWhy bounds in bytes what is kept of a reason.
const maxWhy = 2000

// text makes the words of an error fit for every database: a platform may answer anything, and a reason that cannot be
// stored must not keep its message in the queue.
func text(why string) string {
	why = why[:min(len(why), maxWhy)]
	return strings.ReplaceAll(strings.ToValidUTF8(why, "\uFFFD"), "\x00", "\uFFFD")
}
