package app_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

var quiet = slog.New(slog.DiscardHandler)

// served is a migrated SQLite file that a server has open.
func served(t *testing.T) (path string, db *store.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "leadhand.db")
	db, err := store.Open(t.Context(), "sqlite:"+path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context(), job.Migrate); err != nil {
		t.Fatal(err)
	}
	return path, db
}

func TestADatabaseIsOpenedBesideItsServer(t *testing.T) {
	t.Parallel()
	path, server := served(t)
	beside, err := store.OpenBeside(t.Context(), "sqlite:"+path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if have, want, err := beside.Schema(t.Context()); err != nil || have != want || have == 0 {
		t.Errorf("schema %d of %d, %v", have, want, err)
	}
	code := access.NewCode()
	if err := store.NewCodes(beside).Issue(t.Context(), "default", access.ClaimCode, code, "", time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := store.NewPeople(server).Claim(t.Context(), "default", code, access.Account{Channel: "tg", User: "1"}, "Ann")
	if err != nil || p.Role != access.Owner {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := store.Open(t.Context(), "sqlite:"+path, quiet); !errors.Is(err, store.ErrInUse) {
		t.Errorf("the server's lock is gone: %v", err)
	}
}

func TestNothingIsMadeBeside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "leadhand.db")
	if _, err := store.OpenBeside(t.Context(), "sqlite:"+path, quiet); !errors.Is(err, store.ErrNoFile) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was made")
	}
	if _, err := store.OpenBeside(t.Context(), "sqlite:", quiet); !errors.Is(err, store.ErrURL) {
		t.Errorf("%v", err)
	}
}

func TestSchemaAndClock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db, err := store.OpenBeside(t.Context(), url, quiet)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		if have, want, err := db.Schema(t.Context()); err != nil || have != want || have == 0 {
			t.Errorf("schema %d of %d, %v", have, want, err)
		}
		if at, err := db.Now(t.Context()); err != nil || time.Since(at).Abs() > time.Minute {
			t.Errorf("%s, %v", at, err)
		}
	})
}

func TestRestore(t *testing.T) {
	t.Parallel()
	path, server := served(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := server.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := server.Backup(t.Context(), backup); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file that is there: %v", err)
	}
	if _, err := store.Restore(t.Context(), path, backup, quiet); !errors.Is(err, store.ErrInUse) {
		t.Errorf("under a server: %v", err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	kept, err := store.Restore(t.Context(), path, backup, quiet)
	if err != nil || !strings.HasPrefix(kept, path+".") {
		t.Fatalf("%q, %v", kept, err)
	}
	for _, file := range []string{path, kept} {
		db, err := store.OpenBeside(t.Context(), "sqlite:"+file, quiet)
		if err != nil {
			t.Fatal(err)
		}
		if have, want, err := db.Schema(t.Context()); err != nil || have != want {
			t.Errorf("%s: schema %d of %d, %v", file, have, want, err)
		}
		_ = db.Close()
	}
	if kept, err := store.Restore(t.Context(), filepath.Join(t.TempDir(), "new", "leadhand.db"), backup, quiet); err != nil || kept != "" {
		t.Errorf("where nothing was: %q, %v", kept, err)
	}
}

func TestWhatIsNoBackupIsNotRestored(t *testing.T) {
	t.Parallel()
	path, server := served(t)
	whole := filepath.Join(t.TempDir(), "whole")
	if err := server.Backup(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty": nil, "text": []byte(strings.Repeat("this is no database\n", 1000)), "cut": raw[:len(raw)/2],
	} {
		from := filepath.Join(t.TempDir(), "from")
		if err := os.WriteFile(from, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Restore(t.Context(), path, from, quiet); !errors.Is(err, store.ErrBackup) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, sql := range map[string]string{
		"of another program": `DROP TABLE goose_db_version`,
		"of a newer version": `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`,
	} {
		from := filepath.Join(t.TempDir(), "from")
		if err := os.WriteFile(from, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		change(t, from, sql)
		if _, err := store.Restore(t.Context(), path, from, quiet); !errors.Is(err, store.ErrBackup) {
			t.Errorf("%s: %v", name, err)
		}
	}
	beside := whole + "-wal"
	if err := os.WriteFile(beside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Restore(t.Context(), path, whole, quiet); !errors.Is(err, store.ErrBackup) {
		t.Errorf("a file in use: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the database was changed, %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 { // with the lock
		t.Errorf("left over: %v, %v", entries, err)
	}
}

func change(t *testing.T, path, sql string) {
	t.Helper()
	db, err := store.OpenBeside(context.Background(), "sqlite:"+path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.SQL().ExecContext(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreKeepsWhatAKilledServerLeft: what it wrote last is in the log of writes.
func TestRestoreKeepsWhatAKilledServerLeft(t *testing.T) {
	t.Parallel()
	running, server := served(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := server.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	a := access.Account{Channel: "tg", User: "1"}
	if _, err := store.NewPeople(server).Let(t.Context(), "default", a, "Ann", access.Owner); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "leadhand.db")
	for _, end := range []string{"", "-wal"} {
		raw, err := os.ReadFile(running + end)
		if err != nil || len(raw) == 0 {
			t.Fatalf("%s: %v", running+end, err)
		}
		if err := os.WriteFile(path+end, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := store.Restore(t.Context(), path, backup, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]int{path: 0, kept: 1} {
		db, err := store.OpenBeside(t.Context(), "sqlite:"+file, quiet)
		if err != nil {
			t.Fatal(err)
		}
		people, err := store.NewPeople(db).All(t.Context(), "default")
		if err != nil || len(people) != want {
			t.Errorf("%s: %v, %v", file, people, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
