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
	all := make([]access.Person, 0, len(people))
	for _, row := range people {
		p := access.Person{ID: row.ID, Name: row.Name, Role: access.Role(row.Role)}
		for _, a := range accounts {
			if a.Person != row.ID {
				continue
			}
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

// Let implements access.People.
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

// let makes the owner of an account a person, or gives that person a role.
func (db *DB) let(
	tx *gorm.DB, tenant string, a access.Account, name string, role access.Role,
) (*access.Person, error) {
	if tenant == "" {
		return nil, ErrNoTenant
	}
	id := a.String()
	var known accountRow
	err := tx.Where("tenant = ? AND channel = ? AND user_id = ?", tenant, a.Channel, a.User).Take(&known).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, err
	}
	if known.Person != "" {
		id = known.Person
	}
	err = tx.Exec(db.stmt(`INSERT INTO people (tenant, id, name, role, created_at) VALUES (?, ?, ?, ?, {now})
		ON CONFLICT (tenant, id) DO UPDATE SET role = excluded.role`), tenant, id, name, role).Error
	if err != nil {
		return nil, err
	}
	return &access.Person{ID: id, Name: name, Role: role}, db.join(tx, tenant, a, name, id)
}

// join gives an account to a person.
func (db *DB) join(tx *gorm.DB, tenant string, a access.Account, name, person string) error {
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

// Block implements access.People.
func (s *People) Block(ctx context.Context, tenant string, a access.Account, name string) error {
	if tenant == "" {
		return ErrNoTenant
	}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Exec(`INSERT INTO accounts (tenant, channel, user_id, person, name, blocked) VALUES (?, ?, ?, '', ?, 1)
			ON CONFLICT (tenant, channel, user_id) DO UPDATE SET blocked = 1, person = ''`,
			tenant, a.Channel, a.User, name).Error
	})
	if err != nil {
		return fmt.Errorf("block an account: %w", err)
	}
	return nil
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
