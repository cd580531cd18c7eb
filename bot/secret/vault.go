package secret

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/leadhand/leadhand/tools/nearest"
)

// Vault keeps the secrets of a tenant.
type Vault struct {
	Store  Store
	Keys   Keys
	Tenant string
}

func (v *Vault) row(name string) Row { return Row{v.Tenant, name} }

// Set keeps a value. by says in words who sets it.
func (v *Vault) Set(ctx context.Context, name, value, by string) error {
	if err := errors.Join(CheckName(name), checkValue(value)); err != nil {
		return err
	}
	ring, err := v.ringFor(ctx, name)
	if err != nil {
		return err
	}
	for {
		if err := v.Store.Put(ctx, v.row(name), ring.Seal(v.row(name), value), by); err != nil {
			return fmt.Errorf("keep the secret: %w", err)
		}
		now, err := v.Keys.Ring()
		if err != nil || now[0].id == ring[0].id {
			return err
		}
		ring = now // the key was changed meanwhile, and what is sealed under the old one may have been missed
	}
}

// ringFor is what a value is sealed with. A second set of keys is never begun: what is sealed already has to open,
// except what is replaced.
func (v *Vault) ringFor(ctx context.Context, name string) (Ring, error) {
	all, err := v.Store.List(ctx, v.Tenant)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s Secret) bool { return s.Name == name })
	ring, err := v.Keys.Ring()
	if errors.Is(err, ErrNoKeys) && len(all) == 0 {
		return v.Keys.ensure()
	}
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if ring.find(s.Key) == nil {
			return nil, fmt.Errorf("%s does not open: %w: %s, and %s holds %s; "+
				"bring that key back, or `leadhand secret remove %s`", s.Name, ErrKey, s.Key, v.Keys.Where(), ring.ids(), s.Name)
		}
	}
	return ring, nil
}

// Get gives a value. ErrUnknown, ErrNoKeys, ErrKey, ErrDamaged.
func (v *Vault) Get(ctx context.Context, name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	sealed, ok, err := v.Store.Get(ctx, v.row(name))
	if err != nil {
		return "", fmt.Errorf("read the secret %s: %w", name, err)
	}
	if !ok {
		return "", v.unknown(ctx, name)
	}
	ring, err := v.Keys.Ring()
	if err != nil {
		return "", fmt.Errorf("open the secret %s: %w", name, err)
	}
	value, err := ring.Open(v.row(name), sealed)
	if err != nil {
		return "", fmt.Errorf("open the secret %s: %w (keys are in %s)", name, err, v.Keys.Where())
	}
	return value, nil
}

// unknown is ErrUnknown with what the name may have been meant to be.
func (v *Vault) unknown(ctx context.Context, name string) error {
	err := fmt.Errorf("%w: %s", ErrUnknown, name)
	all, failed := v.Store.List(ctx, v.Tenant)
	if failed != nil {
		return err
	}
	known := make([]string, len(all))
	for i, s := range all {
		known[i] = s.Name
	}
	if near := nearest.Nearest(name, known, 1); len(near) > 0 {
		return fmt.Errorf("%w; did you mean %s?", err, near[0])
	}
	return fmt.Errorf("%w; `leadhand secret set %s` keeps one", err, name)
}

// List tells of all, by name.
func (v *Vault) List(ctx context.Context) ([]Secret, error) { return v.Store.List(ctx, v.Tenant) }

// Remove forgets a value. ErrUnknown.
func (v *Vault) Remove(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	there, err := v.Store.Remove(ctx, v.row(name))
	if err == nil && !there {
		err = v.unknown(ctx, name)
	}
	return err
}

// Check tells of each secret that does not open, why, by name.
func (v *Vault) Check(ctx context.Context) (all []Secret, broken map[string]error, err error) {
	if all, err = v.List(ctx); err != nil {
		return nil, nil, err
	}
	broken = map[string]error{}
	for _, s := range all {
		if _, err := v.Get(ctx, s.Name); err != nil {
			broken[s.Name] = err
		}
	}
	return all, broken, ctx.Err()
}
