package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools/scrub"
)

const (
	answerKey    = place.KeyAnswer
	answerAlways = place.Always
)

// modelPatience bounds the test of one model: a local server may have to load it first.
const modelPatience = time.Minute

// models asks each configured model for an answer with a tool call.
func (d *doctor) models(ctx context.Context) []channels.Finding {
	if d.given != nil {
		return []channels.Finding{fine("model: " + d.given.Name())}
	}
	_, err := specs(d.cfg, d.env, slog.New(slog.DiscardHandler))
	if errors.Is(err, ErrNoModel) {
		return []channels.Finding{failed("model: none is configured", "set OPENAI_API_KEY, OPENAI_BASE_URL, "+
			"ANTHROPIC_API_KEY or GEMINI_API_KEY, or let `leadhand chat` find a model or ask for one")}
	}
	if err != nil {
		return []channels.Finding{failed("model: "+err.Error(), "correct the configuration or the environment")}
	}
	if len(d.cfg.Models) == 0 {
		kind, s, err := modelFromEnv(d.env)
		if err != nil { // specs has told
			return nil
		}
		return []channels.Finding{d.model(ctx, defaultModel, candidate{kind, s})}
	}
	var found []channels.Finding
	for _, name := range names(d.cfg.Models) {
		m := d.cfg.Models[name]
		s, err := m.modelSettings(d.env)
		if err != nil { // Load has told
			continue
		}
		found = append(found, d.model(ctx, name, candidate{m.Kind, s}))
	}
	return found
}

func (d *doctor) model(ctx context.Context, name string, c candidate) channels.Finding {
	what := "model " + name + ": "
	if c.kind == demoKind {
		return fine(what + "the scripted demo, offline; it is no AI")
	}
	k := modelKinds()[c.kind]
	if c.Model == "" && k.lists && c.BaseURL != "" {
		chosen, err := server{c.BaseURL, c.APIKey}.choose(ctx, k.fallback)
		if err != nil {
			return failed(what+"the server can't be asked for its models: "+err.Error(),
				"start the server, correct the base URL, or name a model: LEADHAND_MODEL=kind:model")
		}
		c.Model = chosen
	}
	c.Model = cmp.Or(c.Model, k.fallback)
	what += c.Model + " "
	tools, err := c.test(ctx, modelPatience)
	switch {
	case err != nil:
		return failed(what+"does not answer: "+reason(err), remedy(err))
	case c.NoTools:
		return fine(what + "answers; it is set to have no tools")
	case !tools:
		return worry(what+"answers but does not call tools, so it is for chat only", "choose a model that calls tools")
	}
	return fine(what + "answers and calls tools")
}

// channels probes each configured channel.
func (d *doctor) channels(ctx context.Context) []channels.Finding {
	if len(d.cfg.Channels) == 0 {
		return []channels.Finding{worry("channels: there is none, so only `leadhand chat` talks to the bot",
			"run `leadhand connect slack`, `telegram` or `discord`")}
	}
	env := channels.Env{Log: slog.New(slog.DiscardHandler)}
	if d.db != nil {
		a := &App{cfg: d.cfg, log: env.Log, db: d.db, hide: &scrub.Scrubber{}}
		a.makePeople()
		env.Commands, env.Complete = a.verbs.Menu(), a.verbs.Complete
	}
	var found []channels.Finding
	for _, name := range names(d.cfg.Channels) {
		m := d.cfg.Channels[name]
		ch, err := channelKinds()[m.Kind].make(name, m.decode, env)
		if err != nil {
			found = append(found, failed(name+": "+err.Error(), "correct channels."+name+".settings in the configuration"))
			continue
		}
		found = append(found, probe(ctx, ch, d.always(ctx, name))...)
	}
	return found
}

// alwaysProber is a channel whose setup must be another where the bot is to answer always.
type alwaysProber interface {
	ProbeFor(ctx context.Context, always bool) []channels.Finding
}

// probe checks a channel. Its findings begin with its name.
func probe(ctx context.Context, ch channels.Channel, always bool) (found []channels.Finding) {
	ctx, cancel := context.WithTimeoutCause(ctx, probePatience, errSlow)
	defer cancel()
	switch p := ch.(type) {
	case alwaysProber:
		found = p.ProbeFor(ctx, always)
	case channels.Prober:
		found = p.Probe(ctx)
	}
	for i := range found {
		found[i].What = ch.Name() + ": " + found[i].What
	}
	return found
}

// safety looks at who may talk to the bot, and who is told of trouble.
func (d *doctor) safety(ctx context.Context) (found []channels.Finding) {
	if d.db != nil {
		found = d.owners(ctx)
	}
	if d.cfg.Notices.Channel == "" {
		return append(found, worry("notices: nobody is told of what goes wrong, except by the log",
			"write notices: {channel: NAME, chat: \"ID\"} into "+d.cfg.path()))
	}
	return append(found, fine("notices: trouble is told on "+d.cfg.Notices.Channel))
}

func (d *doctor) owners(ctx context.Context) []channels.Finding {
	all, err := owners(ctx, d.db)
	if err != nil {
		return []channels.Finding{failed("owners: they can't be read: "+err.Error(), "see to the database")}
	}
	open := d.cfg.Access == "open"
	var found []channels.Finding
	switch {
	case open && len(all) == 0:
		return []channels.Finding{worry("access: it is open to everybody who can reach the bot, and nobody owns it",
			"run `leadhand init`, send its code to the bot, then set access to closed")}
	case open:
		found = append(found, fine("access: it is open to everybody who can reach the bot"))
	default:
		found = append(found, fine("access: only people who were let in may talk to the bot"))
	}
	switch len(all) {
	case 0:
		return append(found, failed("owners: there is none, so nobody can let people in",
			"run `leadhand init` and send its code to the bot"))
	case 1:
		return append(found, worry("owners: "+all[0]+" is the only one",
			"run `leadhand init --claim` and let somebody else send its code to the bot"))
	}
	return append(found, fine(fmt.Sprintf("owners: %d, %s", len(all), strings.Join(all, ", "))))
}
