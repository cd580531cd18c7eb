// Package store keeps everything that lasts. It holds the only GORM code of the project.
//
// One file keeps one aggregate: its unexported row structs stand beside their queries, and one exported method is one
// transaction. The same code runs on embedded SQLite and on PostgreSQL; what differs is in this file, in write.go, and
// in script.go, which does without GORM what is done for every message. Interfaces are declared by the packages that
// use them (inbox.Store, lane.Store, workspace.Store, ...).
//
// Times in rows are Unix milliseconds of the database's clock, so that replicas agree on them.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/libtnb/sqlite"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"github.com/leadhand/leadhand/migrations"
)

// DB is an open database.
type DB struct {
	w, r *gorm.DB // writer and readers; the same on PostgreSQL
	sql  *sql.DB  // the writer's pool
	log  *slog.Logger

	pg      *pgx.ConnConfig // nil on SQLite
	process string          // PostgreSQL: the application name of all this process's connections
	lock    *flock.Flock    // SQLite: this process owns the file
	writes  *batcher        // SQLite: group commit
	texts   sync.Map        // statements of scripts in this dialect, by what stands in the code
	stmts   sync.Map        // SQLite: the same, parsed
}

// Errors of opening, and of files to restore.
var (
	ErrInUse  = errors.New("the database file is in use by another leadhand process")
	ErrURL    = errors.New("the database URL cannot be used") // trying again is useless
	ErrNoFile = errors.New("there is no database file yet")
	ErrBackup = errors.New("it is no whole leadhand database")
)

// pgConns is how many pooled connections one replica opens to PostgreSQL. Each is a process there: more of them cost a
// server on the same machine more than they bring.
const pgConns = 12

// Open connects to the database that rawURL names: "postgres://…" or "sqlite:PATH". It creates the SQLite file and its
// directory when they are missing and takes the file's lock; the schema is made by Migrate. Errors never hold the URL,
// which may hold a password.
func Open(ctx context.Context, rawURL string, log *slog.Logger) (*DB, error) {
	switch {
	case strings.HasPrefix(rawURL, "postgres://"), strings.HasPrefix(rawURL, "postgresql://"):
		return openPostgres(ctx, rawURL, log)
	case strings.HasPrefix(rawURL, "sqlite:"):
		return openSQLite(strings.TrimPrefix(rawURL, "sqlite:"), log)
	}
	return nil, fmt.Errorf(`%w: it must begin with "postgres://" or "sqlite:"`, ErrURL)
}

// OpenBeside is Open for short reads and small writes beside a server that may be running: it takes no lock, so writes
// wait for each other, and it makes no file. ErrNoFile.
func OpenBeside(ctx context.Context, rawURL string, log *slog.Logger) (*DB, error) {
	path, isFile := strings.CutPrefix(rawURL, "sqlite:")
	if !isFile || path == "" {
		return Open(ctx, rawURL, log)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoFile
	}
	return openSQLitePools(path, log)
}

// Close releases the connections and, on SQLite, the file.
func (db *DB) Close() error {
	var errs []error
	if db.writes != nil {
		db.writes.close()
	}
	if db.r != db.w {
		if pool, err := db.r.DB(); err == nil {
			errs = append(errs, pool.Close())
		}
	}
	errs = append(errs, db.sql.Close())
	if db.lock != nil {
		errs = append(errs, db.lock.Unlock())
	}
	return errors.Join(errs...)
}

// Ping asks the database for a sign of life.
func (db *DB) Ping(ctx context.Context) error { return db.sql.PingContext(ctx) }

// Postgres tells whether several processes may share this database.
func (db *DB) Postgres() bool { return db.pg != nil }

// Schema tells how many of our migrations the database has, and how many there are.
func (db *DB) Schema(ctx context.Context) (have, want int, err error) {
	dir, there := "sqlite", `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`
	if db.pg != nil {
		dir, there = "postgres", `SELECT count(to_regclass('goose_db_version'))`
	}
	files, err := fs.Glob(migrations.FS, dir+"/*.sql")
	if err != nil {
		return 0, 0, err
	}
	var begun bool
	if err := db.read(ctx).Raw(there).Row().Scan(&begun); err != nil || !begun {
		return 0, len(files), err
	}
	err = db.read(ctx).Raw(`SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Row().Scan(&have)
	return have, len(files), err
}

// Now is the database's clock.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	var ms int64
	err := db.read(ctx).Raw("SELECT " + db.now()).Row().Scan(&ms)
	return fromMillis(ms), err
}

// Backup copies a SQLite database into a new private file, while others use it.
func (db *DB) Backup(ctx context.Context, path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if err := db.w.WithContext(ctx).Exec("VACUUM INTO ?", path).Error; err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return f.Sync()
}

// Restore puts the backup at from in the place of the SQLite file at path, which no server may have open, and keeps
// what was there: it returns under which name, empty when nothing was. ErrInUse, ErrBackup.
func Restore(ctx context.Context, path, from string, log *slog.Logger) (kept string, err error) {
	lock, err := lockFile(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	fresh, kept := path+".restored", path+time.Now().UTC().Format(".20060102-150405.000")
	if err := copyWhole(ctx, fresh, from, log); err != nil {
		for _, end := range sqliteFiles {
			_ = os.Remove(fresh + end)
		}
		return "", err
	}
	_, missing := os.Stat(path)
	for _, end := range sqliteFiles {
		if err := os.Rename(path+end, kept+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("keep the old database: %w", err)
		}
	}
	if missing != nil {
		kept = ""
	}
	return kept, os.Rename(fresh, path)
}

// sqliteFiles are the endings of the files of one SQLite database.
var sqliteFiles = []string{"", "-wal", "-shm"}

// copyWhole copies a backup and checks the copy.
func copyWhole(ctx context.Context, to, from string, log *slog.Logger) (err error) {
	if info, err := os.Stat(from + "-wal"); err == nil && info.Size() > 0 {
		return fmt.Errorf("%w: a server uses it, or it was copied while one did", ErrBackup)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	db, err := openSQLitePools(to, log)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBackup, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.whole(ctx)
}

// whole checks a file that may be anything.
func (db *DB) whole(ctx context.Context) error {
	var word string
	if err := db.w.WithContext(ctx).Raw("PRAGMA quick_check(1)").Row().Scan(&word); err != nil {
		return fmt.Errorf("%w: %w", ErrBackup, err)
	}
	have, want, err := db.Schema(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrBackup, err)
	case word != "ok", have == 0:
		return ErrBackup
	case have > want:
		return fmt.Errorf("%w that this version knows: a newer one made it", ErrBackup)
	}
	return nil
}

// SQL is the writer's pool, for River.
func (db *DB) SQL() *sql.DB { return db.sql }

func gormConfig() *gorm.Config {
	return &gorm.Config{Logger: logger.Discard, SkipDefaultTransaction: true, TranslateError: true}
}

func openPostgres(ctx context.Context, rawURL string, log *slog.Logger) (*DB, error) {
	cfg, err := pgx.ParseConfig(rawURL)
	if err != nil {
		return nil, fmt.Errorf("%w: it is no valid postgres:// URL", ErrURL)
	}
	// A process that hangs inside a transaction must not hold its row locks for ever.
	setParam(cfg, "idle_in_transaction_session_timeout", "10000")
	process := applicationName(cfg)
	cfg.RuntimeParams["application_name"] = process
	pool := stdlib.OpenDB(*cfg)
	pool.SetMaxOpenConns(pgConns)
	pool.SetMaxIdleConns(pgConns)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("reach PostgreSQL at %s:%d: %w", cfg.Host, cfg.Port, plainPG(err)), pool.Close())
	}
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: pool}), gormConfig())
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	if err := guardTenants(g); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &DB{w: g, r: g, sql: pool, pg: cfg, process: process, log: log}, nil
}

// applicationName names this process in the server's list of connections, so that the others can end its connections
// when it is dead. A name from the URL stays in front.
func applicationName(cfg *pgx.ConnConfig) string {
	name := cfg.RuntimeParams["application_name"]
	if name == "" {
		name = "leadhand"
	}
	const serverLimit, id = 63, 36 // PostgreSQL cuts longer names
	return name[:min(len(name), serverLimit-id-1)] + "/" + uuid.NewString()
}

func setParam(cfg *pgx.ConnConfig, key, value string) {
	if _, set := cfg.RuntimeParams[key]; !set {
		cfg.RuntimeParams[key] = value
	}
}

// plainPG drops what pgx's connect error tells about user and database beside the cause, and says in one line what
// happened at each address.
func plainPG(err error) error {
	ce, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok {
		return err
	}
	causes := strings.Split(ce.Unwrap().Error(), "\n")
	slices.Sort(causes)
	return errors.New(strings.Join(slices.Compact(causes), "; "))
}

func openSQLite(path string, log *slog.Logger) (*DB, error) {
	if path == "" {
		return nil, fmt.Errorf(`%w: it names no file, write "sqlite:PATH"`, ErrURL)
	}
	lock, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	db, err := openSQLitePools(path, log)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	db.lock = lock
	db.writes = newBatcher(db.w)
	return db, nil
}

// lockFile makes the directory of a SQLite file when it is missing, and takes the file's lock.
func lockFile(path string) (*flock.Flock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	lock := flock.New(path + ".lock")
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the database file: %w", err)
	}
	if !got {
		return nil, ErrInUse
	}
	return lock, nil
}

func openSQLitePools(path string, log *slog.Logger) (*DB, error) {
	if err := makePrivate(path); err != nil {
		return nil, fmt.Errorf("make the database file: %w", err)
	}
	w, writer, err := openSQLitePool(path, 1, "_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open the database file: %w", err)
	}
	r, _, err := openSQLitePool(path, 4, "_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database file for reading: %w", err), writer.Close())
	}
	return &DB{w: w, r: r, sql: writer, log: log}, nil
}

// makePrivate makes the file when it is missing, for its owner alone: SQLite would let everybody read what people said.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// openSQLitePool sets every pragma in the DSN, so that each connection of the pool has them. One connection writes:
// several are slower and give second-long outliers.
func openSQLitePool(path string, conns int, extra string) (*gorm.DB, *sql.DB, error) {
	dsn := "file:" + strings.ReplaceAll(url.PathEscape(path), "%2F", "/") +
		"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" +
		"&_pragma=cache_size(-16000)&_pragma=temp_store(MEMORY)&" + extra
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, nil, err
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxLifetime(0)
	g, err := gorm.Open(sqlite.New(sqlite.Config{Conn: pool}), gormConfig())
	if err == nil {
		err = guardTenants(g)
	}
	if err != nil {
		return nil, nil, errors.Join(err, pool.Close())
	}
	return g, pool, nil
}

// now is the database's clock in Unix milliseconds, as SQL.
func (db *DB) now() string {
	if db.pg != nil {
		return "(extract(epoch from clock_timestamp())*1000)::bigint"
	}
	return "CAST(unixepoch('subsec')*1000 AS INTEGER)"
}

// stmt fills the places of a statement that differ between the dialects: {now} and {skip locked}.
func (db *DB) stmt(s string) string {
	skip := ""
	if db.pg != nil {
		skip = "FOR UPDATE SKIP LOCKED"
	}
	return strings.NewReplacer("{now}", db.now(), "{skip locked}", skip).Replace(s)
}

// read gives a handle for queries outside of transactions.
func (db *DB) read(ctx context.Context) *gorm.DB { return db.r.WithContext(ctx) }

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
