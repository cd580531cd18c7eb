package job

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
)

// Task is work that is asked for, and done once by one of the replicas: soon, or at a time.
type Task struct {
	Name string // unique; kept in the database
	// Run does it. args are what Add was given, as JSON. After an error, or when the program ends meanwhile, it is run
	// again, so it must stand being done twice.
	Run func(ctx context.Context, args json.RawMessage) error
}

// Request asks for a task.
type Request struct {
	Task string
	Key  string // the same request again is dropped while the first waits, runs, or was done in the last hour
	Args any
	At   time.Time // zero: now
}

// Add asks for a task. When it returns nil the request is durable.
func (j *Jobs) Add(ctx context.Context, r Request) error {
	args, err := json.Marshal(r.Args)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", r.Task, err)
	}
	_, err = j.client.Insert(ctx, taskArgs{Task: r.Task, Key: r.Key, Args: args}, &river.InsertOpts{
		ScheduledAt: r.At, UniqueOpts: river.UniqueOpts{ByArgs: true},
	})
	if err != nil {
		return fmt.Errorf("ask for %s: %w", r.Task, err)
	}
	return nil
}

// taskArgs is the stored form of a Request. Task and key tell requests apart.
type taskArgs struct {
	Task string          `json:"task" river:"unique"`
	Key  string          `json:"key" river:"unique"`
	Args json.RawMessage `json:"args"`
}

func (taskArgs) Kind() string { return "task" }

type taskWorker struct {
	river.WorkerDefaults[taskArgs]
	work map[string]func(context.Context, json.RawMessage) error
}

func (w *taskWorker) Work(ctx context.Context, j *river.Job[taskArgs]) error {
	run, ok := w.work[j.Args.Task]
	if !ok {
		return river.JobCancel(fmt.Errorf("no task %q in this version", j.Args.Task))
	}
	return run(ctx, j.Args.Args)
}
