package main

import (
	"context"
	"os"

	"github.com/leadhand/leadhand/bot/app"
)

type initCmd struct {
	place
	Team     string `help:"Name of the team." placeholder:"NAME"`
	Owner    string `help:"Your name." placeholder:"NAME"`
	TimeZone string `help:"In which the agent tells times, such as Europe/Berlin." placeholder:"TZ"`
	Yes      bool   `help:"Ask nothing: take the defaults."`
	Claim    bool   `help:"Print a claim code also when there is an owner."`
}

// Help is shown by `leadhand init --help`.
func (*initCmd) Help() string {
	return `Writes DIR/leadhand.yaml, makes the database, and prints a code that makes you the bot's owner when you send it
to the bot. What is there already is left as it is, so it can be run again, also while the bot runs.`
}

// Run sets up.
func (c *initCmd) Run(ctx context.Context) error {
	cfg, err := app.Load(ctx, app.Flags{Config: c.Config, Data: c.Data}, app.OSEnviron())
	if err != nil {
		return err
	}
	return app.Init(ctx, cfg, terminal(), app.InitOptions{
		Team: c.Team, Owner: c.Owner, TimeZone: c.TimeZone, Yes: c.Yes, Claim: c.Claim,
	})
}

// terminal is where the program was started.
func terminal() app.Terminal { return app.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr} }
