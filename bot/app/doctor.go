package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/channels"
)

// probePatience bounds the probe of one channel.
const probePatience = 30 * time.Second

// doctor looks at everything that is configured. It changes nothing, and works beside a running server.
type doctor struct {
	cfg *Config
	env Environ
	db  *store.DB // nil when it can't be used

	given llm.Provider // the model that answers whatever is configured; may be nil
}

// Doctor checks an installation. The findings come in an order that does not change, and hold no secret.
func Doctor(ctx context.Context, f Flags, env Environ) []channels.Finding {
	cfg, err := Load(ctx, f, env)
	if err != nil {
		var found []channels.Finding
		for line := range strings.Lines(err.Error()) {
			what := "configuration: " + strings.TrimPrefix(strings.TrimSpace(line), "configuration file ")
			found = append(found, failed(what, "correct it; nothing else is checked before"))
		}
		return found
	}
	d := &doctor{cfg: cfg, env: env}
	found := []channels.Finding{fine("configuration: " + cfg.path())}
	if _, err := os.Stat(cfg.path()); err != nil {
		found[0].What = "configuration: from the environment, without a file"
	}
	found = append(found, d.database(ctx)...)
	if d.db != nil {
		defer func() { _ = d.db.Close() }()
	}
	return d.hide(append(found, d.parts(ctx)...))
}

// parts looks at all but the database.
func (d *doctor) parts(ctx context.Context) []channels.Finding {
	var models, messengers []channels.Finding
	var both errgroup.Group
	both.Go(func() error { models = d.models(ctx); return nil })
	both.Go(func() error { messengers = d.channels(ctx); return nil })
	_ = both.Wait() // neither fails
	return slices.Concat(d.secrets(ctx), models, messengers, d.skills(), d.safety(ctx))
}

// hide takes secrets, and what controls a terminal, out of findings.
func (d *doctor) hide(found []channels.Finding) []channels.Finding {
	secrets := secretsOf(d.cfg, d.env)
	for i := range found {
		found[i].What, found[i].Fix = oneLine(secrets.Replace(found[i].What)), oneLine(secrets.Replace(found[i].Fix))
	}
	return found
}

// Worst is the worst level among findings.
func Worst(found []channels.Finding) channels.Level {
	worst := channels.OK
	for _, f := range found {
		if f.Level == channels.Fail || f.Level == channels.Warn && worst == channels.OK {
			worst = f.Level
		}
	}
	return worst
}

// Line is a finding as people read it.
func Line(f channels.Finding) string {
	line := fmt.Sprintf("%-4s  %s", f.Level, f.What)
	if f.Fix != "" {
		line += " – " + f.Fix
	}
	return line
}

func fine(what string) channels.Finding { return channels.Finding{Level: channels.OK, What: what} }
func worry(what, fix string) channels.Finding {
	return channels.Finding{Level: channels.Warn, What: what, Fix: fix}
}
func failed(what, fix string) channels.Finding {
	return channels.Finding{Level: channels.Fail, What: what, Fix: fix}
}

// longestLine is in characters how much of one text is shown: a server may answer with a whole page.
const longestLine = 500

// oneLine is a text as a part of a line on a terminal, without what could control that.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if r := []rune(s); len(r) > longestLine {
		s = string(r[:longestLine]) + "…"
	}
	return channels.OneLine(s)
}

// database opens the database and looks at its state.
func (d *doctor) database(ctx context.Context) []channels.Finding {
	path, isFile := strings.CutPrefix(d.cfg.Database, "sqlite:")
	db, err := store.OpenBeside(ctx, d.cfg.Database, slog.New(slog.DiscardHandler))
	if err == nil {
		if err = db.Ping(ctx); err != nil {
			_ = db.Close()
		}
	}
	switch {
	case errors.Is(err, store.ErrNoFile):
		return []channels.Finding{failed("database: there is no "+path+" yet", "run `leadhand init`")}
	case err != nil && isFile:
		return []channels.Finding{failed(fmt.Sprintf("database: %s can't be opened: %v", path, err),
			"see to the file and its directory, or take a backup: `leadhand restore FILE`")}
	case err != nil:
		return []channels.Finding{failed("database: "+err.Error(),
			"start the server, or correct LEADHAND_DATABASE_URL (database in the configuration)")}
	}
	name := "PostgreSQL"
	if isFile {
		name = path
	}
	have, want, err := db.Schema(ctx)
	if err != nil || have != want {
		_ = db.Close()
		return []channels.Finding{fine("database: " + name), schema(have, want, err)}
	}
	d.db = db
	found := []channels.Finding{fine("database: " + name), fine(fmt.Sprintf("schema: up to date (%d migrations)", have))}
	if isFile {
		return append(found, room(path))
	}
	return append(found, d.clock(ctx))
}

// schema is the finding that the schema is not the one that this program needs.
func schema(have, want int, err error) channels.Finding {
	switch {
	case err != nil:
		return failed("schema: it can't be read: "+err.Error(), "take a backup: `leadhand restore FILE`")
	case have > want:
		return failed(fmt.Sprintf("schema: a newer leadhand made it (%d migrations, this one knows %d)", have, want),
			"use the newer one")
	}
	return failed(fmt.Sprintf("schema: %d of %d migrations are applied", have, want),
		"run `leadhand migrate`, or start `leadhand serve` again, which does it")
}

// Free space in bytes below which there is something to say.
const (
	littleRoom = 1 << 30
	noRoom     = 64 << 20
)

// room looks at the disk of a file.
func room(path string) channels.Finding {
	free, ok := freeSpace(path)
	what := fmt.Sprintf("disk: %d MB are free for the database", free>>20)
	switch {
	case !ok:
		return fine("disk: this system does not tell how much is free")
	case free < noRoom:
		return failed(what, "make room, or choose another directory with --data")
	case free < littleRoom:
		return worry(what, "make room, or choose another directory with --data")
	}
	return fine(what)
}

// maxSkew is how far the clocks of this machine and of the database may be apart.
const maxSkew = 5 * time.Second

// clock compares the clock of this machine with that of the database's.
func (d *doctor) clock(ctx context.Context) channels.Finding {
	asked := time.Now()
	at, err := d.db.Now(ctx)
	if err != nil {
		return failed("clock: the database does not tell: "+err.Error(), "see to the database server")
	}
	apart := at.Sub(asked.Add(time.Since(asked) / 2)).Round(10 * time.Millisecond).Abs()
	if apart > maxSkew {
		return worry(fmt.Sprintf("clock: this machine and the database are %s apart", apart),
			"let both set their clocks by NTP")
	}
	return fine("clock: this machine and the database agree")
}

// always tells whether the bot is to answer always somewhere on a channel.
func (d *doctor) always(ctx context.Context, channel string) bool {
	for _, s := range d.cfg.Places {
		if s.Channel == channel && s.Answer == string(answerAlways) {
			return true
		}
	}
	if d.db == nil {
		return false
	}
	set, err := store.NewPlaces(d.db).Settings(ctx, tenant)
	if err != nil {
		return false
	}
	for _, s := range set {
		if s.At.Channel == channel && s.Key == answerKey && s.Value == string(answerAlways) {
			return true
		}
	}
	return false
}
