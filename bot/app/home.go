package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/leadhand/leadhand/bot/app/strict"
)

// Home is the part of the configuration that says where an installation is. It is enough for what works on the data,
// also while the rest is wrong or refers to secrets that are not there yet.
func Home(f Flags, env Environ) (*Config, error) {
	cfg := &Config{file: cmp.Or(f.Config, env["LEADHAND_CONFIG"])}
	if path, here := configFile(f, env); here {
		refs := &strict.References{Env: env, Dir: filepath.Dir(path)}
		top, err := strict.ReadTop(path, refs, "data", "database", "log")
		if err != nil {
			return nil, fmt.Errorf("configuration file %s: %w", path, err)
		}
		cfg.Data, cfg.Database, cfg.Log = top["data"], top["database"], top["log"]
	}
	cfg.settle(f, env)
	return cfg, cfg.placed()
}

// configFile is the configuration file, and whether there is one: the chosen one counts as there.
func configFile(f Flags, env Environ) (path string, here bool) {
	if path = cmp.Or(f.Config, env["LEADHAND_CONFIG"]); path != "" {
		return path, true
	}
	path = filepath.Join(cmp.Or(f.Data, env["LEADHAND_DATA"], defaultData(env)), savedFile)
	_, err := os.Stat(path)
	return path, err == nil
}

// settle fills in where the installation is.
func (c *Config) settle(f Flags, env Environ) {
	c.Data = cmp.Or(f.Data, env["LEADHAND_DATA"], c.Data, defaultData(env))
	c.Database = cmp.Or(env["LEADHAND_DATABASE_URL"], c.Database, "sqlite:"+filepath.Join(c.Data, "leadhand.db"))
	c.Log = cmp.Or(env["LEADHAND_LOG"], c.Log, "info")
}

// placed refuses an address of the database that only the database knows.
func (c *Config) placed() error {
	if strict.IsSecret(c.Data) || strict.IsSecret(c.Database) {
		return errors.New("data and database say where the secrets are, so they cannot refer to one: " +
			"write ${NAME} or file:PATH, or set LEADHAND_DATABASE_URL")
	}
	return nil
}

// defaultData is ~/.leadhand, or .leadhand here when there is no home.
func defaultData(env Environ) string { return filepath.Join(env["HOME"], ".leadhand") }
