package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// What replicas tell each other.
const (
	wakeTopic = "leadhand_wake" // there is something to do in a lane of the kind that is the payload
	stopTopic = "leadhand_stop" // a person stopped the session that is the payload
)

// notify tells all replicas, this one included, when the transaction commits. On SQLite there are no others, and the
// callers tell their own process directly.
func (db *DB) notify(tx *gorm.DB, topic, payload string) error {
	if db.pg == nil {
		return nil
	}
	return tx.Exec(`SELECT pg_notify(?, ?)`, topic, payload).Error
}

// How long Listen waits before it connects again; it doubles up to the maximum.
const (
	listenRetry    = time.Second
	listenRetryMax = 8 * time.Second
)

// News is what Listen reports.
type News struct {
	Wake func()               // look for work
	Stop func(session string) // end what runs in that session
}

// Listen reports what other replicas notify until ctx is done. A broken connection is made again; because
// notifications sent meanwhile are lost, n.Wake is called after each connect. On SQLite it only waits.
func (db *DB) Listen(ctx context.Context, n News) error {
	if db.pg == nil {
		<-ctx.Done()
		return nil
	}
	for wait := listenRetry; ; wait = min(2*wait, listenRetryMax) {
		begun := time.Now()
		err := db.listenOnce(ctx, n)
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(begun) > listenRetryMax {
			wait = listenRetry
		}
		db.log.Warn("connection for notifications broke", "again_in", wait, "err", plainPG(err))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

func (db *DB) listenOnce(ctx context.Context, n News) error {
	conn, err := pgx.ConnectConfig(ctx, db.pg)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, topic := range []string{wakeTopic, stopTopic} {
		if _, err := conn.Exec(ctx, "LISTEN "+topic); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	n.Wake()
	for {
		got, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		switch got.Channel {
		case wakeTopic:
			n.Wake()
		case stopTopic:
			db.passStop(ctx, n, got.Payload)
		}
	}
}

// passStop leaves out a stop whose message has ended meanwhile: the next in line was not meant.
func (db *DB) passStop(ctx context.Context, n News, session string) {
	stopped, err := db.headStopped(ctx, session)
	if err != nil {
		db.log.Error("look for the stopped message", "session", session, "err", err)
		return
	}
	if stopped {
		n.Stop(session)
	}
}
