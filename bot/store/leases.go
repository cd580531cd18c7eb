package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
)

// pace says how fast leases change hands.
type pace struct {
	ttl    time.Duration // how long a lease lasts without renewal
	margin time.Duration // the owner stops so long before another can take over
	retry  time.Duration // how often others try
	watch  time.Duration // how often the owner looks whether this process is still the member that took it
}

var defaultPace = pace{ttl: 15 * time.Second, margin: 3 * time.Second, retry: 2 * time.Second, watch: time.Second}

// Leases are names that one process among all replicas owns at a time, for connections that must be single.
type Leases struct {
	db    *DB
	owner func() string
	pace  pace
}

// NewLeases takes leases in the name of owner.
func NewLeases(db *DB, owner func() string) *Leases { return &Leases{db, owner, defaultPace} }

// Own calls run whenever this process gets the lease called name, until ctx is done (then it returns nil) or run
// returns by itself (then it returns run's error). When the lease runs out, the ctx of run ends before another process
// can own the name. When the others declare this process dead, they may own it up to about a second earlier; that does
// no harm, because messages are stored once.
func (s *Leases) Own(ctx context.Context, name string, run func(ctx context.Context) error) error {
	for {
		h := &held{name: name, owner: s.owner(), asked: time.Now()}
		got, err := s.take(ctx, h)
		switch {
		case ctx.Err() != nil:
			if got {
				s.giveBack(ctx, h)
			}
			return nil
		case err != nil:
			s.db.log.Error("take lease", "lease", name, "err", err)
		case got:
			err := s.hold(ctx, h, run)
			if ctx.Err() != nil {
				return nil
			}
			if !errors.Is(err, errLeaseLost) {
				return err
			}
			s.db.log.Warn("lease lost", "lease", name)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(s.pace.retry):
		}
	}
}

var errLeaseLost = errors.New("the lease was lost")

type held struct {
	name, owner string
	fence       int64
	asked       time.Time // local clock, just before the lease was last taken or renewed
}

// trusted is until when nobody else can have the lease, by the local clock.
func (s *Leases) trusted(h *held) time.Time { return h.asked.Add(s.pace.ttl - s.pace.margin) }

// take tells whether the lease was free and is h's now.
func (s *Leases) take(ctx context.Context, h *held) (bool, error) {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Raw(s.db.stmt(`INSERT INTO leases (name, owner, fence, expires_at) VALUES (?, ?, 1, {now} + ?)
			ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = leases.fence + 1,
				expires_at = excluded.expires_at
			WHERE leases.expires_at <= {now} RETURNING fence`),
			h.name, h.owner, s.pace.ttl.Milliseconds()).Scan(&h.fence).Error
	})
	return err == nil && h.fence > 0, err
}

// hold runs run while it keeps the lease, and gives it back at the end.
func (s *Leases) hold(ctx context.Context, h *held, run func(ctx context.Context) error) error {
	defer s.giveBack(ctx, h)
	rctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- run(rctx) }()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return <-done
		case <-time.After(min(s.pace.watch, time.Until(s.trusted(h)))):
		}
		if err := s.keep(ctx, h); err != nil {
			cancel(err)
			<-done //nolint:errcheck // why the lease was lost is what counts
			return err
		}
	}
}

// keep renews the lease when a third of its time has passed. An error means that it cannot be trusted any more.
func (s *Leases) keep(ctx context.Context, h *held) error {
	if s.owner() != h.owner {
		return errLeaseLost
	}
	if time.Since(h.asked) < s.pace.ttl/3 {
		return nil
	}
	asked := time.Now()
	rctx, cancel := context.WithDeadline(ctx, s.trusted(h))
	defer cancel()
	var mine bool
	err := s.db.write(rctx, func(tx *gorm.DB) error {
		r := tx.Exec(s.db.stmt(`UPDATE leases SET expires_at = {now} + ? WHERE name = ? AND owner = ? AND fence = ?`),
			s.pace.ttl.Milliseconds(), h.name, h.owner, h.fence)
		mine = r.RowsAffected == 1
		return r.Error
	})
	switch {
	case err == nil && mine:
		h.asked = asked
		return nil
	case err == nil, !time.Now().Before(s.trusted(h)):
		return errLeaseLost
	case ctx.Err() == nil:
		s.db.log.Error("renew lease", "lease", h.name, "err", err)
	}
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
