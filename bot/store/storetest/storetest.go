// Package storetest gives tests databases of their own, empty and migrated, on both dialects.
//
// A test of anything that is kept runs on both:
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
//
//	func TestTasks(t *testing.T) {
//		t.Parallel()
//		storetest.Each(t, func(t *testing.T, url string) {
//			db := storetest.Open(t, url)
//			tasks := store.NewTasks(db)
//			...
//		})
//	}
//
// Every call of the function has a database that nobody else uses, so tests are parallel and need no cleaning up. To
// see what a restart or another replica sees, open the URL again: on PostgreSQL while the first is open, on SQLite
// after db.Close, which may be called before the test ends.
//
// PostgreSQL comes from the URL in LEADHAND_TEST_POSTGRES, whose user may create databases, or else from a temporary
// cluster made with the installed server binaries. Without either the PostgreSQL half of a test is skipped with a
// word; when CI is set in the environment it fails instead.
package storetest

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store"
)

// Each runs test once for each dialect, in parallel, with the URL of an empty, migrated database. The test package's
// TestMain must call Main.
func Each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		url := "sqlite:" + filepath.Join(t.TempDir(), "leadhand.db")
		if err := migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		test(t, url)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, postgresURL(t))
	})
}

// Open opens a database that Each gave and closes it when the test ends, if that has not been done by then.
func Open(t testing.TB, url string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close the database: %v", err)
		}
	})
	return db
}

func migrate(ctx context.Context, url string) error {
	db, err := store.Open(ctx, url, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if _, err := db.Migrate(ctx, job.Migrate); err != nil {
		return err
	}
	return db.Close()
}

// EachBench is Each for benchmarks, one dialect after the other.
func EachBench(b *testing.B, bench func(b *testing.B, url string)) {
	b.Helper()
	b.Run("sqlite", func(b *testing.B) {
		url := "sqlite:" + filepath.Join(b.TempDir(), "leadhand.db")
		if err := migrate(b.Context(), url); err != nil {
			b.Fatal(err)
		}
		bench(b, url)
	})
	b.Run("postgres", func(b *testing.B) { bench(b, postgresURL(b)) })
}
