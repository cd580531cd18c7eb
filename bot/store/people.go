package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// People is the access.People.
type People struct{ db *DB }

var _ access.People = (*People)(nil)

// NewPeople works on db.
func NewPeople(db *DB) *People { return &People{db} }

type personRow struct {
	Tenant    string `gorm:"primaryKey"`
	ID        string `gorm:"primaryKey"`
	Name      string
	Role      string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

func (personRow) TableName() string { return "people" }

type accountRow struct {
	Tenant  string `gorm:"primaryKey"`
	Channel string `gorm:"primaryKey"`
	UserID  string `gorm:"primaryKey"`
	Person  string // empty for one that is blocked
	Name    string
	Direct  string // a channels.Conversation; empty while unknown
	Blocked int
}

func (accountRow) TableName() string { return "accounts" }

// Find implements access.People. It is asked for every message.
func (s *People) Find(ctx context.Context, tenant string, a access.Account) (*access.Person, bool, error) {
	var blocked int
	var p access.Person
	find := &step{
		sql: `SELECT a.blocked, coalesce(p.id, ''), coalesce(p.name, ''), coalesce(p.role, '') FROM accounts a
			LEFT JOIN people p ON p.tenant = a.tenant AND p.id = a.person
			WHERE a.tenant = ? AND a.channel = ? AND a.user_id = ?`,
		args: []any{tenant, a.Channel, a.User}, row: []any{&blocked, &p.ID, &p.Name, &p.Role},
	}
	if err := s.db.query(ctx, find); err != nil {
		return nil, false, fmt.Errorf("find a person: %w", err)
	}
	if find.rows == 0 || blocked != 0 || p.ID == "" {
		return nil, blocked != 0, nil
	}
	return &p, false, nil
}

// All implements access.People.
func (s *People) All(ctx context.Context, tenant string) ([]access.Person, error) {
	var people []personRow
	var accounts []accountRow
	err := s.db.read(ctx).Where("tenant = ?", tenant).Order("name, id").Find(&people).Error
	if err == nil {
		err = s.db.read(ctx).Where("tenant = ? AND blocked = 0", tenant).Order("channel, user_id").Find(&accounts).Error
	}
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	of := map[string][]accountRow{}
	for _, a := range accounts {
		of[a.Person] = append(of[a.Person], a)
	}
	all := make([]access.Person, 0, len(people))
	for _, row := range people {
		p := access.Person{ID: row.ID, Name: row.Name, Role: access.Role(row.Role)}
		for _, a := range of[row.ID] {
			p.Accounts = append(p.Accounts, access.Account{Channel: a.Channel, User: channels.UserID(a.UserID)})
			var at channels.Conversation
			if json.Unmarshal([]byte(a.Direct), &at) == nil {
				p.Direct = append(p.Direct, at)
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// Let makes the owner of an account a person in a role. ErrTaken when somebody has the account already.
func (s *People) Let(
	ctx context.Context, tenant string, a access.Account, name string, role access.Role,
) (p *access.Person, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		p, err = s.db.let(tx, tenant, a, name, role)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("let a person in: %w", err)
	}
	return p, nil
}

// let makes the owner of an account a person in a role. Somebody who is known keeps their role: taking one is another
// matter.
func (db *DB) let(
	tx *gorm.DB, tenant string, a access.Account, name string, role access.Role,
) (*access.Person, error) {
	if tenant == "" {
		return nil, ErrNoTenant
	}
	if known, err := db.account(tx, tenant, a); err != nil || known.Person != "" {
		return nil, errors.Join(err, access.ErrTaken)
	}
	id := a.String()
	err := tx.Exec(db.stmt(`INSERT INTO people (tenant, id, name, role, created_at) VALUES (?, ?, ?, ?, {now})
		ON CONFLICT (tenant, id) DO UPDATE SET name = excluded.name, role = excluded.role`), tenant, id, name, role).Error
	if err != nil {
		return nil, err
	}
	return &access.Person{ID: id, Name: name, Role: role}, db.join(tx, tenant, a, name, id)
}

// account is what is kept of an account; nothing of one that is unknown.
func (db *DB) account(tx *gorm.DB, tenant string, a access.Account) (accountRow, error) {
	var known accountRow
	err := tx.Where("tenant = ? AND channel = ? AND user_id = ?", tenant, a.Channel, a.User).Take(&known).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = nil
	}
	return known, err
}

// join gives an account to a person. Whatever it asked for before is settled.
func (db *DB) join(tx *gorm.DB, tenant string, a access.Account, name, person string) error {
	err := tx.Exec(db.stmt(`UPDATE requests SET decision = ?, decided_at = {now}
		WHERE tenant = ? AND channel = ? AND user_id = ? AND decision = ''`), settled, tenant, a.Channel, a.User).Error
	if err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO accounts (tenant, channel, user_id, person, name) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (tenant, channel, user_id) DO UPDATE SET person = excluded.person, name = excluded.name, blocked = 0`,
		tenant, a.Channel, a.User, person, name).Error
}

// Change implements access.People.
func (s *People) Change(ctx context.Context, tenant, id string, role access.Role) error {
	return s.alter(ctx, tenant, id, "change the role of a person", func(tx *gorm.DB) error {
		return tx.Exec(`UPDATE people SET role = ? WHERE tenant = ? AND id = ?`, role, tenant, id).Error
	})
}

// Remove implements access.People.
func (s *People) Remove(ctx context.Context, tenant, id string) error {
	return s.alter(ctx, tenant, id, "remove a person", func(tx *gorm.DB) error {
		if err := tx.Exec(`DELETE FROM people WHERE tenant = ? AND id = ?`, tenant, id).Error; err != nil {
			return err
		}
		if err := tx.Exec(`DELETE FROM codes WHERE tenant = ? AND person = ?`, tenant, id).Error; err != nil {
			return err
		}
		if err := tx.Exec(`DELETE FROM grants WHERE tenant = ? AND person = ?`, tenant, id).Error; err != nil {
			return err
		}
		return tx.Exec(`DELETE FROM accounts WHERE tenant = ? AND person = ?`, tenant, id).Error
	})
}

// alter changes a person, unless the tenant would have no owner afterwards. All changes of a tenant's people wait for
// each other: two owners that remove each other at once must not both succeed.
func (s *People) alter(ctx context.Context, tenant, id, what string, change func(tx *gorm.DB) error) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		if s.db.pg != nil {
			if err := tx.Exec(`SELECT pg_advisory_xact_lock(hashtext(?))`, "people of "+tenant).Error; err != nil {
				return err
			}
		}
		var before personRow
		err := tx.Where("tenant = ? AND id = ?", tenant, id).Take(&before).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return access.ErrNobody
		}
		if err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		var owners int64
		err = tx.Model(&personRow{}).Where("tenant = ? AND role = ?", tenant, access.Owner).Count(&owners).Error
		if err == nil && owners == 0 && before.Role == string(access.Owner) {
			return access.ErrLastOwner
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Blocked implements access.People.
func (s *People) Blocked(ctx context.Context, tenant string) (names []string, err error) {
	err = s.db.read(ctx).Model(&accountRow{}).Where("tenant = ? AND blocked = 1", tenant).Order("name, user_id").
		Pluck("name", &names).Error
	if err != nil {
		return nil, fmt.Errorf("list who is blocked: %w", err)
	}
	return names, nil
}

// Unblock implements access.People.
func (s *People) Unblock(ctx context.Context, tenant, name string) (names []string, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Raw(`DELETE FROM accounts WHERE tenant = ? AND blocked = 1
			AND (lower(name) = lower(?) OR channel || ':' || user_id = ?) RETURNING name`, tenant, name, name).Scan(&names).Error
	})
	if err != nil {
		return nil, fmt.Errorf("unblock an account: %w", err)
	}
	return names, nil
}

// Seen implements access.People. What is known already is not written again.
func (s *People) Seen(ctx context.Context, tenant string, a access.Account, at channels.Conversation) error {
	direct, err := json.Marshal(at)
	if err != nil {
		return err
	}
	known := &step{
		sql:  `SELECT 1 FROM accounts WHERE tenant = ? AND channel = ? AND user_id = ? AND direct <> ?`,
		args: []any{tenant, a.Channel, a.User, string(direct)}, row: []any{new(int)},
	}
	if err := s.db.query(ctx, known); err != nil || known.rows == 0 {
		return err
	}
	err = s.db.script(ctx, &step{
		sql:  `UPDATE accounts SET direct = ? WHERE tenant = ? AND channel = ? AND user_id = ?`,
		args: []any{string(direct), tenant, a.Channel, a.User},
	})
	if err != nil {
		return fmt.Errorf("keep where a person is: %w", err)
	}
	return nil
}
