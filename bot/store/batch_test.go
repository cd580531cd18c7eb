package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

var errMember = errors.New("this one fails")

// queue starts writes that wait behind one that runs, so that they share one batch. ctxs and fns go together. end lets
// them run and gives their errors.
func queue(t *testing.T, db *store.DB, ctxs []context.Context, fns []func(tx *gorm.DB) error) (end func() []error) {
	t.Helper()
	begun, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := db.Write(t.Context(), func(*gorm.DB) error {
			close(begun)
			<-release
			return nil
		})
		if err != nil {
			t.Errorf("the write in front: %v", err)
		}
	})
	<-begun
	errs := make([]error, len(fns))
	for i, fn := range fns {
		all.Go(func() { errs[i] = db.Write(ctxs[i], fn) })
	}
	for db.Waiting() < len(fns) {
		runtime.Gosched()
	}
	return func() []error {
		close(release)
		all.Wait()
		return errs
	}
}

func always(ctx context.Context, n int) []context.Context {
	ctxs := make([]context.Context, n)
	for i := range ctxs {
		ctxs[i] = ctx
	}
	return ctxs
}

func insert(tx *gorm.DB, hash string) error {
	return tx.Exec(`INSERT INTO blobs (hash, size, data, created_at) VALUES (?, 0, '', 0)`, hash).Error
}

// blobs lists what is stored after the database was closed and opened again.
func blobs(t *testing.T, db *store.DB, url string) (hashes []string) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := storetest.Open(t, url)
	if err := again.Read(t.Context()).Raw(`SELECT hash FROM blobs ORDER BY hash`).Scan(&hashes).Error; err != nil {
		t.Fatal(err)
	}
	return hashes
}

func TestMemberOfABatchFailsAlone(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db := openNew(t, url)
	const n = 30
	var fns []func(tx *gorm.DB) error
	var want []string
	for i := range n {
		hash := fmt.Sprintf("%02d", i)
		if i%3 == 0 {
			want = append(want, hash)
		}
		fns = append(fns, func(tx *gorm.DB) error {
			if err := insert(tx, hash); err != nil {
				return err
			}
			switch i % 3 {
			case 1:
				return errMember
			case 2:
				panic("this one panics")
			}
			return nil
		})
	}
	for i, err := range queue(t, db, always(t.Context(), n), fns)() {
		if failed := i%3 != 0; failed != (err != nil) || i%3 == 1 && !errors.Is(err, errMember) {
			t.Errorf("member %d: %v", i, err)
		}
	}
	if d := cmp.Diff(want, blobs(t, db, url)); d != "" {
		t.Error(d)
	}
}

// A statement that finds the disk full makes SQLite roll back the whole transaction, savepoints and all.
func TestFullDiskInABatchLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db := openNew(t, url)
	var pages int
	if err := db.SQL().QueryRowContext(t.Context(), `PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := db.SQL().ExecContext(t.Context(), fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+20)); err != nil {
		t.Fatal(err)
	}
	size := []int{10, 10, 1_000_000, 10, 1_000_000, 10}
	var fns []func(tx *gorm.DB) error
	var want []string
	for i, n := range size {
		hash := fmt.Sprint(i)
		if n < 1000 {
			want = append(want, hash)
		}
		fns = append(fns, func(tx *gorm.DB) error {
			return tx.Exec(`INSERT INTO blobs (hash, size, data, created_at) VALUES (?, 0, ?, 0)`, hash, make([]byte, n)).Error
		})
	}
	for i, err := range queue(t, db, always(t.Context(), len(fns)), fns)() {
		if full := size[i] > 1000; full != (err != nil) {
			t.Errorf("write %d of %d bytes: %v", i, size[i], err)
		}
	}
	if d := cmp.Diff(want, blobs(t, db, url)); d != "" {
		t.Error(d)
	}
}

func TestLoneWriteFailsAndTheNextSucceeds(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db := openNew(t, url)
	for name, fn := range map[string]func(tx *gorm.DB) error{
		"error":      func(tx *gorm.DB) error { return errors.Join(insert(tx, "lost"), errMember) },
		"panic":      func(tx *gorm.DB) error { panic(insert(tx, "lost")) },
		"constraint": func(tx *gorm.DB) error { return errors.Join(insert(tx, "twice"), insert(tx, "twice")) },
	} {
		if err := db.Write(t.Context(), fn); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := db.Write(t.Context(), func(tx *gorm.DB) error { return insert(tx, "kept") }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"kept"}, blobs(t, db, url)); d != "" {
		t.Error(d)
	}
}

func TestWriteWhoseCtxEndsInTheQueueIsLeftOut(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db := openNew(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	var fns []func(tx *gorm.DB) error
	for _, hash := range []string{"gone", "kept"} {
		fns = append(fns, func(tx *gorm.DB) error { return insert(tx, hash) })
	}
	end := queue(t, db, []context.Context{ctx, t.Context()}, fns)
	cancel()
	errs := end()
	if !errors.Is(errs[0], context.Canceled) || errs[1] != nil {
		t.Errorf("errors %v", errs)
	}
	if err := db.Write(ctx, fns[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("write with a done ctx: %v", err)
	}
	if d := cmp.Diff([]string{"kept"}, blobs(t, db, url)); d != "" {
		t.Error(d)
	}
}

func TestWriteThatWaitsGivesUpWithItsCtx(t *testing.T) {
	t.Parallel()
	db := openNew(t, onSQLite(t))
	end := queue(t, db, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { failed <- db.Write(ctx, func(tx *gorm.DB) error { return insert(tx, "gone") }) }()
	for db.Waiting() == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) { // although the write in front still runs
		t.Error(err)
	}
	end()
}

func TestCloseLetsWaitingWritesEnd(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db := openNew(t, url)
	const n = 10
	var fns []func(tx *gorm.DB) error
	var want []string
	for i := range n {
		want = append(want, fmt.Sprint(i))
		fns = append(fns, func(tx *gorm.DB) error { return insert(tx, fmt.Sprint(i)) })
	}
	end := queue(t, db, always(t.Context(), n), fns)
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	for i, err := range end() {
		if err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := db.Write(t.Context(), fns[0]); err == nil {
		t.Error("a closed database was written")
	}
	if d := cmp.Diff(want, blobs(t, db, url)); d != "" {
		t.Error(d)
	}
}

func TestFailedCommitIsEverybodysError(t *testing.T) {
	t.Parallel()
	url := onSQLite(t)
	db, err := store.Open(t.Context(), url, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, ddl := range []string{
		`CREATE TABLE blobs (hash TEXT PRIMARY KEY, size INTEGER, data BLOB, created_at INTEGER)`,
		`CREATE TABLE refs (blob TEXT REFERENCES blobs (hash) DEFERRABLE INITIALLY DEFERRED)`, // checked by the commit
	} {
		if err := db.Write(t.Context(), func(tx *gorm.DB) error { return tx.Exec(ddl).Error }); err != nil {
			t.Fatal(err)
		}
	}
	errs := queue(t, db, always(t.Context(), 3), []func(tx *gorm.DB) error{
		func(tx *gorm.DB) error { return insert(tx, "a") },
		func(tx *gorm.DB) error { return tx.Exec(`INSERT INTO refs VALUES ('none')`).Error },
		func(tx *gorm.DB) error { return insert(tx, "b") },
	})()
	for i, err := range errs {
		if err == nil {
			t.Errorf("write %d succeeded without a commit", i)
		}
	}
	if err := db.Write(t.Context(), func(tx *gorm.DB) error { return insert(tx, "c") }); err != nil {
		t.Errorf("the write after the failed commit: %v", err)
	}
	if d := cmp.Diff([]string{"c"}, blobs(t, db, url)); d != "" {
		t.Error(d)
	}
}
