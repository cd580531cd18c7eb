package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

// patience is how long a test waits for something that comes at once when all is well.
const patience = 20 * time.Second

func await[T any](t *testing.T, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatal("waited in vain")
	}
	return v
}

// eventually asks the database until it answers yes.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); ; {
		if yes() {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func hurried(db *store.DB, owner func() string, ttl time.Duration) *store.Leases {
	s := store.NewLeases(db, owner)
	s.Hurry(ttl, ttl/3)
	return s
}

func called(name string) func() string { return func() string { return name } }

var errEnough = errors.New("enough")

func TestLeaseHasOneOwnerAtATimeAndIsHandedOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		const contenders, long = 4, time.Minute // so long that only giving back hands it on
		var owners atomic.Int32
		var got [contenders]int
		var all sync.WaitGroup
		for i := range contenders {
			s := store.NewLeases(db, called(fmt.Sprint("owner", i)))
			s.Hurry(long, long/3)
			s.Retry(10 * time.Millisecond)
			all.Go(func() {
				for range 3 {
					err := s.Own(t.Context(), "poll", func(context.Context) error {
						if n := owners.Add(1); n != 1 {
							t.Errorf("%d owners at a time", n)
						}
						got[i]++
						owners.Add(-1)
						return errEnough
					})
					if !errors.Is(err, errEnough) {
						t.Errorf("own: %v", err)
					}
				}
			})
		}
		other := hurried(db, called("other"), long)
		if err := other.Own(t.Context(), "another name", func(context.Context) error { return errEnough }); !errors.Is(err, errEnough) {
			t.Errorf("another name: %v", err)
		}
		all.Wait()
		for i, n := range got {
			if n != 3 {
				t.Errorf("contender %d owned the lease %d times", i, n)
			}
		}
	})
}

func TestLeaseIsKeptWhileItIsUsed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		const ttl = 3 * time.Second
		ctx, cancel := context.WithCancel(t.Context())
		owned, ended := make(chan struct{}), make(chan error)
		go func() {
			ended <- hurried(db, called("me"), ttl).Own(ctx, "poll", func(ctx context.Context) error {
				close(owned)
				<-ctx.Done()
				return ctx.Err()
			})
		}()
		await(t, owned)
		first := number(t, db, `SELECT expires_at FROM leases`)
		eventually(t, "the lease was renewed twice", func() bool {
			return number(t, db, `SELECT expires_at FROM leases`) > first+ttl.Milliseconds()/2
		})
		if n := number(t, db, `SELECT fence FROM leases`); n != 1 {
			t.Errorf("the lease was taken %d times", n)
		}
		cancel()
		if err := await(t, ended); err != nil {
			t.Errorf("own after the end of its ctx: %v", err)
		}
		if n := number(t, db, `SELECT expires_at FROM leases`); n != 0 {
			t.Error("the lease was not given back")
		}
	})
}

func TestLostLeaseEndsItsRunAndIsTakenAnew(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, db *store.DB, rename func()){
		"another has it":              func(t *testing.T, db *store.DB, _ func()) { exec(t, db, `UPDATE leases SET fence = fence + 1`) },
		"the others freed it":         func(t *testing.T, db *store.DB, _ func()) { releaseDead(t, db, "me") },
		"this process has a new name": func(_ *testing.T, _ *store.DB, rename func()) { rename() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				db := storetest.Open(t, url)
				var id atomic.Value
				id.Store("me")
				runs := make(chan int, 10)
				var n atomic.Int32
				ended := make(chan error)
				go func() {
					s := hurried(db, func() string { return id.Load().(string) }, time.Second)
					ended <- s.Own(t.Context(), "poll", func(ctx context.Context) error {
						runs <- int(n.Add(1))
						if n.Load() == 2 {
							return errEnough
						}
						<-ctx.Done()
						return ctx.Err()
					})
				}()
				await(t, runs)
				lose(t, db, func() { id.Store("renamed") })
				if got := await(t, runs); got != 2 {
					t.Errorf("run %d", got)
				}
				if err := await(t, ended); !errors.Is(err, errEnough) {
					t.Errorf("own: %v", err)
				}
			})
		})
	}
}

func releaseDead(t *testing.T, db *store.DB, owner string) {
	t.Helper()
	if err := db.ReleaseDead(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
}

func TestRunEndsBeforeALeaseThatCannotBeRenewedPassesOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		ctx, cancel := context.WithCancel(t.Context())
		const ttl = 3 * time.Second
		owned, ended, next := make(chan struct{}, 10), make(chan time.Time, 10), make(chan time.Time, 1)
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		all.Go(func() {
			_ = hurried(db, called("first"), ttl).Own(ctx, "poll", func(ctx context.Context) error {
				owned <- struct{}{}
				<-ctx.Done()
				ended <- time.Now()
				return ctx.Err()
			})
		})
		await(t, owned)
		expires := time.UnixMilli(number(t, db, `SELECT expires_at FROM leases`))
		free := stall(t, db)
		all.Go(func() {
			_ = hurried(db, called("second"), ttl).Own(ctx, "poll", func(context.Context) error {
				next <- time.Now()
				return errEnough
			})
		})
		end := await(t, ended)
		if !end.Before(expires) {
			t.Errorf("run ended %s after its lease", end.Sub(expires))
		}
		free()
		select {
		case begun := <-next:
			if begun.Before(end) {
				t.Errorf("the next owner began %s before the end", end.Sub(begun))
			}
		case <-owned: // the first may win again
		case <-time.After(patience):
			t.Error("nobody got the lease")
		}
	})
}

// stall keeps everybody from writing the leases until free is called.
func stall(t *testing.T, db *store.DB) (free func()) {
	t.Helper()
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		err := db.Write(context.WithoutCancel(t.Context()), func(tx *gorm.DB) error {
			if err := tx.Exec(`UPDATE leases SET fence = fence`).Error; err != nil {
				return err
			}
			close(locked)
			<-release
			return nil
		})
		if err != nil {
			t.Errorf("stall: %v", err)
		}
	}()
	await(t, locked)
	return func() {
		close(release)
		<-done
	}
}
