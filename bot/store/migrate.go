package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/leadhand/leadhand/migrations"
)

// migrateLock is the advisory lock that replicas take while they migrate one PostgreSQL database.
const migrateLock = 727_272

// Migrate brings the schema up to date, then calls also, which makes the tables of the job engine. Several processes
// may call it at once; on SQLite the file's lock keeps them apart. It returns how many of our migrations it applied.
func (db *DB) Migrate(
	ctx context.Context, also func(ctx context.Context, pool *sql.DB, postgres bool) error,
) (applied int, err error) {
	unlock, err := db.lockSchema(ctx)
	if err != nil {
		return 0, fmt.Errorf("lock the schema: %w", err)
	}
	defer unlock()
	dialect, dir := goose.DialectSQLite3, "sqlite"
	if db.pg != nil {
		dialect, dir = goose.DialectPostgres, "postgres"
	}
	files, err := fs.Sub(migrations.FS, dir)
	if err != nil {
		return 0, err
	}
	p, err := goose.NewProvider(dialect, db.sql, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	done, err := p.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	return len(done), also(ctx, db.sql, db.Postgres())
}

func (db *DB) lockSchema(ctx context.Context) (unlock func(), err error) {
	if db.pg == nil {
		return func() {}, nil
	}
	conn, err := pgx.ConnectConfig(ctx, db.pg)
	if err != nil {
		return nil, plainPG(err)
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, migrateLock); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return func() { _ = conn.Close(context.WithoutCancel(ctx)) }, nil // the lock goes with the connection
}
