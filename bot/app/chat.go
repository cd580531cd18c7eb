package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/script"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

// Terminal is where a chat takes place.
type Terminal struct {
	In       *os.File
	Out, Err *os.File
	Demo     bool // use the scripted demo model
}

func (t Terminal) interactive() bool { return isTerminal(t.In) && isTerminal(t.Out) }

// chatLog is the file in the data directory that a chat logs to, so that log lines never disturb the conversation.
const chatLog = "chat.log"

// Chat talks to the lead agent in a terminal until that is left, or at the end of a pipe when all is answered.
func Chat(ctx context.Context, cfg *Config, env Environ, t Terminal) error {
	log, closeLog, err := openChatLog(cfg)
	if err != nil {
		return explain(cfg, err)
	}
	defer closeLog()
	greeting := "Write what you need. `/help` shows the commands; Ctrl-D leaves."
	var model llm.Provider
	if t.Demo {
		model, greeting = t.demo(), demoGreeting
		if !t.interactive() {
			_, _ = fmt.Fprintln(t.Err, "leadhand: this is a demo with a scripted model, offline; it is no AI.")
		}
	} else if err := t.finder(cfg, env, log).find(ctx); err != nil {
		return err
	}
	alone := *cfg // the messengers belong to the bot that serves them
	alone.Channels = nil
	cfg = &alone
	name := localName()
	var app *App
	make := func(cenv channels.Env) channels.Channel {
		return terminal.New(terminal.Config{
			In: t.In, Out: t.Out, Err: t.Err, Interactive: t.interactive(), Name: name, User: localUser(),
			Greeting: greeting, Drain: func(ctx context.Context) error { return app.Drain(ctx, name) },
		}, cenv)
	}
	opts := Options{
		Env: env, Log: log, Channels: []func(channels.Env) channels.Channel{make}, Owner: name, Model: model, NoHTTP: true,
		Tell: func(text string) { _, _ = fmt.Fprintln(t.Err, "leadhand: "+text) },
	}
	if !t.interactive() {
		opts.Queue = []string{name} // each line of a pipe gets an answer of its own
	}
	if app, err = New(ctx, cfg, opts); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return explain(cfg, err)
	}
	return app.RunAlone(ctx, name)
}

// localName names the terminal channel of this person on this machine: on a shared database everybody has a
// conversation and a workspace of their own.
func localName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "local"
	}
	name := string(localUser().ID)
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return "terminal-" + name + "@" + host
}

// finder talks to the person in a terminal, and beside the answers in a pipe.
func (t Terminal) finder(cfg *Config, env Environ, log *slog.Logger) *finder {
	f := &finder{cfg: cfg, env: env, log: log, tell: t.Err, locals: knownLocals()}
	if t.interactive() {
		f.tell, f.ask = t.Out, terminalAsker{t.In, t.Out}
	}
	return f
}

// demoPace is the wait before each word of the demo model, so that a person sees how answers are streamed.
const demoPace = 15 * time.Millisecond

func (t Terminal) demo() llm.Provider {
	if t.interactive() {
		return script.Demo(script.WithDelay(demoPace))
	}
	return script.Demo()
}

const demoGreeting = "**This is a demo.** A scripted model answers, offline; it is no AI. The tools and the " +
	"workspace are real. Try: `plan the release`, `what time is it?`, `write hello to notes.md`. Ctrl-D leaves."

func openChatLog(cfg *Config) (*slog.Logger, func(), error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(cfg.Data, chatLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	return NewLog(io.Writer(f), cfg.Log), func() { _ = f.Close() }, nil
}

// localUser is the person at this terminal.
func localUser() channels.Sender {
	u, err := user.Current()
	if err != nil {
		return channels.Sender{ID: "local", Name: "You"}
	}
	return channels.Sender{ID: channels.UserID(u.Uid), Name: cmp.Or(u.Name, u.Username)}
}
