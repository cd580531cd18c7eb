package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
)

const (
	ownTTL    = 15 * time.Second // how long a lease lasts without renewal
	ownMargin = 3 * time.Second  // the owner stops so long before another can take over
	ownRetry  = 2 * time.Second  // how often others try
)

// Leases are names that one process among all replicas owns at a time, for connections that must be single.
type Leases struct {
	db    *DB
	owner func() string
}

// NewLeases takes leases in the name of owner.
func NewLeases(db *DB, owner func() string) *Leases { return &Leases{db, owner} }

// Own calls run whenever this process gets the lease called name, until ctx is done (then it returns nil) or run
// returns an error by itself (then it returns that). The ctx of run ends before another process can own the name. A
// short overlap would be harmless, because messages are stored once.
func (s *Leases) Own(ctx context.Context, name string, run func(ctx context.Context) error) error {
	for {
		asked := time.Now()
		owner := s.owner()
		fence, err := s.take(ctx, name, owner)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			s.db.log.Error("take lease", "lease", name, "err", err)
		case fence > 0:
			err := s.hold(ctx, &held{name, owner, fence, asked.Add(ownTTL - ownMargin)}, run)
			if !errors.Is(err, errLeaseLost) {
				return err
			}
			s.db.log.Warn("lease lost", "lease", name)
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(ownRetry):
		}
	}
}

var errLeaseLost = errors.New("the lease was lost")

type held struct {
	name, owner string
	fence       int64
	trusted     time.Time // local clock: until then nobody else can have it
}

// take gets the lease if it is free: fence 0 means that another has it.
func (s *Leases) take(ctx context.Context, name, owner string) (fence int64, err error) {
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Raw(s.db.stmt(`INSERT INTO leases (name, owner, fence, expires_at) VALUES (?, ?, 1, {now} + ?)
			ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = leases.fence + 1,
				expires_at = excluded.expires_at
			WHERE leases.expires_at <= {now} RETURNING fence`), name, owner, ownTTL.Milliseconds()).Scan(&fence).Error
	})
	return fence, err
}

// hold runs run while it renews the lease, and gives it back at the end.
func (s *Leases) hold(ctx context.Context, h *held, run func(ctx context.Context) error) error {
	rctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- run(rctx) }()
	for {
		select {
		case err := <-done:
			s.giveBack(ctx, h)
			return err
		case <-time.After(min(ownTTL/3, time.Until(h.trusted))):
		}
		if ctx.Err() != nil {
			continue // run is ending
		}
		if err := s.renew(ctx, h); err != nil {
			cancel(err)
			<-done
			return errLeaseLost
		}
	}
}

// renew moves h.trusted on. An error means that the lease cannot be trusted any more.
func (s *Leases) renew(ctx context.Context, h *held) error {
	asked := time.Now()
	ctx, cancel := context.WithDeadline(ctx, h.trusted)
	defer cancel()
	var mine bool
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		r := tx.Exec(s.db.stmt(`UPDATE leases SET expires_at = {now} + ? WHERE name = ? AND owner = ? AND fence = ?`),
			ownTTL.Milliseconds(), h.name, h.owner, h.fence)
		mine = r.RowsAffected == 1
		return r.Error
	})
	switch {
	case err == nil && mine:
		h.trusted = asked.Add(ownTTL - ownMargin)
		return nil
	case err == nil, !time.Now().Before(h.trusted):
		return errLeaseLost
	}
	s.db.log.Error("renew lease", "lease", h.name, "err", err)
	return nil
}

func (s *Leases) giveBack(ctx context.Context, h *held) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Exec(`UPDATE leases SET expires_at = 0 WHERE name = ? AND owner = ? AND fence = ?`,
			h.name, h.owner, h.fence).Error
	})
	if err != nil {
		s.db.log.Error("give lease back", "lease", h.name, "err", err)
	}
}
