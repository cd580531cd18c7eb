package secret_test

import (
	"context"
	"maps"
	"slices"

	"github.com/leadhand/leadhand/bot/secret"
)

// memory is a secret.Store. A test may change what it keeps behind a vault's back.
type memory struct {
	rows   map[secret.Row]secret.Sealed
	before func() // runs before a value is put, when it is set
}

func newMemory() *memory { return &memory{rows: map[secret.Row]secret.Sealed{}} }

func (m *memory) Put(_ context.Context, row secret.Row, s secret.Sealed, _ string) error {
	if do := m.before; do != nil {
		m.before = nil
		do()
	}
	m.rows[row] = s
	return nil
}

func (m *memory) Get(_ context.Context, row secret.Row) (secret.Sealed, bool, error) {
	s, ok := m.rows[row]
	return s, ok, nil
}

func (m *memory) List(_ context.Context, tenant string) (all []secret.Secret, err error) {
	for row, s := range m.rows {
		if row.Tenant == tenant {
			all = append(all, secret.Secret{Name: row.Name, Key: s.Key})
		}
	}
	slices.SortFunc(all, func(a, b secret.Secret) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all, nil
}

func (m *memory) Remove(_ context.Context, row secret.Row) (bool, error) {
	_, ok := m.rows[row]
	delete(m.rows, row)
	return ok, nil
}

func (m *memory) Reseal(
	_ context.Context, tenant string, again func(secret.Row, secret.Sealed) (secret.Sealed, error),
) (n int, err error) {
	fresh := maps.Clone(m.rows)
	for row, s := range m.rows {
		if row.Tenant != tenant {
			continue
		}
		if fresh[row], err = again(row, s); err != nil {
			return 0, err
		}
		n++
	}
	m.rows = fresh
	return n, nil
}
