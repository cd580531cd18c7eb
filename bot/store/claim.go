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
		known, err := s.db.account(tx, tenant, a)
		if err != nil {
			return err
		}
		if known.Person == "" {
			p, err = s.db.let(tx, tenant, a, name, access.Owner)
			return err
		}
		p = &access.Person{ID: known.Person, Name: name, Role: access.Owner}
		return tx.Exec(`UPDATE people SET role = ? WHERE tenant = ? AND id = ?`, access.Owner, tenant, known.Person).Error
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
		known, err := s.db.account(tx, tenant, a)
		if err != nil {
			return err
		}
		if known.Blocked != 0 || known.Person != "" && known.Person != id {
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

// Decide implements access.People. What was decided is done in the same transaction.
func (s *People) Decide(
	ctx context.Context, tenant, code, decision, by string,
) (r *access.Request, ok bool, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		var row requestRow
		err := tx.Where("tenant = ? AND code = ?", tenant, code).Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		done := tx.Exec(s.db.stmt(`UPDATE requests SET decision = ?, decided_by = ?, decided_at = {now}
			WHERE tenant = ? AND code = ? AND decision = ''`), decision, by, tenant, code)
		if done.Error != nil {
			return done.Error
		}
		if ok = done.RowsAffected > 0; ok {
			err = s.carryOut(tx, tenant, row.request(), decision)
		}
		if err == nil {
			err = tx.Where("tenant = ? AND code = ?", tenant, code).Take(&row).Error
		}
		r = row.request()
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("decide about who asks to be let in: %w", err)
	}
	return r, ok, nil
}

// carryOut does what was decided about a request.
func (s *People) carryOut(tx *gorm.DB, tenant string, r *access.Request, decision string) error {
	switch decision {
	case access.Later:
		return nil
	case access.Block:
		known, err := s.db.account(tx, tenant, r.Account)
		if err != nil {
			return err
		}
		if known.Person != "" {
			return access.ErrTaken
		}
		return tx.Exec(`INSERT INTO accounts (tenant, channel, user_id, person, name, blocked) VALUES (?, ?, ?, '', ?, 1)
			ON CONFLICT (tenant, channel, user_id) DO UPDATE SET blocked = 1`,
			tenant, r.Account.Channel, r.Account.User, r.Name).Error
	}
	_, err := s.db.let(tx, tenant, r.Account, r.Name, access.Role(decision))
	return err
}
