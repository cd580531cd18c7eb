package main

import (
	"context"
	"os"

	"github.com/leadhand/leadhand/bot/app"
)

type chatCmd struct {
	Config string `help:"Configuration file (YAML)." env:"LEADHAND_CONFIG" type:"path" placeholder:"FILE"`
	Data   string `help:"Directory of the database." env:"LEADHAND_DATA" type:"path" placeholder:"DIR"`
	Demo   bool   `help:"Use the scripted demo model: offline, no key."`
}

func (c *chatCmd) Run(ctx context.Context) error {
	env := app.OSEnviron()
	cfg, err := app.Load(app.Flags{Config: c.Config, Data: c.Data}, env)
	if err != nil {
		return err
	}
	return app.Chat(ctx, cfg, env, app.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Demo: c.Demo})
}
