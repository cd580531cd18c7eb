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
	Serve   serveCmd   `cmd:"" help:"Run the bot."`
	Chat    chatCmd    `cmd:"" help:"Talk to the lead agent in this terminal."`
	Migrate migrateCmd `cmd:"" help:"Bring the database schema up to date and exit."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	var cl commandLine
	exit := -1
	parser := kong.Must(&cl, kong.Name("leadhand"),
		kong.Description("A team lead agent for Slack, Telegram, Discord and the terminal."),
		kong.Vars{"version": app.Version()}, kong.UsageOnError(), kong.Exit(func(code int) { exit = code }))
	kctx, err := parser.Parse(args)
	if exit >= 0 { // --help or --version was printed
		return exit
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "leadhand: %s\n", explain(parser, args, err))
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kctx.BindTo(ctx, (*context.Context)(nil))
	if err := kctx.Run(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "leadhand: %v\n", err)
		return 1
	}
	return 0
}

// explain adds the nearest known flag or command to a parse error that has none yet.
func explain(k *kong.Kong, args []string, err error) string {
	msg := err.Error()
	if strings.Contains(msg, "did you mean") {
		return msg
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
	return msg
}
