// Command leadhand runs the bot. It only parses flags; bot/app does the work.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/leadhand/leadhand/bot/app"
	"github.com/leadhand/leadhand/tools/nearest"
)

type commandLine struct {
	Chat    chatCmd    `cmd:"" help:"Talk to the lead agent in this terminal."`
	Serve   serveCmd   `cmd:"" help:"Run the bot."`
	Init    initCmd    `cmd:"" help:"Set up: configuration, database, and a code that makes you the owner."`
	Connect connectCmd `cmd:"" help:"Connect a messenger."`
	Doctor  doctorCmd  `cmd:"" help:"Check the whole setup and say how to mend it."`
	Secret  secretCmd  `cmd:"" help:"Keep tokens and keys sealed in the database."`
	Backup  backupCmd  `cmd:"" help:"Copy the database into a file, also while the bot runs."`
	Restore restoreCmd `cmd:"" help:"Put a backup in the place of the database."`
	Migrate migrateCmd `cmd:"" help:"Bring the database schema up to date and exit."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

// place is where every command finds its configuration and database.
type place struct {
	Config string `help:"YAML file; DIR/leadhand.yaml if it exists." env:"LEADHAND_CONFIG" type:"path" placeholder:"FILE"`
	Data   string `help:"Directory of the database (~/.leadhand)." env:"LEADHAND_DATA" type:"path" placeholder:"DIR"`
}

const description = `A team lead agent for Slack, Telegram, Discord and the terminal.

Start with "leadhand chat --demo": it needs no key and no network. "leadhand init" and "leadhand connect" set a bot up
for a team, "leadhand serve" runs it, "leadhand doctor" checks it. "leadhand chat" finds a model in the environment
(OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, GEMINI_API_KEY, LEADHAND_MODEL=kind:model), in Ollama or LM Studio
on this machine, or asks for one.`

// Exit codes besides 0.
const (
	exitFailed = 1
	exitUsage  = 2

	exitDoubt = 1 // of doctor: it works, but not all of it
	exitFound = 2 // and: something does not work
)

// longestShown is how many bytes of a wrong argument are repeated; of a longer one, the beginning.
const longestShown = 32

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	var cl commandLine
	exit := -1
	parser := kong.Must(&cl, kong.Name("leadhand"), kong.Description(description),
		kong.Vars{"version": app.Version()}, kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(code int) { exit = code }))
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kctx, err := parser.Parse(args)
	if exit >= 0 { // --help or --version was printed
		return exit
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "leadhand: %s\n", explain(parser, args, err))
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	kctx.BindTo(ctx, (*context.Context)(nil))
	err = kctx.Run()
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "leadhand: %s\n", strings.ReplaceAll(err.Error(), "\n", "\n  "))
		return exitFailed
	}
	return 0
}

// explain adds the nearest known flag or command to a parse error that has none yet.
func explain(k *kong.Kong, args []string, err error) string {
	msg := err.Error()
	for _, arg := range args {
		if len(arg) > longestShown { // it may be a token in the wrong place
			msg = strings.ReplaceAll(msg, arg, strings.ToValidUTF8(arg[:6], "")+"…")
		}
	}
	if strings.Contains(msg, "did you mean") {
		return msg
	}
	if flag, ok := strings.CutSuffix(msg, `: expected string value but got "EOL" (<EOL>)`); ok {
		return flag + " needs a value"
	}
	var known []string
	for _, node := range append([]*kong.Node{k.Model.Node}, k.Model.Children...) {
		known = append(known, node.Name)
		for _, f := range node.Flags {
			known = append(known, "--"+f.Name)
		}
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if strings.Contains(msg, name) && !slices.Contains(known, name) {
			if near := nearest.Nearest(name, known, 1); len(near) > 0 {
				return fmt.Sprintf("%s, did you mean %q?", msg, near[0])
			}
		}
	}
	return msg + "; `leadhand --help` lists what there is"
}
