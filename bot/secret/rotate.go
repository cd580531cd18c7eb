package secret

import (
	"context"
	"errors"
	"fmt"
)

// ErrOneKey tells that there is no other key to go over to.
var ErrOneKey = errors.New("all secrets are sealed under the only key")

// Rotate seals all values anew and returns how many, and under which key. Where the file of the keys is the program's
// own it makes a key, which is the only one afterwards. Other keys are somebody's own: then the first of them is taken,
// and the rest is no longer needed. A process that ends in between leaves a ring that opens everything; rotating again
// ends what was begun. ErrOneKey, ErrKey, ErrDamaged: nothing is changed.
func (v *Vault) Rotate(ctx context.Context) (n int, key string, err error) {
	if !v.Keys.Mine {
		return v.under(ctx)
	}
	unlock, err := v.Keys.lock()
	if err != nil {
		return 0, "", err
	}
	defer unlock()
	ring, err := v.Keys.Ring()
	if err != nil {
		return 0, "", err
	}
	fresh, err := Generate()
	if err != nil {
		return 0, "", err
	}
	wide := append(Ring{fresh}, ring...)
	if err := v.Keys.write(wide); err != nil { // before anything is sealed under it
		return 0, "", err
	}
	if n, err = v.reseal(ctx, wide); err != nil { // it may be done even so: the new key stays
		return 0, "", err
	}
	return n, fresh.id, v.Keys.write(Ring{fresh})
}

// under seals all values under the first of somebody's keys.
func (v *Vault) under(ctx context.Context) (n int, key string, err error) {
	ring, err := v.Keys.Ring()
	if err != nil {
		return 0, "", err
	}
	all, err := v.List(ctx)
	if err != nil {
		return 0, "", err
	}
	other := false
	for _, s := range all {
		other = other || s.Key != ring[0].id
	}
	if !other && len(ring) == 1 {
		return 0, "", fmt.Errorf("%w of %s: put a new one before it, with a comma between them, and run this again; "+
			"`openssl rand -base64 32` makes one", ErrOneKey, v.Keys.Where())
	}
	n, err = v.reseal(ctx, ring)
	return n, ring[0].id, err
}

func (v *Vault) reseal(ctx context.Context, ring Ring) (int, error) {
	n, err := v.Store.Reseal(ctx, v.Tenant, func(row Row, s Sealed) (Sealed, error) {
		value, err := ring.Open(row, s)
		if err != nil {
			return Sealed{}, fmt.Errorf("%s: %w; bring its key back, or `leadhand secret remove %s`", row.Name, err, row.Name)
		}
		return ring.Seal(row, value), nil
	})
	if err != nil {
		return 0, fmt.Errorf("seal anew, and nothing is changed: %w", err)
	}
	return n, nil
}
