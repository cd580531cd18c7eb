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
	db   *DB
	id   atomic.Pointer[string]
	conn *pgx.Conn // that holds the lock; nil while not joined; used by Join and Run only
}

type replicaRow struct {
	ID        string `gorm:"primaryKey"`
	Process   string
	Heartbeat int64
}

func (replicaRow) TableName() string { return "replicas" }

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

// Join makes this process a member. It comes before any lease is taken: who dies before that is noticed by nobody, and
// its leases have to run out.
func (m *Member) Join(ctx context.Context) error {
	if m.db.pg == nil || m.conn != nil {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, m.db.pg)
	if err != nil {
		return fmt.Errorf("join the other replicas: %w", plainPG(err))
	}
	_, err = conn.Exec(ctx, `SELECT pg_advisory_lock($1, hashtext($2))`, memberLock, m.ID())
	if err == nil {
		_, err = conn.Exec(ctx, `INSERT INTO replicas (id, process, heartbeat) VALUES ($1, $2, `+m.db.now()+`)
			ON CONFLICT (id) DO UPDATE SET heartbeat = excluded.heartbeat`, m.ID(), m.db.process)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("join the other replicas: %w", err), conn.Close(ctx))
	}
	m.conn = conn
	return nil
}

// Run keeps the membership until ctx is done. lost is called each time it was lost, when ID has changed already. While
// the membership cannot be had, the process works on: then only the time that leases last protects against its death.
func (m *Member) Run(ctx context.Context, lost func()) error {
	if m.db.pg == nil {
		<-ctx.Done()
		return nil
	}
	for wait := heartbeat / 2; ; wait = min(2*wait, heartbeatTTL/2) {
		if m.conn == nil {
			if err := m.Join(ctx); err != nil && ctx.Err() == nil {
				m.db.log.Error("not a member", "again_in", wait, "err", err)
			}
		}
		if m.conn != nil {
			err := m.stay(ctx)
			m.leave(ctx)
			if ctx.Err() == nil {
				m.db.log.Warn("membership lost", "err", err)
				m.rename()
				lost()
			}
			wait = heartbeat / 2
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

var errDeclaredDead = errors.New("the other replicas declared this one dead")

// stay shows this member and looks after the others until ctx is done or the membership is lost.
func (m *Member) stay(ctx context.Context) error {
	for {
		if err := m.bury(ctx); err != nil && ctx.Err() == nil {
			m.db.log.Error("look after other replicas", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(heartbeat):
		}
		if err := m.beat(ctx); err != nil {
			return err
		}
	}
}

// leave ends the membership in order when ctx is done; one that was lost is buried by the others.
func (m *Member) leave(ctx context.Context) {
	quick, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeat)
	defer cancel()
	if ctx.Err() != nil && !m.conn.IsClosed() {
		if _, err := m.conn.Exec(quick, `DELETE FROM replicas WHERE id = $1`, m.ID()); err != nil {
			m.db.log.Error("leave the other replicas", "err", err)
		}
	}
	_ = m.conn.Close(quick)
	m.conn = nil
}

func (m *Member) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTTL/2)
	defer cancel()
	tag, err := m.conn.Exec(ctx, `UPDATE replicas SET heartbeat = `+m.db.now()+` WHERE id = $1`, m.ID())
	if err == nil && tag.RowsAffected() == 0 {
		return errDeclaredDead
	}
	return err
}

// bury frees the leases of members that are dead. It never takes so long that this one seems dead itself.
func (m *Member) bury(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTTL/4)
	defer cancel()
	var others []replicaRow
	if err := m.db.read(ctx).Where("id <> ?", m.ID()).Find(&others).Error; err != nil {
		return err
	}
	for i := range others {
		dead, hangs, err := m.dead(ctx, &others[i])
		if hangs {
			m.endConnections(ctx, &others[i])
		}
		if err == nil && dead {
			err = m.inherit(ctx, &others[i])
		}
		if err != nil {
			return fmt.Errorf("free the leases of a dead replica: %w", err)
		}
	}
	return nil
}

// dead tells whether nobody holds a member's lock, or whether it hangs: then its heartbeat is old.
func (m *Member) dead(ctx context.Context, r *replicaRow) (dead, hangs bool, err error) {
	err = m.db.write(ctx, func(tx *gorm.DB) error {
		err := tx.Raw(`SELECT count(*) > 0 FROM replicas WHERE id = ? AND heartbeat < `+m.db.now()+` - ?`,
			r.ID, heartbeatTTL.Milliseconds()).Scan(&hangs).Error
		if err != nil || hangs {
			return err
		}
		return tx.Raw(`SELECT pg_try_advisory_xact_lock(?, hashtext(?))`, memberLock, r.ID).Scan(&dead).Error
	})
	return dead || hangs, hangs, err
}

// endConnections ends what a process that hangs has open, perhaps in the middle of transactions: their row locks would
// hold up the others, one after the other. The connections of a process that was killed are gone already.
func (m *Member) endConnections(ctx context.Context, r *replicaRow) {
	err := m.db.read(ctx).Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?
		AND application_name <> ?`, r.Process, m.db.process).Error
	if err != nil {
		m.db.log.Warn("the connections of a replica that hangs cannot be ended", "replica", r.ID, "err", err)
	}
}

// inherit frees what a dead member held.
func (m *Member) inherit(ctx context.Context, r *replicaRow) error {
	return m.db.write(ctx, func(tx *gorm.DB) error {
		gone := tx.Where("id = ?", r.ID).Delete(&replicaRow{})
		if gone.Error != nil || gone.RowsAffected == 0 { // another member was faster
			return gone.Error
		}
		m.db.log.Warn("another replica died; its work goes on", "replica", r.ID)
		return m.db.releaseDead(tx, r.ID)
	})
}

// aloneLock is the first key of the advisory locks of Alone.
const aloneLock = 4712

// Alone tells whether this process is the only one that holds name, for as long as its membership lasts.
func (m *Member) Alone(ctx context.Context, name string) (alone bool, err error) {
	if m.db.pg == nil {
		return true, nil
	}
	err = m.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, hashtext($2))`, aloneLock, name).Scan(&alone)
	if err != nil {
		return false, fmt.Errorf("ask for %s: %w", name, err)
	}
	return alone, nil
}
