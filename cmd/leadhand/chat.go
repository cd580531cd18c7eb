package main

import (
	"context"
	"os"

	"github.com/leadhand/leadhand/bot/app"
)

type chatCmd struct {
	place
	Demo bool `help:"Use the scripted demo model: offline, no key."`
}

// Help is shown by `leadhand chat --help`.
func (*chatCmd) Help() string {
	return `Without a terminal, each line of the input is a message and only answers go to the output:

    echo "what time is it?" | leadhand chat --demo`
}

// Run talks.
func (c *chatCmd) Run(ctx context.Context) error {
	env := app.OSEnviron()
	cfg, err := app.Load(ctx, app.Flags{Config: c.Config, Data: c.Data}, env)
	if err != nil {
		return err
	}
	return app.Chat(ctx, cfg, env, app.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Demo: c.Demo})
}
