package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Age          int64 `gorm:"->"` // computed by queries that ask for it: milliseconds since CreatedAt
}

func (outboxRow) TableName() string { return "outbox" }

func (s *Outbox) Post(
	ctx context.Context, tenant, session string, ms []channels.Outbound, owner string,
) (l *lane.Lease, err error) {
	post := func() error {
		return s.db.write(ctx, func(tx *gorm.DB) (err error) {
			l, err = s.post(tx, tenant, session, ms, owner)
			return err
		})
	}
	err = post()
	if errors.Is(err, gorm.ErrDuplicatedKey) { // another replica posted the same message meanwhile: now it is known
		err = post()
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// post adds messages of one conversation inside the caller's transaction.
func (s *Outbox) post(
	tx *gorm.DB, tenant, session string, ms []channels.Outbound, owner string,
) (*lane.Lease, error) {
	if err := checkPost(tenant, ms); err != nil {
		return nil, err
	}
	ms, err := s.unknown(tx, tenant, ms)
	if err != nil || len(ms) == 0 {
		return nil, err
	}
	to := ms[0].Conversation
	row, claimed, err := s.push(tx, to.String(), to.Channel, len(ms), owner)
	if err != nil {
		return nil, err
	}
	for i, m := range ms {
		payload, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		status, attempts := outPending, 0
		if claimed && i == 0 { // the owner sends it at once: saves a commit
			status, attempts = outSending, 1
		}
		err = tx.Exec(s.db.stmt(`INSERT INTO outbox (conversation, seq, tenant, session, key, payload, status, attempts,
			created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, {now})`),
			row.ID, row.LastSeq-int64(len(ms)-1-i), tenant, session, m.Key, string(payload), status, attempts).Error
		if err != nil {
			return nil, err
		}
	}
	if !claimed {
		return nil, nil
	}
	l := row.lease()
	l.Begun = true
	return &l, nil
}

// checkPost finds the mistakes of a caller that would let messages disappear: without a key all but the first look like
// repetitions, and those of a second conversation would wait in the queue of the first.
func checkPost(tenant string, ms []channels.Outbound) error {
	if tenant == "" && len(ms) > 0 {
		return ErrNoTenant
	}
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

// unknown leaves out the messages whose key was posted before.
func (s *Outbox) unknown(tx *gorm.DB, tenant string, ms []channels.Outbound) ([]channels.Outbound, error) {
	var fresh []channels.Outbound
	seen := map[string]bool{}
	for _, m := range ms {
		if seen[m.Key] {
			continue
		}
		seen[m.Key] = true
		var n int
		err := tx.Raw(`SELECT count(*) FROM outbox WHERE tenant = ? AND key = ?`, tenant, m.Key).Scan(&n).Error
		if err != nil {
			return nil, err
		}
		if n == 0 {
			fresh = append(fresh, m)
		}
	}
	return fresh, nil
}

func (s *Outbox) Begin(ctx context.Context, l *lane.Lease) (*outbox.Row, error) {
	var row outboxRow
	load := func(tx *gorm.DB) error {
		return tx.Raw(acrossTenants+s.db.stmt(`SELECT *, {now} - created_at AS age FROM outbox
			WHERE conversation = ? AND seq = ?`), l.ID, l.Done+1).Take(&row).Error
	}
	var err error
	if l.Begun {
		if err = s.check(s.db.read(ctx), *l); err == nil {
			err = load(s.db.read(ctx))
		}
		row.Status = outPending
	} else {
		err = s.db.write(ctx, func(tx *gorm.DB) error {
			if err := s.hold(tx, *l); err != nil {
				return err
			}
			if err := load(tx); err != nil {
				return err
			}
			row.Attempts++
			return s.update(tx, l, l.Done+1, map[string]any{"status": outSending, "attempts": row.Attempts})
		})
	}
	if err != nil {
		return nil, err
	}
	r := &outbox.Row{
		Seq: row.Seq, Tenant: row.Tenant, Session: row.Session, Attempts: row.Attempts,
		Unsure: row.Status == outSending, Age: time.Duration(row.Age) * time.Millisecond,
	}
	if err := json.Unmarshal([]byte(row.Payload), &r.Message); err != nil {
		return r, fmt.Errorf("%w: message %d to %s: %w", outbox.ErrUnreadable, row.Seq, l.ID, err)
	}
	return r, nil
}

func (s *Outbox) Sent(ctx context.Context, l *lane.Lease, r *outbox.Row, id channels.MessageID) error {
	return s.settle(ctx, l, r, map[string]any{
		"status": outSent, "message_id": string(id), "err": "", "sent_at": gorm.Expr(s.db.now()),
	})
}

func (s *Outbox) Bury(ctx context.Context, l *lane.Lease, r *outbox.Row, why string) error {
	return s.settle(ctx, l, r, map[string]any{"status": outDead, "err": text(why)})
}

func (s *Outbox) settle(ctx context.Context, l *lane.Lease, r *outbox.Row, set map[string]any) error {
	next := *l
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		next = *l
		if err := s.advance(tx, &next, r.Seq); err != nil {
			return err
		}
		return s.update(tx, l, r.Seq, set)
	})
	if err != nil {
		return fmt.Errorf("settle message to %s: %w", l.ID, err)
	}
	*l = next
	return nil
}

func (s *Outbox) Defer(ctx context.Context, l *lane.Lease, r *outbox.Row, unsure bool, why string) error {
	status := outPending
	if unsure || r.Unsure {
		status = outSending
	}
	return s.db.write(ctx, func(tx *gorm.DB) error {
		if err := s.hold(tx, *l); err != nil {
			return err
		}
		l.Begun = false
		return s.update(tx, l, r.Seq, map[string]any{"status": status, "err": text(why)})
	})
}

// maxWhy bounds in bytes what is kept of a reason.
const maxWhy = 2000

// text makes the words of an error fit for every database: a platform may answer anything, and a reason that cannot be
// stored must not keep its message in the queue.
func text(why string) string {
	why = why[:min(len(why), maxWhy)]
	return strings.ReplaceAll(strings.ToValidUTF8(why, "\uFFFD"), "\x00", "\uFFFD")
}

func (s *Outbox) update(tx *gorm.DB, l *lane.Lease, seq int64, set map[string]any) error {
	return tx.Table("outbox").Where(acrossTenants+"conversation = ? AND seq = ?", l.ID, seq).Updates(set).Error
}
