package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/command"
	"github.com/leadhand/leadhand/channels"
)

const (
	tryPatience = 10 * time.Minute       // how long a person is waited for
	tryPoll     = 500 * time.Millisecond // how often it is looked whether somebody wrote
)

// tryOut runs the bot on a channel that was just connected, until somebody in charge has written to it and pressed a
// button: then messages and presses are known to arrive, and answers too. It is only for terminals, since it waits.
func (w *wizard) tryOut(ctx context.Context, name string, m Module) {
	if w.ask == nil || receivesOverHTTP(m) {
		return
	}
	typed, err := w.ask.Line(ctx, "\nShall I wait here until you have written to the bot, to see that it works? [Y/n] ")
	if errors.Is(err, io.EOF) || err != nil || strings.HasPrefix(strings.ToLower(typed), "n") {
		w.say("\nLater `doctor`, written to the bot in a direct message, does the same.\n")
		return
	}
	who, err := w.waitForPress(ctx, name, m)
	switch {
	case err == nil:
		w.say("%s pressed the button: messages, answers and buttons work. `leadhand serve` runs the bot from now on.\n", who)
	case ctx.Err() != nil:
		w.say("\nLeft. `doctor`, written to the bot in a direct message, does the same later.\n")
	default:
		w.say("%s.\n", sentence(err))
	}
}

// receivesOverHTTP tells whether a channel needs a public server to hear anything.
func receivesOverHTTP(m Module) bool {
	for i := 0; i+1 < len(m.Settings.Content); i += 2 {
		key, value := m.Settings.Content[i].Value, m.Settings.Content[i+1]
		if (key == "signing_secret" || key == "webhook") && (value.Value != "" || len(value.Content) > 0) {
			return true
		}
	}
	return false
}

var (
	errNobodyPressed = fmt.Errorf("nobody pressed the button within %s; `doctor`, written to the bot, does the same later",
		tryPatience)
	errRuns = errors.New("`leadhand serve` runs already: start it again, then write `doctor` to the bot in a direct " +
		"message; it shows a button to press")
)

// waitForPress runs the bot on one channel and tells who pressed its button.
func (w *wizard) waitForPress(ctx context.Context, name string, m Module) (who string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, tryPatience, errNobodyPressed)
	defer cancel()
	cfg := *w.cfg
	cfg.Channels = map[string]Module{name: m}
	pressed := make(chan string, 1)
	opts := Options{
		Env: w.env, Log: slog.New(slog.DiscardHandler), NoHTTP: true,
		Pressed: func(p *access.Person) {
			select {
			case pressed <- p.Name:
			default:
			}
		},
	}
	if _, err := specs(&cfg, w.env, opts.Log); errors.Is(err, ErrNoModel) {
		opts.Model = unready{}
	}
	a, err := New(ctx, &cfg, opts)
	if err != nil {
		return "", fmt.Errorf("%w (%s)", errRuns, oneLine(err.Error()))
	}
	ended := make(chan error, 1)
	running, stop := context.WithCancel(ctx)
	go func() { ended <- a.Run(running) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	w.say("Write to the bot in a direct message now. Ctrl-C leaves.\n")
	card := "tryout/" + uuid.NewString()
	shown := false
	for {
		if !shown {
			if shown, err = a.showTest(ctx, name, card); err != nil && ctx.Err() == nil {
				return "", err
			}
			if shown {
				w.say("The bot hears you. Press the button that it shows you.\n")
			}
		}
		select {
		case who := <-pressed:
			return oneLine(who), a.Drain(ctx, name)
		case err := <-ended:
			ended <- nil
			return "", fmt.Errorf("the bot stopped: %w", err)
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(tryPoll):
		}
	}
}

// showTest shows the test card to whoever is in charge and has written to the bot on a channel; shown is false while
// nobody has.
func (a *App) showTest(ctx context.Context, channel, key string) (shown bool, err error) {
	all, err := a.people.All(ctx, tenant)
	if err != nil {
		return false, err
	}
	for _, p := range all {
		for _, at := range p.Direct {
			if !p.Role.AtLeast(access.Admin) || at.Channel != channel {
				continue
			}
			err := a.outbox.Post(ctx, tenant, "", channels.Outbound{
				Key: key + "/" + p.ID, Conversation: at,
				Card: &channels.Card{
					Title: "I am connected", Tone: channels.Good, Body: "Press the button, so that we know that buttons work, too.",
				},
				Buttons: [][]channels.Button{{command.TestButton()}},
			})
			if err != nil {
				return shown, err
			}
			shown = true
		}
	}
	return shown, nil
}

// unready is the model of a bot that has none yet.
type unready struct{}

func (unready) Name() string { return "none" }

func (u unready) Generate(context.Context, *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		yield(&llm.Chunk{Final: &llm.Answer{
			Message: llm.AssistantText("I hear you, but I am only being connected now, and have no model yet."),
			Finish:  llm.Stop, Model: u.Name(),
		}}, nil)
	}
}
