package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/bot/app/strict"
	"github.com/leadhand/leadhand/channels"
)

// Connection is what the caller of Connect knows about a channel to be added.
type Connection struct {
	Kind    string
	Name    string            // of the channel; the kind's when empty
	APIURL  string            // empty for the messenger's own servers
	Plain   map[string]string // other settings
	Secrets map[string]Source // by setting; what is missing is asked for
	Minimal bool
}

// errNothingSaved ends a connection that does not work.
var errNothingSaved = errors.New("nothing is saved: put right what is marked FAIL, and run this again")

// Connect shows what a person has to do to connect a messenger, takes its tokens, probes them, and writes the channel
// into the configuration once they work. A channel that is configured is only probed.
//
// Tokens go into private files beside the configuration, which refers to them: so the configuration can be shown and
// kept elsewhere, and a token can be replaced alone.
func Connect(ctx context.Context, cfg *Config, env Environ, t Terminal, o Connection) error {
	k, ok := connectors()[o.Kind]
	if !ok {
		return strict.UnknownName("messenger", o.Kind, names(connectors()))
	}
	o.APIURL = cmp.Or(o.APIURL, env[channelKinds()[o.Kind].env["api_url"]])
	w := &wizard{cfg: cfg, env: env, out: t.Out, connector: k, Connection: o}
	if t.interactive() {
		w.ask = terminalAsker{t.In, t.Out}
	}
	done, err := w.verify(ctx)
	if done || err != nil {
		return err
	}
	w.Name = cmp.Or(w.Name, w.Kind)
	if !channelName.MatchString(w.Name) {
		return fmt.Errorf("%q cannot be the name of a channel: take letters, digits, - and _", w.Name)
	}
	return w.add(ctx)
}

var channelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// wizard connects one channel.
type wizard struct {
	cfg *Config
	env Environ
	out io.Writer
	ask asker // nil when nobody is asked
	connector
	Connection
}

func (w *wizard) say(format string, args ...any) { _, _ = fmt.Fprintf(w.out, format, args...) }

// verify probes the channel if it is configured already; done tells that it is.
func (w *wizard) verify(ctx context.Context) (done bool, err error) {
	inFile, err := w.inFile()
	if err != nil {
		return false, err
	}
	var known []string
	for _, name := range names(w.cfg.Channels) {
		m := w.cfg.Channels[name]
		wanted := name == w.Name || w.Name == "" && m.Kind == w.Kind
		if wanted && (slices.Contains(inFile, name) || len(w.Secrets) == 0) {
			known = append(known, name)
		}
	}
	broken := false
	for _, name := range known {
		from := w.cfg.path()
		if !slices.Contains(inFile, name) {
			from = "the environment"
		}
		if m := w.cfg.Channels[name]; m.Kind != w.Kind {
			return true, fmt.Errorf("%s in %s is a channel of %s: choose another --name", name, from, m.Kind)
		}
		w.say("%s is configured already, in %s. Nothing is changed.\n\n", name, from)
		ch, err := w.made(name, w.cfg.Channels[name])
		if err != nil {
			return true, fmt.Errorf("channels.%s: %w", name, err)
		}
		broken = w.show(probe(ctx, ch, false)) || broken
		if !broken {
			w.finish(ctx, ch, w.cfg.Channels[name])
		}
	}
	if broken {
		return true, fmt.Errorf("%s does not work as it is configured: put right what is marked FAIL",
			strings.Join(known, ", "))
	}
	return len(known) > 0, nil
}

// inFile are the names of the channels in the configuration file.
func (w *wizard) inFile() ([]string, error) {
	root, err := saved(w.cfg.path())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", w.cfg.path(), err)
	}
	var all []string
	if n := entry(root.Content[0], "channels"); n != nil {
		for i := 0; i+1 < len(n.Content); i += 2 {
			all = append(all, n.Content[i].Value)
		}
		if n.Kind == yaml.AliasNode {
			all = names(w.cfg.Channels)
		}
	}
	return all, nil
}

// made makes a channel that is only probed.
func (w *wizard) made(name string, m Module) (channels.Channel, error) {
	return channelKinds()[w.Kind].make(name, m.decode, channels.Env{Log: slog.New(slog.DiscardHandler)})
}

// show prints findings and tells whether something does not work. It takes out what a server may have repeated.
func (w *wizard) show(found []channels.Finding, secrets ...string) (broken bool) {
	hidden := secretsOf(w.cfg, w.env)
	for _, f := range found {
		f.What, f.Fix = oneLine(f.What), oneLine(f.Fix)
		line := hidden.Replace(Line(f))
		for _, s := range secrets {
			line = strings.ReplaceAll(line, s, "…")
		}
		w.say("%s\n", line)
	}
	w.say("\n")
	return Worst(found) == channels.Fail
}

// add takes the tokens until they work, and saves the channel.
func (w *wizard) add(ctx context.Context) error {
	w.say("To connect %s:\n\n%s\n", w.title, w.steps(w.Minimal))
	for {
		secrets, err := w.read(ctx)
		if err != nil {
			return err
		}
		ch, err := w.try(ctx, secrets)
		switch {
		case err == nil:
			if err := w.save(secrets); err != nil {
				return err
			}
			m, err := w.module(secrets)
			if err != nil {
				return err
			}
			w.finish(ctx, ch, m)
			return nil
		case w.ask == nil || len(w.Secrets) > 0 || ctx.Err() != nil:
			return err
		}
		w.say("%s.\nOnce more; Ctrl-D leaves.\n\n", sentence(err))
	}
}

// try makes the channel and probes it.
func (w *wizard) try(ctx context.Context, secrets map[string]string) (channels.Channel, error) {
	m, err := w.module(secrets)
	if err != nil {
		return nil, err
	}
	ch, err := w.made(w.Name, m)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for _, s := range secrets {
		hidden = append(hidden, s)
	}
	if w.show(probe(ctx, ch, false), hidden...) {
		return nil, errNothingSaved
	}
	return ch, nil
}

// inviter is a channel that knows how people get to the bot.
type inviter interface {
	// Invite gives lines with links. code is a claim code, or empty.
	Invite(ctx context.Context, code string) ([]string, error)
}

// finish says what is left to do, and waits with a person to see that it works. m is the channel's configuration.
func (w *wizard) finish(ctx context.Context, ch channels.Channel, m Module) {
	code, owned := w.claimCode(ctx)
	if i, ok := ch.(inviter); ok {
		lines, err := i.Invite(ctx, code)
		if err != nil {
			w.say("The links to the bot can't be told: %s.\n", oneLine(err.Error()))
		}
		for _, line := range lines {
			w.say("%s\n", oneLine(line))
		}
	}
	if w.next != "" {
		w.say("%s\n", w.next)
	}
	switch {
	case code != "":
		w.say("\nNobody owns the bot yet. Start `leadhand serve`, and send the bot this in a direct message, within %d "+
			"minutes:\n\n  claim %s\n\nA code that was printed before is void.\n", int(claimTime.Minutes()), code)
		w.tryOut(ctx, ch.Name(), m)
	case owned:
		w.say("\nStart `leadhand serve`, again if it runs: it reads the configuration at its start.\n")
		w.tryOut(ctx, ch.Name(), m)
	default:
		w.say("\nNext: `leadhand init` makes the database and a code that makes you the owner; then start " +
			"`leadhand serve`.\n")
	}
}

// claimCode makes a claim code when there is a database without an owner.
func (w *wizard) claimCode(ctx context.Context) (code string, owned bool) {
	db, err := openCurrent(ctx, w.cfg.Database)
	if err != nil { // doctor tells about it
		return "", false
	}
	defer func() { _ = db.Close() }()
	all, err := owners(ctx, db)
	if err != nil || len(all) > 0 {
		return "", err == nil
	}
	if code, err = newClaim(ctx, db); err != nil {
		return "", false
	}
	return code, false
}
