package main

import (
	"context"
	"os"

	"github.com/leadhand/leadhand/bot/app"
)

type backupCmd struct {
	place
	File string `arg:"" help:"New file for the backup." type:"path"`
}

// Help is shown by `leadhand backup --help`.
func (*backupCmd) Help() string {
	return `Copies the SQLite database as it is at one moment, also while the bot runs. For PostgreSQL it says the command
that does it.`
}

// Run backs up.
func (c *backupCmd) Run(ctx context.Context) error {
	env := app.OSEnviron()
	cfg, err := app.Home(app.Flags{Config: c.Config, Data: c.Data}, env)
	if err != nil {
		return err
	}
	return app.Backup(ctx, cfg, env, os.Stdout, c.File)
}

type restoreCmd struct {
	place
	File string `arg:"" help:"Backup to restore." type:"path"`
}

// Help is shown by `leadhand restore --help`.
func (*restoreCmd) Help() string {
	return `Puts a backup in the place of the SQLite database. Stop the bot first. The backup is checked before anything is
changed, and the database that was there is kept beside it under another name.`
}

// Run restores.
func (c *restoreCmd) Run(ctx context.Context) error {
	cfg, err := app.Home(app.Flags{Config: c.Config, Data: c.Data}, app.OSEnviron())
	if err != nil {
		return err
	}
	return app.Restore(ctx, cfg, os.Stdout, c.File)
}
