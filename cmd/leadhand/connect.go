package main

import (
	"context"

	"github.com/leadhand/leadhand/bot/app"
)

type connectCmd struct {
	Slack    connectSlack    `cmd:"" help:"Connect a Slack app."`
	Telegram connectTelegram `cmd:"" help:"Connect a Telegram bot."`
	Discord  connectDiscord  `cmd:"" help:"Connect a Discord bot."`
}

// Help is shown by `leadhand connect --help`.
func (*connectCmd) Help() string {
	return `Shows the steps with their links, asks for the tokens without showing them, tries them, and only then saves the
channel. Without a terminal name where the tokens are: --bot-token-env NAME or --bot-token-file FILE. What is connected
already is only tried, and never changed.`
}

// connection is what all messengers have.
type connection struct {
	place
	Name         string `help:"Name of the channel; that of the messenger if empty." placeholder:"NAME"`
	APIURL       string `help:"Base URL of a server of your own." name:"api-url" placeholder:"URL"`
	BotTokenEnv  string `help:"Variable that holds the bot token." placeholder:"NAME"`
	BotTokenFile string `help:"File that holds the bot token." type:"path" placeholder:"FILE"`
}

func (c *connection) connect(ctx context.Context, o app.Connection) error {
	env := app.OSEnviron()
	cfg, err := app.Load(ctx, app.Flags{Config: c.Config, Data: c.Data}, env)
	if err != nil {
		return err
	}
	if o.Secrets == nil {
		o.Secrets = map[string]app.Source{}
	}
	o.Name, o.APIURL = c.Name, c.APIURL
	o.Secrets["bot_token"] = app.Source{Env: c.BotTokenEnv, File: c.BotTokenFile}
	for key, s := range o.Secrets {
		if s == (app.Source{}) {
			delete(o.Secrets, key)
		}
	}
	return app.Connect(ctx, cfg, env, terminal(), o)
}

type connectSlack struct {
	connection
	Minimal           bool   `help:"An app without files and group direct messages."`
	AppTokenEnv       string `help:"Variable that holds the app-level token." placeholder:"NAME"`
	AppTokenFile      string `help:"File that holds the app-level token." type:"path" placeholder:"FILE"`
	SigningSecretEnv  string `help:"Variable that holds the signing secret, to receive over HTTP." placeholder:"NAME"`
	SigningSecretFile string `help:"File that holds the signing secret." type:"path" placeholder:"FILE"`
}

// Run connects Slack.
func (c *connectSlack) Run(ctx context.Context) error {
	return c.connect(ctx, app.Connection{Kind: "slack", Minimal: c.Minimal, Secrets: map[string]app.Source{
		"app_token":      {Env: c.AppTokenEnv, File: c.AppTokenFile},
		"signing_secret": {Env: c.SigningSecretEnv, File: c.SigningSecretFile},
	}})
}

type connectTelegram struct{ connection }

// Run connects Telegram.
func (c *connectTelegram) Run(ctx context.Context) error {
	return c.connect(ctx, app.Connection{Kind: "telegram"})
}

type connectDiscord struct {
	connection
	Guild string `help:"Number of the only server that gets the commands, for trying them." placeholder:"ID"`
}

// Run connects Discord.
func (c *connectDiscord) Run(ctx context.Context) error {
	return c.connect(ctx, app.Connection{Kind: "discord", Plain: map[string]string{"guild": c.Guild}})
}
