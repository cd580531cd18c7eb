package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/leadhand/leadhand/bot/store"
)

// Backup copies the SQLite database into a new file, also while the bot runs.
func Backup(ctx context.Context, cfg *Config, env Environ, out io.Writer, file string) (err error) {
	path, isFile := strings.CutPrefix(cfg.Database, "sqlite:")
	if !isFile {
		return errors.New("PostgreSQL makes its own backups: " +
			"pg_dump --format=custom --file=FILE \"$LEADHAND_DATABASE_URL\", " +
			"and back: pg_restore --clean --if-exists --dbname=\"$LEADHAND_DATABASE_URL\" FILE")
	}
	db, err := store.OpenBeside(ctx, cfg.Database, slog.New(slog.DiscardHandler)) // of any version: before an upgrade
	if err != nil {
		return fmt.Errorf("%w: %s", err, path)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Backup(ctx, file); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: choose another name", file)
	} else if err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Backed up to %s (%d KB). Keep leadhand.yaml, the token files beside it and the key "+
		"of the secrets (%s) too, elsewhere: they are not in it.\n", file, info.Size()>>10, cfg.keys(env).Where())
	return err
}

// Restore puts a backup in the place of the SQLite database, which is kept beside it. No server may run.
func Restore(ctx context.Context, cfg *Config, out io.Writer, file string) error {
	path, isFile := strings.CutPrefix(cfg.Database, "sqlite:")
	if !isFile {
		return errors.New("PostgreSQL takes its own backups back: " +
			"pg_restore --clean --if-exists --dbname=\"$LEADHAND_DATABASE_URL\" FILE")
	}
	kept, err := store.Restore(ctx, path, file, slog.New(slog.DiscardHandler))
	switch {
	case errors.Is(err, store.ErrInUse):
		return explain(cfg, err)
	case err != nil:
		return fmt.Errorf("restore from %s: %w", file, err)
	}
	_, _ = fmt.Fprintf(out, "%s is what %s holds.\n", path, file)
	if kept != "" {
		_, _ = fmt.Fprintf(out, "The database that was there is kept as %s.\n", kept)
	}
	return nil
}
