package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/tools/planmode"
)

// PlanModes is the planmode.Store.
type PlanModes struct{ db *DB }

var _ planmode.Store = (*PlanModes)(nil)

// NewPlanModes works on db.
func NewPlanModes(db *DB) *PlanModes { return &PlanModes{db} }

type planModeRow struct {
	Tenant  string `gorm:"primaryKey"`
	Session string `gorm:"primaryKey"`
	Agent   string `gorm:"primaryKey"`
	Since   int64
}

func (planModeRow) TableName() string { return "plan_modes" }

// Set implements planmode.Store.
func (s *PlanModes) Set(ctx context.Context, o planmode.Owner, planning bool) (changed bool, err error) {
	if o.Tenant == "" {
		return false, ErrNoTenant
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		var r *gorm.DB
		if planning {
			r = tx.Exec(s.db.stmt(`INSERT INTO plan_modes (tenant, session, agent, since) VALUES (?, ?, ?, {now})
				ON CONFLICT (tenant, session, agent) DO NOTHING`), o.Tenant, o.Session, o.Agent)
		} else {
			r = tx.Where("tenant = ? AND session = ? AND agent = ?", o.Tenant, o.Session, o.Agent).Delete(&planModeRow{})
		}
		changed = r.RowsAffected > 0
		return r.Error
	})
	if err != nil {
		return false, fmt.Errorf("keep who plans: %w", err)
	}
	return changed, nil
}

// Planning implements planmode.Store.
func (s *PlanModes) Planning(ctx context.Context, o planmode.Owner) (bool, error) {
	var n int64
	err := s.db.read(ctx).Model(&planModeRow{}).
		Where("tenant = ? AND session = ? AND agent = ?", o.Tenant, o.Session, o.Agent).Count(&n).Error
	if err != nil {
		return false, fmt.Errorf("look up who plans: %w", err)
	}
	return n > 0, nil
}
