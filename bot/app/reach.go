package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot/store"
)

// databaseRetry is how long it takes until the database is tried again; it doubles up to the maximum.
const (
	databaseRetry    = time.Second
	databaseRetryMax = 15 * time.Second
)

// untilReached tries until the database can be reached or ctx is done. tell is told of what is waited for.
func untilReached(ctx context.Context, tell func(wait time.Duration, err error), try func() error) error {
	for wait := databaseRetry; ; wait = min(2*wait, databaseRetryMax) {
		err := try()
		if !errors.Is(err, errUnreachable) || ctx.Err() != nil {
			return err
		}
		tell(wait, err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// openDatabase opens the database, and waits for it.
func openDatabase(ctx context.Context, url string, opts Options) (db *store.DB, err error) {
	tell := func(wait time.Duration, err error) {
		opts.Log.Error("the database cannot be reached", "again_in", wait, "err", err)
		if opts.Tell != nil {
			opts.Tell(fmt.Sprintf("%v; trying again in %s", err, wait))
		}
	}
	err = untilReached(ctx, tell, func() error {
		db, err = store.Open(ctx, url, opts.Log)
		if err != nil && strings.HasPrefix(url, "postgres") && !errors.Is(err, store.ErrURL) {
			err = fmt.Errorf("%w: %w", errUnreachable, err)
		}
		return err
	})
	return db, err
}

// LoadWhenReached is Load, and waits for a database that holds secrets. tell is told of that.
func LoadWhenReached(ctx context.Context, f Flags, env Environ, tell func(text string)) (cfg *Config, err error) {
	say := func(wait time.Duration, err error) { tell(fmt.Sprintf("%v; trying again in %s", err, wait)) }
	err = untilReached(ctx, say, func() error {
		cfg, err = Load(ctx, f, env)
		return err
	})
	return cfg, err
}
