package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/access"
)

// use takes a code that is good and returns whose it was.
func (s *People) use(tx *gorm.DB, tenant string, kind access.Kind, code string) (person string, err error) {
	var row codeRow
	r := tx.Raw(s.db.stmt(`DELETE FROM codes WHERE tenant = ? AND kind = ? AND hash = ? AND expires_at > {now}
		RETURNING person`), tenant, kind, access.HashCode(code)).Scan(&row)
	if r.Error == nil && r.RowsAffected == 0 {
		return "", access.ErrCode
	}
	return row.Person, r.Error
}

// Claim implements access.People.
func (s *People) Claim(
	ctx context.Context, tenant, code string, a access.Account, name string,
) (p *access.Person, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		if _, err := s.use(tx, tenant, access.ClaimCode, code); err != nil {
			return err
		}
		p, err = s.db.let(tx, tenant, a, name, access.Owner)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim the bot: %w", err)
	}
	return p, nil
}

// Link implements access.People.
func (s *People) Link(
	ctx context.Context, tenant, code string, a access.Account, name string,
) (p *access.Person, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		id, err := s.use(tx, tenant, access.LinkCode, code)
		if err != nil {
			return err
		}
		var row personRow
		if err := tx.Where("tenant = ? AND id = ?", tenant, id).Take(&row).Error; errors.Is(err, gorm.ErrRecordNotFound) {
			return access.ErrCode
		} else if err != nil {
			return err
		}
		var taken int64
		err = tx.Model(&accountRow{}).Where("tenant = ? AND channel = ? AND user_id = ? AND person <> '' AND person <> ?",
			tenant, a.Channel, a.User, id).Count(&taken).Error
		if err != nil {
			return err
		}
		if taken > 0 {
			return access.ErrTaken
		}
		p = &access.Person{ID: row.ID, Name: row.Name, Role: access.Role(row.Role)}
		return s.db.join(tx, tenant, a, name, id)
	})
	if err != nil {
		return nil, fmt.Errorf("link an account: %w", err)
	}
	return p, nil
}
