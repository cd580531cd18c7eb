package store

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"
)

// Rows has one of every row struct.
func Rows() []any {
	return []any{
		&laneRow{}, &sessionRow{}, &inboxRow{}, &commandRow{}, &historyRow{}, &outboxRow{}, &replicaRow{}, &blobRow{}, &fileRow{},
		&heardRow{}, &personRow{}, &accountRow{}, &codeRow{}, &requestRow{},
		&settingRow{}, &grantRow{}, &usageRow{}, &secretRow{}, &outputRow{}, &auditRow{}, &planModeRow{},
	}
}

type FileRow = fileRow

// AcrossTenants is the word that lets a statement see the rows of all tenants.
const AcrossTenants = acrossTenants

func (db *DB) Write(ctx context.Context, fn func(tx *gorm.DB) error) error { return db.write(ctx, fn) }

func (db *DB) Read(ctx context.Context) *gorm.DB { return db.read(ctx) }

// Reader is the pool that reads.
func (db *DB) Reader() (*sql.DB, error) { return db.r.DB() }

// Waiting is how many writes wait for the one that runs.
func (db *DB) Waiting() int { return len(db.writes.queue) }

// Hurry makes leases change hands fast.
func (s *Leases) Hurry(ttl, margin time.Duration) {
	s.pace = pace{ttl: ttl, margin: margin, retry: ttl / 20, watch: ttl / 20}
}

// Retry sets how often a lease that another has is asked for.
func (s *Leases) Retry(d time.Duration) { s.pace.retry = d }

// Script runs one statement as a script.
func (db *DB) Script(ctx context.Context, sql string) error { return db.script(ctx, &step{sql: sql}) }
