package main

import (
	"context"

	"github.com/leadhand/leadhand/bot/app"
)

type secretCmd struct {
	Set    secretSet    `cmd:"" help:"Keep a value; from a prompt that shows nothing, or the input."`
	List   secretList   `cmd:"" help:"List the names; values are never shown."`
	Remove secretRemove `cmd:"" help:"Forget a value."`
	Rotate secretRotate `cmd:"" help:"Seal all values under another key."`
}

// Help is shown by `leadhand secret --help`.
func (*secretCmd) Help() string {
	return `Values are sealed by AES-256-GCM in the database, and the configuration refers to them:
"bot_token: secret:NAME".
The key is in DIR/secret.key, which is made when the first value is set; or in LEADHAND_SECRET_KEY, or in the file that
LEADHAND_SECRET_KEY_FILE names, which several replicas need. Of several keys there, with commas between, the first seals
and all open.`
}

// secrets opens nothing yet; what it needs may be all that is right in the configuration.
func (p place) secrets() (*app.Secrets, error) {
	env := app.OSEnviron()
	cfg, err := app.Home(app.Flags{Config: p.Config, Data: p.Data}, env)
	return &app.Secrets{Config: cfg, Env: env, Terminal: terminal()}, err
}

type secretSet struct {
	place
	Name string `arg:"" help:"Name of the secret."`
	Env  string `help:"Variable that holds the value." placeholder:"NAME"`
	File string `help:"File that holds the value." type:"path" placeholder:"FILE"`
}

// Run keeps a value.
func (c *secretSet) Run(ctx context.Context) error {
	s, err := c.secrets()
	if err != nil {
		return err
	}
	return s.Set(ctx, c.Name, app.Source{Env: c.Env, File: c.File})
}

type secretList struct {
	place
	JSON bool `help:"Print a JSON array."`
}

// Run lists.
func (c *secretList) Run(ctx context.Context) error {
	s, err := c.secrets()
	if err != nil {
		return err
	}
	return s.List(ctx, c.JSON)
}

type secretRemove struct {
	place
	Name  string `arg:"" help:"Name of the secret."`
	Force bool   `help:"Also when the configuration refers to it."`
}

// Run forgets a value.
func (c *secretRemove) Run(ctx context.Context) error {
	s, err := c.secrets()
	if err != nil {
		return err
	}
	return s.Remove(ctx, c.Name, c.Force)
}

type secretRotate struct{ place }

// Run seals anew.
func (c *secretRotate) Run(ctx context.Context) error {
	s, err := c.secrets()
	if err != nil {
		return err
	}
	return s.Rotate(ctx)
}
