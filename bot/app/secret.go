package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot/app/strict"
	"github.com/leadhand/leadhand/bot/secret"
	"github.com/leadhand/leadhand/bot/store"
)

// keyFile holds the key of the secrets when nobody chose another place.
const keyFile = "secret.key"

// keys is where the keys of the secrets are.
func (c *Config) keys(env Environ) secret.Keys {
	if text, path := env["LEADHAND_SECRET_KEY"], env["LEADHAND_SECRET_KEY_FILE"]; text != "" || path != "" {
		return secret.Keys{Text: text, Path: path}
	}
	return secret.Keys{Path: filepath.Join(c.Data, keyFile), Mine: true}
}

// vault keeps the secrets in an open database.
func (c *Config) vault(db *store.DB, env Environ) *secret.Vault {
	return &secret.Vault{Store: store.NewSecrets(db), Keys: c.keys(env), Tenant: tenant}
}

// secretPatience bounds the reading of all secrets of a configuration.
const secretPatience = 15 * time.Second

// errUnreachable tells that a database may be reached later.
var errUnreachable = errors.New("the database cannot be reached")

// secretReader reads the secrets that a configuration refers to.
type secretReader struct {
	ctx   context.Context
	flags Flags
	env   Environ

	values []string // what was read
	db     *store.DB
}

// open is the Secrets of strict.References.
func (r *secretReader) open(top map[string]string) (strict.Lookup, error) {
	cfg := &Config{Data: top["data"], Database: top["database"]}
	cfg.settle(r.flags, r.env)
	if err := cfg.placed(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, secretPatience)
	defer cancel()
	var err error
	if r.db, err = openSecrets(ctx, cfg); err != nil {
		return nil, err
	}
	v := cfg.vault(r.db, r.env)
	return func(name string) (string, error) {
		ctx, cancel := context.WithTimeout(r.ctx, secretPatience)
		defer cancel()
		value, err := v.Get(ctx, name)
		if err == nil {
			r.values = append(r.values, value)
		}
		return value, err
	}, nil
}

func (r *secretReader) close() error {
	if r.db == nil {
		return nil
	}
	return r.db.Close()
}

// secretsMigration is the migration that brought the secrets.
const secretsMigration = 8

// openSecrets opens a database that has secrets, also when other parts of its schema are not up to date yet.
func openSecrets(ctx context.Context, cfg *Config) (*store.DB, error) {
	db, err := store.OpenBeside(ctx, cfg.Database, slog.New(slog.DiscardHandler))
	switch {
	case errors.Is(err, store.ErrNoFile):
		return nil, fmt.Errorf("the secrets are in the database, and %w: run `leadhand init`, then `secret set`", err)
	case err != nil && strings.HasPrefix(cfg.Database, "postgres") && !errors.Is(err, store.ErrURL):
		return nil, fmt.Errorf("%w for the secrets: %w", errUnreachable, err)
	case err != nil:
		return nil, fmt.Errorf("open the database for the secrets: %w", err)
	}
	have, _, err := db.Schema(ctx)
	if err == nil && have < secretsMigration {
		err = errors.New("the database is of a leadhand without secrets: run `leadhand migrate`")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
