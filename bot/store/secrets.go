package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/secret"
)

// Secrets is the secret.Store.
type Secrets struct{ db *DB }

var _ secret.Store = (*Secrets)(nil)

// NewSecrets works on db.
func NewSecrets(db *DB) *Secrets { return &Secrets{db} }

type secretRow struct {
	Tenant string `gorm:"primaryKey"`
	Name   string `gorm:"primaryKey"`
	Key    string
	Sealed []byte
	SetBy  string
	SetAt  int64
}

func (secretRow) TableName() string { return "secrets" }

func (r secretRow) row() secret.Row       { return secret.Row{Tenant: r.Tenant, Name: r.Name} }
func (r secretRow) sealed() secret.Sealed { return secret.Sealed{Key: r.Key, Text: r.Sealed} }

// Put implements secret.Store.
func (s *Secrets) Put(ctx context.Context, row secret.Row, sealed secret.Sealed, by string) error {
	if row.Tenant == "" {
		return ErrNoTenant
	}
	return s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Exec(s.db.stmt(`INSERT INTO secrets (tenant, name, key, sealed, set_by, set_at)
				VALUES (?, ?, ?, ?, ?, {now})
			ON CONFLICT (tenant, name) DO UPDATE SET key = excluded.key, sealed = excluded.sealed,
				set_by = excluded.set_by, set_at = excluded.set_at`),
			row.Tenant, row.Name, sealed.Key, sealed.Text, by).Error
	})
}

// Get implements secret.Store.
func (s *Secrets) Get(ctx context.Context, row secret.Row) (secret.Sealed, bool, error) {
	var r secretRow
	err := s.db.read(ctx).Where("tenant = ? AND name = ?", row.Tenant, row.Name).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return secret.Sealed{}, false, nil
	}
	return r.sealed(), err == nil, err
}

// List implements secret.Store.
func (s *Secrets) List(ctx context.Context, tenant string) ([]secret.Secret, error) {
	var rows []secretRow
	q := s.db.read(ctx).Select("name", "key", "set_by", "set_at").Where("tenant = ?", tenant).Order("name")
	err := q.Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list the secrets: %w", err)
	}
	all := make([]secret.Secret, len(rows))
	for i, r := range rows {
		all[i] = secret.Secret{Name: r.Name, Key: r.Key, SetBy: r.SetBy, SetAt: fromMillis(r.SetAt)}
	}
	return all, nil
}

// Remove implements secret.Store.
func (s *Secrets) Remove(ctx context.Context, row secret.Row) (there bool, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		r := tx.Where("tenant = ? AND name = ?", row.Tenant, row.Name).Delete(&secretRow{})
		there = r.RowsAffected > 0
		return r.Error
	})
	return there, err
}

// Reseal implements secret.Store.
func (s *Secrets) Reseal(
	ctx context.Context, tenant string, again func(secret.Row, secret.Sealed) (secret.Sealed, error),
) (n int, err error) {
	lock := ""
	if s.db.pg != nil {
		lock = " FOR UPDATE" // a value that is set meanwhile waits, and counts
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		var rows []secretRow
		if err := tx.Raw(`SELECT * FROM secrets WHERE tenant = ? ORDER BY name`+lock, tenant).Scan(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			fresh, err := again(r.row(), r.sealed())
			if err != nil {
				return err
			}
			err = tx.Model(&secretRow{}).Where("tenant = ? AND name = ?", tenant, r.Name).
				Updates(map[string]any{"key": fresh.Key, "sealed": fresh.Text}).Error
			if err != nil {
				return err
			}
		}
		n = len(rows)
		return nil
	})
	return n, err
}
