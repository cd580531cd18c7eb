package main

import (
	"context"
	"fmt"
	"os"

	"github.com/leadhand/leadhand/bot/app"
)

type migrateCmd struct{ place }

// Run migrates.
func (c *migrateCmd) Run(ctx context.Context) error {
	cfg, err := app.Home(app.Flags{Config: c.Config, Data: c.Data}, app.OSEnviron())
	if err != nil {
		return err
	}
	n, err := app.Migrate(ctx, cfg, app.NewLog(os.Stderr, cfg.Log))
	if err != nil {
		return err
	}
	fmt.Printf("The schema is up to date; migrations applied now: %d.\n", n)
	return nil
}
