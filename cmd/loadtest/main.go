// Command loadtest measures the bot. It starts `leadhand serve` as a process of its own against a fake Telegram and a
// model that answers at once, lets many people write, and prints throughput, the bot's own time for an answer, memory,
// and what was lost, doubled or out of order. With -kills it kills the bot again and again meanwhile.
//
//	go build -o leadhand ./cmd/leadhand
//	go run ./cmd/loadtest -binary ./leadhand -chats 200 -messages 20
//	go run ./cmd/loadtest -binary ./leadhand -chats 1 -messages 500            # one after the other: overhead
//	go run ./cmd/loadtest -binary ./leadhand -chats 50 -send-latency 150ms
//	go run ./cmd/loadtest -binary ./leadhand -chats 20 -messages 100 -kills 50
//
// It exits with 1 when something was lost, out of order, against the Bot API's rules, or doubled more than kills
// explain.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are what a run is made of.
type options struct {
	binary      string
	messenger   string
	database    string // URL; SQLite in a temporary directory when empty
	chats       int
	messages    int // in each chat
	sendLatency time.Duration
	modelWait   time.Duration
	kills       int
	patience    time.Duration // for one answer
	asJSON      bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "loadtest:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("loadtest", flag.ContinueOnError)
	flags.StringVar(&o.binary, "binary", "leadhand", "the bot")
	known := slices.Sorted(maps.Keys(messengers()))
	flags.StringVar(&o.messenger, "messenger", "telegram", strings.Join(known, ", "))
	flags.StringVar(&o.database, "database", "", "postgres://…; SQLite when empty")
	flags.IntVar(&o.chats, "chats", 200, "conversations at once: private chats and forum topics by turns")
	flags.IntVar(&o.messages, "messages", 20, "in each conversation, the next when the last is answered")
	flags.DurationVar(&o.sendLatency, "send-latency", 0, "of Telegram for every send")
	flags.DurationVar(&o.modelWait, "model-latency", 0, "of the model")
	flags.IntVar(&o.kills, "kills", 0, "how often the bot is killed meanwhile")
	flags.DurationVar(&o.patience, "patience", time.Minute, "for one answer")
	flags.BoolVar(&o.asJSON, "json", false, "print the figures as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !slices.Contains(known, o.messenger) {
		return fmt.Errorf("-messenger must be one of %s", strings.Join(known, ", "))
	}
	if o.chats < 1 || o.messages < 1 || flags.NArg() > 0 {
		return errors.New("-chats and -messages must be positive, and there are no other arguments")
	}
	r, err := measure(ctx, o)
	if err != nil {
		return err
	}
	if o.asJSON {
		err = json.NewEncoder(out).Encode(r)
	} else {
		err = r.print(out)
	}
	return errors.Join(err, r.verdict())
}
