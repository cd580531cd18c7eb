package main

import (
	"context"
	"os"

	"github.com/leadhand/leadhand/bot/app"
)

type serveCmd struct {
	Config string `help:"Configuration file (YAML)." env:"LEADHAND_CONFIG" type:"path" placeholder:"FILE"`
	Data   string `help:"Directory of the database." env:"LEADHAND_DATA" type:"path" placeholder:"DIR"`
	Listen string `help:"Address of the HTTP server (127.0.0.1:8420)." env:"LEADHAND_LISTEN" placeholder:"ADDR"`
}

func (c *serveCmd) Run(ctx context.Context) error {
	env := app.OSEnviron()
	cfg, err := app.Load(app.Flags{Config: c.Config, Data: c.Data, Listen: c.Listen}, env)
	if err != nil {
		return err
	}
	return app.Serve(ctx, cfg, env, app.NewLog(os.Stderr, cfg.Log))
}
