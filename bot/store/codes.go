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

// Issue implements access.Codes. A new claim code takes the place of the last; link codes stand beside each other,
// because the answer that holds an earlier one may be on its way.
func (s *Codes) Issue(
	ctx context.Context, tenant string, kind access.Kind, code, person string, ttl time.Duration,
) error {
	if tenant == "" {
		return ErrNoTenant
	}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		if kind == access.ClaimCode {
			if err := tx.Exec(`DELETE FROM codes WHERE tenant = ? AND kind = ?`, tenant, kind).Error; err != nil {
				return err
			}
		}
		return tx.Exec(s.db.stmt(`INSERT INTO codes (tenant, kind, hash, person, expires_at) VALUES (?, ?, ?, ?, {now} + ?)`),
			tenant, kind, access.HashCode(code), person, ttl.Milliseconds()).Error
	})
	if err != nil {
		return fmt.Errorf("keep a code: %w", err)
	}
	return nil
}

// settled closes a request that nobody decided: whoever asked came in another way.
const settled = "settled"

// How many may ask to be let in.
const (
	maxOpenRequests = 20 // of one channel
	maxNewRequests  = 10 // of one channel in an hour
	requestRenewal  = time.Hour
	openRequest     = 7 * 24 * time.Hour // after which an undecided one keeps nobody else out
)

// Ask implements access.Codes. Somebody who was told "later" may ask again after an hour.
func (s *Codes) Ask(ctx context.Context, tenant string, r *access.Request) (asked *access.Request, err error) {
	if tenant == "" {
		return nil, ErrNoTenant
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		asked, err = s.ask(tx, tenant, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("keep who asks to be let in: %w", err)
	}
	return asked, nil
}

func (s *Codes) ask(tx *gorm.DB, tenant string, r *access.Request) (*access.Request, error) {
	if known, err := s.known(tx, tenant, r); known != nil || err != nil {
		return known, err
	}
	var open, hour int64
	err := tx.Raw(s.db.stmt(`SELECT count(*) FILTER (WHERE decision = '' AND asked_at > {now} - ?),
		count(*) FILTER (WHERE asked_at > {now} - ?) FROM requests WHERE tenant = ? AND channel = ?`),
		openRequest.Milliseconds(), time.Hour.Milliseconds(), tenant, r.Account.Channel).Row().Scan(&open, &hour)
	if err != nil {
		return nil, err
	}
	if open >= maxOpenRequests || hour >= maxNewRequests {
		return nil, access.ErrTooMany
	}
	place, err := json.Marshal(r.At)
	if err != nil {
		return nil, err
	}
	insert := tx.Exec(s.db.stmt(`INSERT INTO requests (tenant, code, channel, user_id, name, place, asked_at)
		VALUES (?, ?, ?, ?, ?, ?, {now}) ON CONFLICT DO NOTHING`),
		tenant, r.Code, r.Account.Channel, r.Account.User, r.Name, string(place))
	if insert.Error != nil || insert.RowsAffected > 0 {
		return r, insert.Error
	}
	return s.known(tx, tenant, r) // asked at the same time elsewhere
}

// known is the request of an account that is open, or was put off a moment ago.
func (s *Codes) known(tx *gorm.DB, tenant string, r *access.Request) (*access.Request, error) {
	var row requestRow
	q := tx.Raw(s.db.stmt(`SELECT * FROM requests WHERE tenant = ? AND channel = ? AND user_id = ?
		AND (decision = '' OR decision = ? AND decided_at > {now} - ?) ORDER BY asked_at DESC LIMIT 1`),
		tenant, r.Account.Channel, r.Account.User, access.Later, requestRenewal.Milliseconds()).Scan(&row)
	if q.Error != nil || q.RowsAffected == 0 {
		return nil, q.Error
	}
	return row.request(), nil
}

// Open implements access.Codes.
func (s *Codes) Open(ctx context.Context, tenant string) ([]access.Request, error) {
	var rows []requestRow
	err := s.db.read(ctx).Where("tenant = ? AND decision = ''", tenant).Order("asked_at").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list who asks to be let in: %w", err)
	}
	all := make([]access.Request, len(rows))
	for i := range rows {
		all[i] = *rows[i].request()
	}
	return all, nil
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
