package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// Codes is the access.Codes.
type Codes struct{ db *DB }

var _ access.Codes = (*Codes)(nil)

// NewCodes works on db.
func NewCodes(db *DB) *Codes { return &Codes{db} }

type codeRow struct {
	Tenant    string `gorm:"primaryKey"`
	Hash      string `gorm:"primaryKey"`
	Kind      string
	Person    string
	ExpiresAt int64
}

func (codeRow) TableName() string { return "codes" }

type requestRow struct {
	Tenant    string `gorm:"primaryKey"`
	Code      string `gorm:"primaryKey"`
	Channel   string
	UserID    string
	Name      string
	Place     string // a channels.Conversation
	AskedAt   int64
	Decision  string
	DecidedBy string
	DecidedAt int64
}

func (requestRow) TableName() string { return "requests" }

func (r *requestRow) request() *access.Request {
	out := &access.Request{
		Code: r.Code, Account: access.Account{Channel: r.Channel, User: channels.UserID(r.UserID)}, Name: r.Name,
		AskedAt: fromMillis(r.AskedAt), Decision: r.Decision, DecidedBy: r.DecidedBy, DecidedAt: fromMillis(r.DecidedAt),
	}
	_ = json.Unmarshal([]byte(r.Place), &out.At) // an unreadable place is none
	return out
}

// Issue implements access.Codes. A person has one open code of a kind.
func (s *Codes) Issue(
	ctx context.Context, tenant string, kind access.Kind, code, person string, ttl time.Duration,
) error {
	if tenant == "" {
		return ErrNoTenant
	}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		err := tx.Exec(`DELETE FROM codes WHERE tenant = ? AND kind = ? AND person = ?`, tenant, kind, person).Error
		if err != nil {
			return err
		}
		return tx.Exec(s.db.stmt(`INSERT INTO codes (tenant, kind, hash, person, expires_at) VALUES (?, ?, ?, ?, {now} + ?)`),
			tenant, kind, access.HashCode(code), person, ttl.Milliseconds()).Error
	})
	if err != nil {
		return fmt.Errorf("keep a code: %w", err)
	}
	return nil
}

// How many may ask to be let in.
const (
	maxOpenRequests = 20 // of one channel
	maxNewRequests  = 10 // of one channel in an hour
	requestRenewal  = time.Hour
)

// Ask implements access.Codes. Somebody who was told "later" may ask again after an hour.
func (s *Codes) Ask(
	ctx context.Context, tenant string, r *access.Request,
) (open *access.Request, fresh bool, err error) {
	if tenant == "" {
		return nil, false, ErrNoTenant
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		open, fresh, err = s.ask(tx, tenant, r)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("keep who asks to be let in: %w", err)
	}
	return open, fresh, nil
}

func (s *Codes) ask(tx *gorm.DB, tenant string, r *access.Request) (*access.Request, bool, error) {
	var known requestRow
	q := tx.Raw(s.db.stmt(`SELECT * FROM requests WHERE tenant = ? AND channel = ? AND user_id = ?
		AND (decision = '' OR decision = ? AND decided_at > {now} - ?) ORDER BY asked_at DESC LIMIT 1`),
		tenant, r.Account.Channel, r.Account.User, access.Later, requestRenewal.Milliseconds()).Scan(&known)
	if q.Error != nil || q.RowsAffected > 0 {
		return known.request(), false, q.Error
	}
	var open, hour int64
	err := tx.Raw(s.db.stmt(`SELECT count(*) FILTER (WHERE decision = ''),
		count(*) FILTER (WHERE asked_at > {now} - ?) FROM requests WHERE tenant = ? AND channel = ?`),
		time.Hour.Milliseconds(), tenant, r.Account.Channel).Row().Scan(&open, &hour)
	if err != nil {
		return nil, false, err
	}
	if open >= maxOpenRequests || hour >= maxNewRequests {
		return nil, false, access.ErrTooMany
	}
	place, err := json.Marshal(r.At)
	if err != nil {
		return nil, false, err
	}
	err = tx.Exec(s.db.stmt(`INSERT INTO requests (tenant, code, channel, user_id, name, place, asked_at)
		VALUES (?, ?, ?, ?, ?, ?, {now})`), tenant, r.Code, r.Account.Channel, r.Account.User, r.Name, string(place)).Error
	return r, true, err
}

// Asked implements access.Codes.
func (s *Codes) Asked(ctx context.Context, tenant, code string) (*access.Request, error) {
	var row requestRow
	err := s.db.read(ctx).Where("tenant = ? AND code = ?", tenant, code).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find who asked to be let in: %w", err)
	}
	return row.request(), nil
}

// Decide implements access.Codes.
func (s *Codes) Decide(ctx context.Context, tenant, code, decision, by string) (ok bool, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		r := tx.Exec(s.db.stmt(`UPDATE requests SET decision = ?, decided_by = ?, decided_at = {now}
			WHERE tenant = ? AND code = ? AND decision = ''`), decision, by, tenant, code)
		ok = r.RowsAffected > 0
		return r.Error
	})
	if err != nil {
		return false, fmt.Errorf("decide about who asks to be let in: %w", err)
	}
	return ok, nil
}
