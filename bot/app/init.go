package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/app/strict"
	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store"
)

// claimTime is how long a claim code can be used.
const claimTime = 15 * time.Minute

// InitOptions are what the caller of Init knows. Empty fields are asked for, or get a default that is announced.
type InitOptions struct {
	Team, Owner, TimeZone string

	Yes   bool // ask nothing
	Claim bool // print a claim code also when there is an owner
}

// Init makes the configuration and the database, and prints a code that makes its user an owner. What is there already
// is left as it is.
func Init(ctx context.Context, cfg *Config, t Terminal, o InitOptions) error {
	f := &first{cfg: cfg, out: t.Out}
	if t.interactive() && !o.Yes {
		f.ask = terminalAsker{t.In, t.Out}
	}
	if err := f.configure(ctx, o); err != nil {
		return explain(cfg, err)
	}
	db, err := f.openDatabase(ctx)
	if err != nil {
		return explain(cfg, err)
	}
	return errors.Join(f.claim(ctx, db, o.Claim), db.Close())
}

// first is the first start.
type first struct {
	cfg *Config
	out io.Writer
	ask asker // nil when nobody is asked
}

func (f *first) say(format string, args ...any) { _, _ = fmt.Fprintf(f.out, format, args...) }

// choice is one thing that is set up.
type choice struct {
	key, question    string
	have, given, def string
	check            func(string) error
}

func (f *first) choices(o InitOptions) []choice {
	zone := f.cfg.TimeZone
	if zone == systemZone {
		zone = ""
	}
	return []choice{
		{"team.name", "Team name", f.cfg.Team.Name, o.Team, "Team", checkName},
		{"team.owner", "Your name", f.cfg.Team.Owner, o.Owner, cmp.Or(localUser().Name, "You"), checkName},
		{"time_zone", "Time zone", zone, o.TimeZone, guessZone(), checkZone},
	}
}

// configure writes what is missing into the configuration.
func (f *first) configure(ctx context.Context, o InitOptions) error {
	path := f.cfg.path()
	fresh := map[string]string{}
	var lines []string
	for _, c := range f.choices(o) {
		value, how := c.have, "was set before"
		switch {
		case c.have != "" && c.given != "" && c.given != c.have:
			how = "was set before; change it in " + path
		case c.have == "":
			var err error
			if value, how, err = f.choose(ctx, c); err != nil {
				return err
			}
			if value != systemZone {
				fresh[c.key] = value
			}
		}
		lines = append(lines, fmt.Sprintf("  %-10s %s (%s)\n", c.key, value, how))
	}
	switch {
	case len(fresh) == 0:
		f.say("Configuration: %s has all of it.\n", path)
	case f.cfg.file != "":
		f.say("Configuration: %s is yours, so nothing is written there. Write this into it:\n", path)
	default:
		if err := os.MkdirAll(f.cfg.Data, 0o700); err != nil {
			return fmt.Errorf("make the data directory: %w", err)
		}
		err := change(path, func(root *yaml.Node) error {
			for _, c := range f.choices(o) {
				if fresh[c.key] == "" {
					continue
				}
				if err := add(root, fresh[c.key], strings.Split(c.key, ".")...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		f.say("Configuration: written to %s.\n", path)
	}
	f.say("%s", strings.Join(lines, ""))
	return nil
}

// choose settles a choice: what the caller gave, what the person says, or the default.
func (f *first) choose(ctx context.Context, c choice) (value, how string, err error) {
	if c.given != "" {
		return c.given, "as you said", c.check(c.given)
	}
	if f.ask == nil {
		return c.def, "the default; change it in " + f.cfg.path(), nil
	}
	for {
		typed, err := f.ask.Line(ctx, fmt.Sprintf("%s [%s]: ", c.question, c.def))
		if err != nil {
			f.say("\n")
			return "", "", errors.New("the questions were left, and nothing is saved; `leadhand init --yes` asks none")
		}
		typed = cmp.Or(typed, c.def)
		if err := c.check(typed); err != nil {
			f.say("%s.\n", sentence(err))
			continue
		}
		return typed, "as you said", nil
	}
}

func checkName(name string) error {
	if strict.Refers(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%q cannot be a name", name)
	}
	return nil
}

// systemZone is the time zone of the machine, whatever it is.
const systemZone = "Local"

func checkZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil {
		return fmt.Errorf("%q is not a time zone such as Europe/Berlin", name)
	}
	return nil
}

// guessZone is the time zone of this machine by name, if it has one.
func guessZone() string {
	linked, _ := filepath.EvalSymlinks("/etc/localtime")
	_, linked, _ = strings.Cut(linked, "/zoneinfo/")
	for _, name := range []string{os.Getenv("TZ"), linked} {
		if name != "" && checkZone(name) == nil {
			return name
		}
	}
	return systemZone
}

// path is the configuration file.
func (c *Config) path() string { return cmp.Or(c.file, filepath.Join(c.Data, savedFile)) }

// openDatabase opens the database and brings its schema up to date, unless a server that runs did.
func (f *first) openDatabase(ctx context.Context) (*store.DB, error) {
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(ctx, f.cfg.Database, log)
	if errors.Is(err, store.ErrInUse) {
		if db, err = openCurrent(ctx, f.cfg.Database); err == nil {
			f.say("Database: a server has it open, and its schema is up to date.\n")
		}
		return db, err
	}
	if err != nil {
		return nil, err
	}
	n, err := db.Migrate(ctx, job.Migrate)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	f.say("Database: up to date; migrations applied now: %d.\n", n)
	return db, nil
}

// errSchema means that a database is not in the state that this program needs.
var errSchema = errors.New("the database belongs to another version of leadhand: " +
	"`leadhand migrate` brings an older one up to date, when no server runs")

// openCurrent opens a database beside a server that may be running, if its schema is that of this program.
func openCurrent(ctx context.Context, url string) (*store.DB, error) {
	db, err := store.OpenBeside(ctx, url, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	have, want, err := db.Schema(ctx)
	if err == nil && have != want {
		err = errSchema
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// owners are the people who own the bot.
func owners(ctx context.Context, db *store.DB) ([]string, error) {
	people, err := store.NewPeople(db).All(ctx, tenant)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, p := range people {
		if p.Role == access.Owner {
			all = append(all, oneLine(p.Name))
		}
	}
	return all, nil
}

// newClaim keeps a fresh claim code. One that was printed before can't be used any more.
func newClaim(ctx context.Context, db *store.DB) (string, error) {
	code := access.NewCode()
	return code, store.NewCodes(db).Issue(ctx, tenant, access.ClaimCode, code, "", claimTime)
}

// claim prints a claim code when there is no owner yet, or when one is wanted.
func (f *first) claim(ctx context.Context, db *store.DB, wanted bool) error {
	all, err := owners(ctx, db)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		f.say("Owners: %s.", strings.Join(all, ", "))
		if !wanted {
			f.say(" `leadhand init --claim` prints a code for one more.\n")
			return nil
		}
		f.say("\n")
	}
	code, err := newClaim(ctx, db)
	if err != nil {
		return err
	}
	f.say("\nSend this to the bot in a direct message, within %d minutes. It works once, and makes you an owner of the "+
		"bot:\n\n  claim %s\n\nA code that was printed before is void.\n", int(claimTime.Minutes()), code)
	if len(f.cfg.Channels) == 0 {
		f.say("\nNext: `leadhand connect slack`, `telegram` or `discord`, then `leadhand serve`.\n")
	} else {
		f.say("\nNext: `leadhand serve`, if it does not run yet; `leadhand doctor` checks everything.\n")
	}
	return nil
}
