package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/tools/spill"
)

// Outputs is the spill.Store.
type Outputs struct{ db *DB }

var _ spill.Store = (*Outputs)(nil)

// NewOutputs works on db.
func NewOutputs(db *DB) *Outputs { return &Outputs{db} }

type outputRow struct {
	Tenant    string `gorm:"primaryKey"`
	Session   string `gorm:"primaryKey"`
	Ref       string `gorm:"primaryKey"`
	Kind      string
	Content   string
	ExpiresAt int64
}

func (outputRow) TableName() string { return "outputs" }

// Put implements spill.Store. Of a session the oldest go when it has too many.
func (s *Outputs) Put(ctx context.Context, o spill.Owner, out *spill.Output) error {
	if o.Tenant == "" {
		return ErrNoTenant
	}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		err := tx.Exec(s.db.stmt(`INSERT INTO outputs (tenant, session, ref, kind, content, expires_at)
			VALUES (?, ?, ?, ?, ?, {now} + ?) ON CONFLICT (tenant, session, ref) DO NOTHING`),
			o.Tenant, o.Session, out.Ref, string(out.Kind), out.Text, spill.Kept.Milliseconds()).Error
		if err != nil {
			return err
		}
		return tx.Exec(`DELETE FROM outputs WHERE tenant = ? AND session = ? AND ref NOT IN
			(SELECT ref FROM outputs WHERE tenant = ? AND session = ? ORDER BY expires_at DESC, ref LIMIT ?)`,
			o.Tenant, o.Session, o.Tenant, o.Session, spill.MostOutputs).Error
	})
	if err != nil {
		return fmt.Errorf("keep an output: %w", err)
	}
	return nil
}

// Get implements spill.Store.
func (s *Outputs) Get(ctx context.Context, o spill.Owner, ref string) (*spill.Output, error) {
	var r outputRow
	err := s.db.read(ctx).Where("tenant = ? AND session = ? AND ref = ?", o.Tenant, o.Session, ref).
		Where(s.db.stmt("expires_at > {now}")).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, spill.ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("look up an output: %w", err)
	}
	return &spill.Output{Ref: r.Ref, Kind: spill.Kind(r.Kind), Text: r.Content}, nil
}
