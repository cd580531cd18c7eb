package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/bot/app/strict"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/rate"
)

// Config is everything that can be set. The zero value with defaults filled in by Load is a working configuration.
type Config struct {
	Data     string `yaml:"data"`     // directory of the database, made when missing
	Database string `yaml:"database"` // URL, "postgres://…" or "sqlite:PATH"; empty: SQLite in Data
	Listen   string `yaml:"listen"`   // address of the HTTP server
	Access   string `yaml:"access"`   // "open" or "closed"
	TimeZone string `yaml:"time_zone"`
	Log      string `yaml:"log"` // "debug", "info", "warn" or "error"
	Team     Team   `yaml:"team"`

	Channels map[string]Module `yaml:"channels"`
	Models   map[string]Module `yaml:"models"`
	Agents   map[string]Agent  `yaml:"agents"`
	Steering string            `yaml:"steering"` // "steer": a message joins the running turn; "queue": it waits
	Limits   Limits            `yaml:"limits"`
	Notices  Place             `yaml:"notices"` // where whoever runs the bot is told of what went wrong
	Places   []PlaceSettings   `yaml:"places"`
	Tools    tools.Rules       `yaml:"tools"` // what all agents may use
	Roles    map[string]Role   `yaml:"roles"` // what people of a role may not have used for them

	file   string   // the file that somebody chose; empty for the one in Data, which chat may write
	hidden []string // the values of secrets
}

// Module is one configured channel or model. Its kind decodes the settings, and rejects keys it does not know.
type Module struct {
	Kind     string    `yaml:"kind"`
	Settings yaml.Node `yaml:"settings"`
}

// Role is what is set for the people of a role.
type Role struct {
	Deny []string `yaml:"deny"` // tools, in place of those that the role is usually denied; none: []
}

// Agent is one configured agent.
type Agent struct {
	Models       []string `yaml:"models"`  // names under "models", the next when one fails
	Choices      []string `yaml:"choices"` // more that people may choose in chat
	Instructions string   `yaml:"instructions"`
	Window       int      `yaml:"window"`     // tokens the models can see
	MaxSteps     int      `yaml:"max_steps"`  // model calls in one turn
	MaxOutput    int      `yaml:"max_output"` // tokens of one answer

	Tools  tools.Rules `yaml:"tools"`  // what it may use of what all agents may
	Skills *[]string   `yaml:"skills"` // only these of the installed ones; an empty list is none
}

// Place is one conversation, as its channel's adapter writes ids. Without a channel it is no place.
type Place struct {
	Channel string `yaml:"channel"`
	Chat    string `yaml:"chat"`
	Topic   string `yaml:"topic"`
}

// PlaceSettings are what is set for a channel, a chat or a topic.
type PlaceSettings struct {
	Channel string `yaml:"channel"`
	Chat    string `yaml:"chat"`
	Topic   string `yaml:"topic"`

	Agent    string    `yaml:"agent"`
	Answer   string    `yaml:"answer"` // "mention": when the bot is spoken to; "always"
	Who      string    `yaml:"who"`    // "members": people who were let in; "everyone"
	Tools    *[]string `yaml:"tools"`  // only these; an empty list is none
	Deny     []string  `yaml:"deny"`   // not these tools
	Prompt   string    `yaml:"prompt"` // added to the agent's instructions
	Steering string    `yaml:"steering"`
	Reply    string    `yaml:"reply"`  // "thread", "quote" or "plain"
	Skills   *[]string `yaml:"skills"` // only these; an empty list is none
	People   []string  `yaml:"people"` // the ids of those who may talk, in place of who; admins always may
}

func (s PlaceSettings) place() Place { return Place{Channel: s.Channel, Chat: s.Chat, Topic: s.Topic} }

// Limits bound what is kept and done.
type Limits struct {
	Turns          int   `yaml:"turns"`           // turns worked at once
	Waiting        int   `yaml:"waiting"`         // messages that wait in one session
	WorkspaceBytes int64 `yaml:"workspace_bytes"` // of one person with one agent
	FileBytes      int64 `yaml:"file_bytes"`
	RetentionDays  int   `yaml:"retention_days"` // how long worked messages are kept

	Calls rate.Limits `yaml:"calls"` // of tools, in a minute; rate.Default where nothing is set
}

// answers is the name of the model that answers for an agent unless it fails; empty when the environment chooses it.
func (c *Config) answers(agent string) string {
	if models := c.Agents[agent].Models; len(models) > 0 {
		return models[0]
	}
	if len(c.Models) == 1 {
		return names(c.Models)[0]
	}
	return ""
}

// lead is the agent that talks to people.
const lead = "lead"

// savedFile is the configuration in the data directory. It is read when no other is chosen; `leadhand chat` writes the
// model there that a person chose.
const savedFile = "leadhand.yaml"

// Flags are what the command line gave; empty fields leave it to the environment, the file and the defaults.
type Flags struct{ Config, Data, Listen string }

// Load puts the configuration together: flags before environment before file before defaults. Without a chosen file it
// reads leadhand.yaml in the data directory, if there is one. Secrets that the file refers to are read from the
// database. Errors name file and line; they never hold what came from a reference, since that may be a secret.
func Load(ctx context.Context, f Flags, env Environ) (*Config, error) {
	cfg := &Config{file: cmp.Or(f.Config, env["LEADHAND_CONFIG"])}
	path, here := configFile(f, env)
	secrets := &secretReader{ctx: ctx, flags: f, env: env}
	refs := &strict.References{Env: env, Dir: filepath.Dir(path), Secrets: secrets.open}
	if here {
		err := strict.ReadFile(path, refs, cfg)
		if err = errors.Join(err, secrets.close()); err != nil {
			return nil, fmt.Errorf("configuration file %s: %w", path, err)
		}
	}
	cfg.settle(f, env)
	cfg.Listen = cmp.Or(f.Listen, env["LEADHAND_LISTEN"], cfg.Listen, "127.0.0.1:8420")
	cfg.Access = cmp.Or(env["LEADHAND_ACCESS"], cfg.Access, "closed")
	cfg.TimeZone = cmp.Or(env["LEADHAND_TIME_ZONE"], cfg.TimeZone, "Local")
	cfg.hidden = secrets.values
	cfg.Steering = cmp.Or(cfg.Steering, "steer")
	if cfg.file == "" && cfg.isDefault() && env.configured() {
		cfg.Models = nil
	}
	if err := cfg.channelsFromEnv(env); err != nil {
		return nil, err
	}
	if err := cfg.validate(env); err != nil {
		return nil, refs.Hide(err)
	}
	return cfg, nil
}

// isDefault tells whether the only model is the one that chat saved, and no agent asks for it by name. That one gives
// way to a model that the environment names.
func (c *Config) isDefault() bool {
	for _, a := range c.Agents {
		if len(a.Models) > 0 {
			return false
		}
	}
	_, ok := c.Models[defaultModel]
	return ok && len(c.Models) == 1
}
