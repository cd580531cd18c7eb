// Package job runs timed and background work on the database, with River: the same jobs on SQLite and on PostgreSQL,
// where the replicas share them.
//
// A job never runs a turn: one that concerns a session ends by posting into its inbox. After a crash River may take
// some seconds to go on, so session work never depends on it.
package job

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// Periodic is work that one of the replicas does once in each period, at start if it is due.
type Periodic struct {
	Name  string        // unique; kept in the database
	Every time.Duration // at least a second
	Run   func(ctx context.Context) error
}

// Config is what Jobs need.
type Config struct {
	Pool     *sql.DB // on SQLite the one writing connection
	Postgres bool
	Periodic []Periodic
	Tasks    []Task
	Log      *slog.Logger
}

// Jobs is the engine.
type Jobs struct{ client *river.Client[*sql.Tx] }

const (
	jobTimeout = 10 * time.Minute
	stopGrace  = 3 * time.Second // for running jobs when the program stops; a cut-off job runs again
)

// New makes the engine; Run starts it.
func New(cfg Config) (*Jobs, error) {
	work := map[string]func(context.Context) error{}
	var periodic []*river.PeriodicJob
	for _, p := range cfg.Periodic {
		work[p.Name] = p.Run
		periodic = append(periodic, river.NewPeriodicJob(river.PeriodicInterval(p.Every),
			func() (river.JobArgs, *river.InsertOpts) {
				return periodicArgs{p.Name}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: p.Every}}
			}, &river.PeriodicJobOpts{ID: p.Name, RunOnStart: true}))
	}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &periodicWorker{work: work}); err != nil {
		return nil, fmt.Errorf("set up jobs: %w", err)
	}
	tasks := &taskWorker{work: map[string]func(context.Context, json.RawMessage) error{}}
	for _, t := range cfg.Tasks {
		tasks.work[t.Name] = t.Run
	}
	if err := river.AddWorkerSafely(workers, tasks); err != nil {
		return nil, fmt.Errorf("set up jobs: %w", err)
	}
	client, err := river.NewClient(driver(cfg.Pool, cfg.Postgres), &river.Config{
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}},
		Workers:                     workers,
		PeriodicJobs:                periodic,
		JobTimeout:                  jobTimeout,
		CompletedJobRetentionPeriod: retention(cfg.Periodic),
		ErrorHandler:                report{cfg.Log},
		Logger:                      slog.New(onlyErrors{cfg.Log.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("set up jobs: %w", err)
	}
	return &Jobs{client}, nil
}

// retention keeps a completed job for as long as its period lasts: its row is what keeps a restart or another replica
// from doing it again.
func retention(periodic []Periodic) time.Duration {
	keep := time.Hour
	for _, p := range periodic {
		keep = max(keep, 2*p.Every)
	}
	return keep
}

// Run works jobs until ctx is done.
func (j *Jobs) Run(ctx context.Context) error {
	if err := j.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	<-ctx.Done()
	soft, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if err := j.client.Stop(soft); err != nil {
		hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if err := j.client.StopAndCancel(hard); err != nil {
			return fmt.Errorf("stop jobs: %w", err)
		}
	}
	return nil
}

// Migrate makes River's tables.
func Migrate(ctx context.Context, pool *sql.DB, postgres bool) error {
	m, err := rivermigrate.New(driver(pool, postgres), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("read job migrations: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate jobs: %w", err)
	}
	return nil
}

func driver(pool *sql.DB, postgres bool) riverdriver.Driver[*sql.Tx] {
	if postgres {
		return riverdatabasesql.New(pool)
	}
	return riversqlite.New(pool)
}

// periodicArgs is the stored form of a Periodic.
type periodicArgs struct {
	Name string `json:"name"`
}

func (periodicArgs) Kind() string { return "periodic" }

type periodicWorker struct {
	river.WorkerDefaults[periodicArgs]
	work map[string]func(context.Context) error
}

func (w *periodicWorker) Work(ctx context.Context, j *river.Job[periodicArgs]) error {
	run, ok := w.work[j.Args.Name]
	if !ok {
		return river.JobCancel(fmt.Errorf("no periodic job %q in this version", j.Args.Name))
	}
	return run(ctx)
}

// report logs what failed; River tries again by itself.
type report struct{ log *slog.Logger }

func (r report) HandleError(_ context.Context, j *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	r.log.Error("job failed", "job", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt, "err", err)
	return nil
}

func (r report) HandlePanic(_ context.Context, j *rivertype.JobRow, v any, trace string) *river.ErrorHandlerResult {
	r.log.Error("job panicked", "job", j.Kind, "args", string(j.EncodedArgs), "attempt", j.Attempt,
		"panic", v, "stack", trace)
	return nil
}

// onlyErrors keeps River's own chatter out of the log.
type onlyErrors struct{ slog.Handler }

func (h onlyErrors) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && h.Handler.Enabled(ctx, l)
}
