package job_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// patience is how long a test waits for something that comes soon when all is well.
const patience = 30 * time.Second

func await[T any](t *testing.T, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatal("waited in vain")
	}
	return v
}

// journal is a log that can be read while it is written.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// start runs jobs on db until stop is called, which tells how Run ended.
func start(t *testing.T, db *store.DB, log *journal, periodic ...job.Periodic) (stop func() error) {
	t.Helper()
	jobs, err := job.New(job.Config{
		Pool: db.SQL(), Postgres: db.Postgres(), Periodic: periodic, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- jobs.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

func TestPeriodicJobRunsOncePerPeriodHoweverManyClients(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		const long = 365 * 24 * time.Hour
		var runs atomic.Int32
		var log journal
		db := storetest.Open(t, url)
		before := func() error { return nil }
		// Each client takes over from the one before and does what is due at its start: a mark of its own, and once the
		// job that is the same for all.
		for _, name := range []string{"first", "second", "third"} {
			if db.Postgres() {
				db = storetest.Open(t, url)
			}
			marked := make(chan struct{}, 10)
			stop := start(t, db, &log,
				job.Periodic{Name: "yearly", Every: long, Run: func(context.Context) error { runs.Add(1); return nil }},
				job.Periodic{Name: name, Every: long, Run: func(context.Context) error { marked <- struct{}{}; return nil }})
			if err := before(); err != nil {
				t.Errorf("stop: %v", err)
			}
			await(t, marked)
			before = stop
		}
		if err := before(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("the job ran %d times in its period", n)
		}
		var n int
		row := db.SQL().QueryRowContext(t.Context(), `SELECT count(*) FROM river_job`)
		if err := row.Scan(&n); err != nil || n != 4 {
			t.Errorf("%d jobs were queued, want one of each name, %v", n, err)
		}
		if s := log.String(); s != "" {
			t.Errorf("log: %s", s)
		}
	})
}

func TestCompletedJobIsRememberedForItsPeriod(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		ran := make(chan struct{}, 10)
		daily := job.Periodic{Name: "daily", Every: 24 * time.Hour, Run: func(context.Context) error { ran <- struct{}{}; return nil }}
		var log journal
		stop := start(t, db, &log, daily)
		await(t, ran)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		age(t, db)
		// The cleaner runs at the start of a client; a job that comes after it shows that it is through.
		marked := make(chan struct{}, 1)
		mark := job.Periodic{Name: "mark", Every: time.Hour, Run: func(context.Context) error { marked <- struct{}{}; return nil }}
		stop = start(t, db, &log, daily, mark)
		await(t, marked)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if len(ran) != 0 {
			t.Error("the job ran again in its period")
		}
		var n int
		row := db.SQL().QueryRowContext(t.Context(), `SELECT count(*) FROM river_job`)
		if err := row.Scan(&n); err != nil || n != 2 {
			t.Errorf("%d jobs are remembered, want 2, %v", n, err)
		}
	})
}

// age makes completed jobs two hours older.
func age(t *testing.T, db *store.DB) {
	t.Helper()
	q := `UPDATE river_job SET finalized_at = datetime(finalized_at, '-2 hours')`
	if db.Postgres() {
		q = `UPDATE river_job SET finalized_at = finalized_at - interval '2 hours'`
	}
	if _, err := db.SQL().ExecContext(t.Context(), q); err != nil {
		t.Fatal(err)
	}
}

func TestFailingJobIsLogged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		for name, tt := range map[string]struct {
			run  func(context.Context) error
			want []string
		}{
			"error": {func(context.Context) error { return errors.New("no room left") }, []string{"job failed", "no room left"}},
			"panic": {func(context.Context) error { panic("off the rails") }, []string{"job panicked", "off the rails"}},
		} {
			db := storetest.Open(t, url)
			var log journal
			stop := start(t, db, &log, job.Periodic{Name: name, Every: time.Hour, Run: tt.run})
			tick, late := time.NewTicker(10*time.Millisecond), time.After(patience)
			for !strings.Contains(log.String(), tt.want[0]) {
				select {
				case <-tick.C:
				case <-late:
					t.Fatalf("%s: not logged: %s", name, log.String())
				}
			}
			tick.Stop()
			if err := stop(); err != nil {
				t.Errorf("%s: stop: %v", name, err)
			}
			for _, want := range append(tt.want, "attempt=1", name) {
				if !strings.Contains(log.String(), want) {
					t.Errorf("%s: %q is not in the log: %s", name, want, log.String())
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestStopEndsWithinItsGrace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		var log journal
		begun, cut := make(chan struct{}), make(chan error, 1)
		stop := start(t, db, &log, job.Periodic{Name: "long", Every: time.Hour, Run: func(ctx context.Context) error {
			close(begun)
			<-ctx.Done()
			cut <- ctx.Err()
			return ctx.Err()
		}})
		await(t, begun)
		asked := time.Now()
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if took := time.Since(asked); took < 2900*time.Millisecond || took > 10*time.Second {
			t.Errorf("a running job got %s, want the grace of 3 s", took)
		}
		if err := await(t, cut); !errors.Is(err, context.Canceled) {
			t.Errorf("the job was ended by %v", err)
		}
	})
}

func TestIdleStopIsQuick(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		var log journal
		ran := make(chan struct{}, 1)
		stop := start(t, db, &log, job.Periodic{Name: "quick", Every: time.Hour, Run: func(context.Context) error {
			ran <- struct{}{}
			return nil
		}})
		await(t, ran)
		asked := time.Now()
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if took := time.Since(asked); took > 2*time.Second {
			t.Errorf("the stop took %s", took)
		}
		if s := log.String(); s != "" {
			t.Errorf("log: %s", s)
		}
	})
}

func TestMigrateMayBeRepeated(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		if err := job.Migrate(t.Context(), db.SQL(), db.Postgres()); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := job.Migrate(ctx, db.SQL(), db.Postgres()); err == nil {
			t.Error("no error with a done ctx")
		}
	})
}
