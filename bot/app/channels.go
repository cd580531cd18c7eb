package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/bot/app/strict"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/channels"
)

// channelsFromEnv adds the channels that the environment configures. A kind that the file configures is left to the
// file.
func (c *Config) channelsFromEnv(env Environ) error {
	configured := map[string]bool{}
	for _, m := range c.Channels {
		configured[m.Kind] = true
	}
	for kind, k := range channelKinds() {
		if _, taken := c.Channels[kind]; taken || configured[kind] || env[k.env[k.key]] == "" {
			continue
		}
		settings := map[string]string{}
		for key, variable := range k.env {
			if env[variable] != "" {
				settings[key] = env[variable]
			}
		}
		m := Module{Kind: kind}
		if err := m.Settings.Encode(settings); err != nil {
			return fmt.Errorf("settings of %s from the environment: %w", kind, err)
		}
		if c.Channels == nil {
			c.Channels = map[string]Module{}
		}
		c.Channels[kind] = m
	}
	return nil
}

// makeChannels makes the configured channels and those of opts.
func (a *App) makeChannels(opts Options) error {
	leases, chats, sessions := store.NewLeases(a.db, a.member.ID), store.NewChats(a.db), store.NewSessions(a.db)
	env := func(name string) channels.Env {
		return channels.Env{
			Log: a.log.With("channel", name), Own: leases.Own, Commands: a.verbs.Menu(), Notice: a.notice,
			Complete: a.verbs.Complete,
			Added: func(ctx context.Context, eventKey string, c channels.Conversation, by channels.Sender) error {
				return a.router.Added(ctx, eventKey, c, by)
			},
			Talked: func(ctx context.Context) ([]channels.Conversation, error) {
				return sessions.Talked(ctx, tenant, name)
			},
			Joined: func(ctx context.Context, c channels.Conversation) (bool, error) {
				return sessions.Joined(ctx, tenant, c)
			},
			Moved: func(ctx context.Context, from, to channels.ChatID) error {
				if a.book.Move(name, from, to) {
					a.notice(ctx, fmt.Sprintf("Chat %s on %s has the new id %s. Please write it under places in the "+
						"configuration file: until the next start the settings are followed.", from, name, to))
				}
				return chats.Move(ctx, name, from, to)
			},
		}
	}
	for _, name := range names(a.cfg.Channels) {
		m := a.cfg.Channels[name]
		ch, err := channelKinds()[m.Kind].make(name, m.decode, env(name))
		if err != nil {
			return fmt.Errorf("channels.%s: %w", name, err)
		}
		a.channels = append(a.channels, ch)
	}
	for _, made := range opts.Channels {
		a.channels = append(a.channels, made(env("terminal")))
	}
	return nil
}

// decode reads the settings; a module without any has an empty set.
func (m Module) decode(into any) error {
	if m.Settings.IsZero() {
		m.Settings = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	return strict.Decode(&m.Settings, into)
}

func (a *App) channel(name string) (channels.Channel, bool) {
	for _, ch := range a.channels {
		if ch.Name() == name {
			return ch, true
		}
	}
	return nil, false
}

// hooks are the handlers of the channels that receive over HTTP, by name.
func (a *App) hooks() map[string]http.Handler {
	hooks := map[string]http.Handler{}
	for _, ch := range a.channels {
		w, ok := ch.(channels.Webhook)
		if !ok {
			continue
		}
		if h := w.Webhook(); h != nil {
			hooks[ch.Name()] = h
		}
	}
	return hooks
}

// errDone ends Run without an error: the terminal was left.
var errDone = errors.New("the terminal was left")

// runChannel runs a channel. A fault of one messenger is logged and leaves the others alone; the end of the terminal
// is the end of the program.
func (a *App) runChannel(ctx context.Context, ch channels.Channel) error {
	err := ch.Run(ctx, a.router.Handle)
	_, configured := a.cfg.Channels[ch.Name()]
	switch {
	case ctx.Err() != nil:
		return nil
	case !configured && err == nil:
		return errDone
	case !configured:
		return err
	}
	a.log.Error("channel ended", "channel", ch.Name(), "err", err)
	return nil
}
