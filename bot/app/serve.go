package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/lmittmann/tint"
	"golang.org/x/term"

	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store"
)

// Version is what was built: the module's version, or the commit of a build from a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (info.Main.Version == "" || info.Main.Version == "(devel)") {
			return s.Value
		}
	}
	return info.Main.Version
}

// NewLog logs to w: JSON lines, or colours when w is a terminal.
func NewLog(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil { // Load checked it
		l = slog.LevelInfo
	}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		return slog.New(tint.NewTextHandler(w, &tint.Options{Level: l}))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: l, ReplaceAttr: readable}))
}

// readable writes durations as "1.5s" and not as a number of nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// settled is how long after the start nothing belongs to it any more.
const settled = time.Second

// Serve runs the bot until ctx is done.
func Serve(ctx context.Context, cfg *Config, env Environ, log *slog.Logger) error {
	if cfg.Access == "open" {
		log.Warn("access is open: everybody who can reach the bot may talk to it")
	}
	a, err := New(ctx, cfg, Options{Env: env, Log: log})
	if err != nil && ctx.Err() != nil {
		log.Info("stopped before it was ready", "err", err)
		return nil
	}
	if err != nil {
		return explain(cfg, err)
	}
	if len(a.channels) == 0 {
		log.Warn("no channel is configured: nobody can talk to this bot; `leadhand chat` talks to it in a terminal")
	}
	if cfg.Access != "open" && len(a.channels) > 0 {
		if all, err := owners(ctx, a.db); err == nil && len(all) == 0 {
			log.Warn("access is closed, and nobody owns this bot yet: `leadhand init` prints a code that makes its first owner")
		}
	}
	log.Info("ready", "listen", a.Addr(), "channels", len(a.channels), "version", Version())
	settle := time.AfterFunc(settled, func() { giveBack(log) })
	defer settle.Stop()
	err = a.Run(ctx)
	log.Info("stopped")
	return err
}

// Migrate brings the schema up to date and returns how many migrations that took.
func Migrate(ctx context.Context, cfg *Config, log *slog.Logger) (n int, err error) {
	db, err := store.Open(ctx, cfg.Database, log)
	if err != nil {
		return 0, explain(cfg, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	n, err = db.Migrate(ctx, job.Migrate)
	return n, explain(cfg, err)
}
