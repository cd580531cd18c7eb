package job_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

// TestATaskIsDoneOnce however often it is asked for, with what it was given, at its time, and again after a failure.
func TestATaskIsDoneOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		type args struct{ Name string }
		done := make(chan string, 10)
		var failures atomic.Int32
		jobs, err := job.New(job.Config{
			Pool: db.SQL(), Postgres: db.Postgres(), Log: slog.New(slog.DiscardHandler),
			Tasks: []job.Task{{Name: "greet", Run: func(_ context.Context, raw json.RawMessage) error {
				var a args
				if err := json.Unmarshal(raw, &a); err != nil {
					return err
				}
				if a.Name == "Eve" && failures.Add(1) == 1 {
					return errors.New("not the first time")
				}
				done <- a.Name
				return nil
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- jobs.Run(ctx) }()
		for _, r := range []job.Request{
			{Task: "greet", Key: "1", Args: args{"Ann"}}, {Task: "greet", Key: "1", Args: args{"Ann again"}},
			{Task: "greet", Key: "2", Args: args{"Eve"}}, {Task: "greet", Key: "3", Args: args{"later"}, At: time.Now().Add(time.Hour)},
			{Task: "nobody knows", Key: "4"},
		} {
			if err := jobs.Add(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		met := map[string]bool{await(t, done): true, await(t, done): true}
		if !met["Ann"] || !met["Eve"] {
			t.Errorf("done for %v", met)
		}
		cancel()
		if err := <-ended; err != nil || len(done) != 0 {
			t.Errorf("%v, and %d more were done", err, len(done))
		}
	})
}
