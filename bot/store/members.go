package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

const (
	memberLock   = 4711             // first key of the advisory locks that members hold
	heartbeat    = time.Second      // how often a member shows itself and looks after the others
	heartbeatTTL = 10 * time.Second // a member silent for so long is dead: its machine is gone or it hangs
)

// Member is this process among the replicas that share a database.
//
// On PostgreSQL a member holds an advisory lock on a connection of its own, and a row with a heartbeat. The lock is
// free at once when a process is killed; the heartbeat grows old when a machine is gone or a process hangs. Whoever
// notices frees the dead member's leases. A member that was declared dead may still run: fences make it harmless, and
// as soon as it notices it ends its work and joins again under a new id. On SQLite there is only one process.
type Member struct {
	db *DB
	id atomic.Pointer[string]
}

// NewMember makes this process known under a fresh id; the membership itself is kept by Run.
func NewMember(db *DB) *Member {
	m := &Member{db: db}
	m.rename()
	return m
}

// ID is the owner under which this process takes leases now.
func (m *Member) ID() string { return *m.id.Load() }

func (m *Member) rename() {
	id := uuid.NewString()
	m.id.Store(&id)
}

// Run keeps the membership until ctx is done. lost is called each time it was lost, when ID has changed already. While
// the membership cannot be had, the process works on: then only the time that leases last protects against its death.
func (m *Member) Run(ctx context.Context, lost func()) error {
	if m.db.pg == nil {
		<-ctx.Done()
		return nil
	}
	for {
		joined, err := m.keep(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case joined:
			m.db.log.Warn("membership lost", "err", plainPG(err))
			m.rename()
			lost()
		default:
			m.db.log.Error("join the other replicas", "err", plainPG(err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(heartbeat / 2):
		}
	}
}

var errDeclaredDead = errors.New("the other replicas declared this one dead")

// keep joins and stays until ctx is done or the membership is lost.
func (m *Member) keep(ctx context.Context) (joined bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, m.db.pg)
	if err != nil {
		return false, err
	}
	defer m.leave(ctx, conn)
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1, hashtext($2))`, memberLock, m.ID()); err != nil {
		return false, err
	}
	if _, err := conn.Exec(ctx, `INSERT INTO replicas (id, heartbeat) VALUES ($1, `+m.db.now()+`)
		ON CONFLICT (id) DO UPDATE SET heartbeat = excluded.heartbeat`, m.ID()); err != nil {
		return false, err
	}
	for {
		if err := m.bury(ctx); err != nil && ctx.Err() == nil {
			m.db.log.Error("look after other replicas", "err", err)
		}
		select {
		case <-ctx.Done():
			return true, nil
		case <-time.After(heartbeat):
		}
		if err := m.beat(ctx, conn); err != nil {
			return true, err
		}
	}
}

// leave ends the membership in order when ctx is done; one that was lost is buried by the others.
func (m *Member) leave(ctx context.Context, conn *pgx.Conn) {
	quick, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeat)
	defer cancel()
	if ctx.Err() != nil && !conn.IsClosed() {
		if _, err := conn.Exec(quick, `DELETE FROM replicas WHERE id = $1`, m.ID()); err != nil {
			m.db.log.Error("leave the other replicas", "err", err)
		}
	}
	_ = conn.Close(quick)
}

func (m *Member) beat(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTTL/2)
	defer cancel()
	tag, err := conn.Exec(ctx, `UPDATE replicas SET heartbeat = `+m.db.now()+` WHERE id = $1`, m.ID())
	if err == nil && tag.RowsAffected() == 0 {
		return errDeclaredDead
	}
	return err
}

// bury frees the leases of members that are dead. It never takes so long that this one seems dead itself.
func (m *Member) bury(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTTL/4)
	defer cancel()
	var ids []string
	if err := m.db.read(ctx).Raw(`SELECT id FROM replicas WHERE id <> ?`, m.ID()).Scan(&ids).Error; err != nil {
		return err
	}
	for _, id := range ids {
		dead := false
		err := m.db.write(ctx, func(tx *gorm.DB) error {
			err := tx.Raw(`SELECT pg_try_advisory_xact_lock(?, hashtext(?)) OR EXISTS
				(SELECT 1 FROM replicas WHERE id = ? AND heartbeat < `+m.db.now()+` - ?)`,
				memberLock, id, id, heartbeatTTL.Milliseconds()).Scan(&dead).Error
			if err != nil || !dead {
				return err
			}
			r := tx.Exec(`DELETE FROM replicas WHERE id = ?`, id)
			if dead = r.RowsAffected > 0; r.Error != nil || !dead {
				return r.Error
			}
			return m.db.releaseDead(tx, id)
		})
		if err != nil {
			return fmt.Errorf("free the leases of a dead replica: %w", err)
		}
		if dead {
			m.db.log.Warn("another replica died; its work goes on", "replica", id)
		}
	}
	return nil
}
