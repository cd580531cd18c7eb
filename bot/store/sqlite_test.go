package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

func onSQLite(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "leadhand.db")
}

// openNew opens and migrates the database at url.
func openNew(t *testing.T, url string) *store.DB {
	t.Helper()
	db := storetest.Open(t, url)
	if _, err := db.Migrate(t.Context(), job.Migrate); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestEveryConnectionHasThePragmas(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, onSQLite(t))
	reader, err := db.Reader()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]struct {
		pool      *sql.DB
		conns     int
		queryOnly string
	}{"writer": {db.SQL(), 1, "0"}, "reader": {reader, 4, "1"}} {
		if got := p.pool.Stats().MaxOpenConnections; got != p.conns {
			t.Errorf("%s: up to %d connections, want %d", name, got, p.conns)
		}
		for range p.conns { // all are kept until the end, so each one is another
			conn, err := p.pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			got := map[string]string{}
			for _, pragma := range []string{"journal_mode", "synchronous", "foreign_keys", "busy_timeout", "query_only"} {
				var v string
				if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&v); err != nil {
					t.Fatal(err)
				}
				got[pragma] = v
			}
			want := map[string]string{
				"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "query_only": p.queryOnly,
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

func TestReadThenWriteNeverMeetsALock(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db := openNew(t, url)
	const writers, rounds = 50, 8
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for range rounds {
				bump := func(tx *gorm.DB) error {
					var n int
					if err := tx.Raw(`SELECT coalesce(max(size), 0) FROM blobs`).Scan(&n).Error; err != nil {
						return err
					}
					return tx.Exec(`INSERT INTO blobs (hash, size, data, created_at) VALUES (?, ?, '', 0)`, fmt.Sprint(n+1), n+1).Error
				}
				if w%5 == 0 { // as the job engine does it: on the pool, beside the batches
					if err := onPool(t.Context(), db.SQL()); err != nil {
						t.Errorf("on the pool: %v", err)
					}
				} else if err := db.Write(t.Context(), bump); err != nil {
					t.Errorf("write: %v", err)
				}
				if err := db.Read(t.Context()).Raw(`SELECT count(*) FROM blobs`).Scan(new(int)).Error; err != nil {
					t.Errorf("read: %v", err)
				}
			}
		})
	}
	all.Wait()
	var n int
	if err := db.Read(t.Context()).Raw(`SELECT max(size) FROM blobs`).Scan(&n).Error; err != nil || n != writers*rounds {
		t.Errorf("counted to %d, want %d, %v", n, writers*rounds, err)
	}
}

// onPool is one read and one write in a transaction of database/sql.
func onPool(ctx context.Context, pool *sql.DB) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(size), 0) FROM blobs`).Scan(&n); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO blobs (hash, size, data, created_at) VALUES (?, ?, '', 0)`, fmt.Sprint(n+1), n+1)
	return errors.Join(err, tx.Commit())
}

func TestFileIsOpenedOnce(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db := storetest.Open(t, url)
	if _, err := store.Open(t.Context(), url, slog.New(slog.DiscardHandler)); !errors.Is(err, store.ErrInUse) {
		t.Errorf("second open: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.Open(t, url)
}

func TestFileLiesWhereThePathSays(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{
		"plain", "two words", "what?mode=memory", "number #1", "50%", "a%20b", "a&b=c;d", "grüße", "plus+at@colon:", "'quoted\"",
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), dir, "lead hand?#%.db")
			db := openNew(t, "sqlite:"+path)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() == 0 && info.Mode().IsRegular() { // everything may still be in the write-ahead log
				info, err = os.Stat(path + "-wal")
			}
			if err != nil || info.Size() == 0 {
				t.Errorf("the database is not in %s: %v", path, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if info, err = os.Stat(path); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
				t.Errorf("after close: %v, %v", info, err)
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if !strings.HasPrefix(e.Name(), filepath.Base(path)) {
					t.Errorf("a stray file %q", e.Name())
				}
			}
		})
	}
}
