package main

import (
	"context"
	"fmt"
	"os"

	"github.com/leadhand/leadhand/bot/app"
)

type serveCmd struct {
	place
	Listen string `help:"Address of the HTTP server (127.0.0.1:8420)." env:"LEADHAND_LISTEN" placeholder:"ADDR"`
}

// Run serves until a signal comes.
func (c *serveCmd) Run(ctx context.Context) error {
	env := app.OSEnviron()
	flags := app.Flags{Config: c.Config, Data: c.Data, Listen: c.Listen}
	cfg, err := app.LoadWhenReached(ctx, flags, env, func(text string) { fmt.Fprintf(os.Stderr, "leadhand: %s\n", text) })
	if err != nil {
		return err
	}
	return app.Serve(ctx, cfg, env, app.NewLog(os.Stderr, cfg.Log))
}
