package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones by name also where the system has no database

	"go.yaml.in/yaml/v3"
)

// Config is everything that can be set. The zero value with defaults filled in by Load is a working configuration.
type Config struct {
	Data     string `yaml:"data"`     // directory of the database, made when missing
	Database string `yaml:"database"` // URL, "postgres://…" or "sqlite:PATH"; empty: SQLite in Data
	Listen   string `yaml:"listen"`   // address of the HTTP server
	Access   string `yaml:"access"`   // "open" or "closed"
	TimeZone string `yaml:"time_zone"`
	Log      string `yaml:"log"` // "debug", "info", "warn" or "error"

	Channels map[string]Module `yaml:"channels"`
	Models   map[string]Module `yaml:"models"`
	Agents   map[string]Agent  `yaml:"agents"`
	Steering string            `yaml:"steering"` // "steer": a message joins the running turn; "queue": it waits
	Limits   Limits            `yaml:"limits"`
}

// Module is one configured channel or model. Its kind decodes the settings, and rejects keys it does not know.
type Module struct {
	Kind     string    `yaml:"kind"`
	Settings yaml.Node `yaml:"settings"`
}

// Agent is one configured agent.
type Agent struct {
	Models       []string `yaml:"models"` // names under "models", the next when one fails
	Instructions string   `yaml:"instructions"`
	Window       int      `yaml:"window"`     // tokens the models can see
	MaxSteps     int      `yaml:"max_steps"`  // model calls in one turn
	MaxOutput    int      `yaml:"max_output"` // tokens of one answer
}

// Limits bound what is kept and done.
type Limits struct {
	Turns          int   `yaml:"turns"`           // turns worked at once
	WorkspaceBytes int64 `yaml:"workspace_bytes"` // of one person with one agent
	FileBytes      int64 `yaml:"file_bytes"`
	RetentionDays  int   `yaml:"retention_days"` // how long worked messages are kept
}

// lead is the agent that talks to people.
const lead = "lead"

// Environ is the environment.
type Environ map[string]string

// OSEnviron is the environment of this process.
func OSEnviron() Environ {
	env := Environ{}
	for _, pair := range os.Environ() {
		k, v, _ := strings.Cut(pair, "=")
		env[k] = v
	}
	return env
}

// variables are all that start with LEADHAND_; others of that prefix are mistakes.
var variables = []string{
	"LEADHAND_ACCESS", "LEADHAND_CONFIG", "LEADHAND_DATA", "LEADHAND_DATABASE_URL", "LEADHAND_LISTEN", "LEADHAND_LOG",
	"LEADHAND_MODEL", "LEADHAND_TIME_ZONE",
}

// misspelt finds variables that look like ours but are not.
func (env Environ) misspelt() []error {
	var errs []error
	for _, name := range names(env) {
		known := slices.Contains(variables, name) || strings.HasPrefix(name, "LEADHAND_TEST_")
		if strings.HasPrefix(name, "LEADHAND_") && !known {
			errs = append(errs, unknownName("environment variable", name, variables))
		}
	}
	return errs
}

// Flags are what the command line gave; empty fields leave it to the environment, the file and the defaults.
type Flags struct{ Config, Data, Listen string }

// Load puts the configuration together: flags before environment before file before defaults.
func Load(f Flags, env Environ) (*Config, error) {
	cfg := &Config{}
	path := first(f.Config, env["LEADHAND_CONFIG"])
	if path != "" {
		if err := readFile(path, env, cfg); err != nil {
			return nil, fmt.Errorf("configuration file %s: %w", path, err)
		}
	}
	cfg.Data = first(f.Data, env["LEADHAND_DATA"], cfg.Data, defaultData(env))
	cfg.Listen = first(f.Listen, env["LEADHAND_LISTEN"], cfg.Listen, "127.0.0.1:8420")
	cfg.Database = first(env["LEADHAND_DATABASE_URL"], cfg.Database,
		"sqlite:"+filepath.Join(cfg.Data, "leadhand.db"))
	cfg.Access = first(env["LEADHAND_ACCESS"], cfg.Access, "closed")
	cfg.TimeZone = first(env["LEADHAND_TIME_ZONE"], cfg.TimeZone, "Local")
	cfg.Log = first(env["LEADHAND_LOG"], cfg.Log, "info")
	cfg.Steering = first(cfg.Steering, "steer")
	return cfg, cfg.validate(env)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// defaultData is ~/.leadhand, or .leadhand here when there is no home.
func defaultData(env Environ) string { return filepath.Join(env["HOME"], ".leadhand") }

func readFile(path string, env Environ, cfg *Config) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return errors.Unwrap(err)
	}
	var root yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(raw)).Decode(&root); err != nil {
		if errors.Is(err, io.EOF) { // an empty file sets nothing
			return nil
		}
		return err
	}
	if err := expand(&root, env, filepath.Dir(path)); err != nil {
		return err
	}
	return decodeStrict(&root, cfg)
}

func (c *Config) validate(env Environ) error {
	var errs []error
	oneOf := func(key, value string, allowed ...string) {
		if err := checkName(value, allowed); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	oneOf("access", c.Access, "open", "closed")
	oneOf("steering", c.Steering, "steer", "queue")
	oneOf("log", c.Log, "debug", "info", "warn", "error")
	if _, err := time.LoadLocation(c.TimeZone); err != nil {
		errs = append(errs, fmt.Errorf("time_zone: %q is not a time zone such as Europe/Berlin", c.TimeZone))
	}
	for name, m := range c.Channels {
		oneOf("channels."+name+".kind", m.Kind, names(channelKinds())...)
	}
	for name, m := range c.Models {
		oneOf("models."+name+".kind", m.Kind, names(modelKinds())...)
	}
	for name, a := range c.Agents {
		for _, model := range a.Models {
			oneOf("agents."+name+".models", model, names(c.Models)...)
		}
	}
	return errors.Join(append(errs, env.misspelt()...)...)
}
