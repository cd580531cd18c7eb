package crashtest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/leadhand/leadhand/bot/app"
	"github.com/leadhand/leadhand/channels"
)

// The channels of a worker: on one a message joins the running turn, on the other it waits for a turn of its own.
const (
	steering = "steering"
	queueing = "queueing"
)

// workerConfig is what the parent tells a worker in its environment.
type workerConfig struct {
	Name string // part of what model and messenger are told by messages, see model
	URL  string // of the database
	Log  string // file to which all workers append their events
	Seed uint64
}

// event is something that a worker did. It is one line on its standard output and in the shared log.
type event struct {
	Worker string
	Pid    int
	At     time.Time
	Kind   string // "ready", "ack", "nack", "model", "invalid", "sending" (when that is held up), "send"

	Key          string   `json:",omitempty"` // of the event or of the message to send
	Conversation string   `json:",omitempty"`
	Names        []string `json:",omitempty"` // the messages that a model call or an answer is about
	Calls        int      `json:",omitempty"` // tool calls of the turn so far
	Text         string   `json:",omitempty"`
	ReplyTo      string   `json:",omitempty"`
	Repeat       bool     `json:",omitempty"`
}

// reporter writes events, each line with one system call. A kill may still cut it off.
type reporter struct {
	worker string
	log    *os.File
}

func (r *reporter) report(e event) {
	e.Worker, e.Pid, e.At = r.worker, os.Getpid(), time.Now()
	line, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	line = append(line, '\n')
	if _, err := r.log.Write(line); err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(line) // the parent may be gone
}

// workerMain is a worker process: it serves until SIGTERM and returns the exit code.
func workerMain(raw string) int {
	if err := serve(raw); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 1
	}
	return 0
}

func serve(raw string) error {
	var cfg workerConfig
	if err := json.Unmarshal([]byte(raw), &cfg); err != nil {
		return err
	}
	log, err := os.OpenFile(cfg.Log, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()

	r := &reporter{cfg.Name, log}
	pipes := map[string]*pipe{}
	opts := app.Options{
		Env: app.Environ{}, Model: &model{report: r.report, worker: cfg.Name}, NoHTTP: true, Queue: []string{queueing},
		Log: slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	for _, name := range []string{steering, queueing} {
		p := &pipe{name: name, reporter: r, handler: make(chan channels.Handler, 1)}
		pipes[name] = p
		opts.Channels = append(opts.Channels, func(channels.Env) channels.Channel { return p })
	}
	a, err := app.New(ctx, &app.Config{
		Database: cfg.URL, Access: "open", TimeZone: "UTC", Steering: "steer", Log: "info",
	}, opts)
	if err != nil {
		return err
	}
	go receive(ctx, r, pipes)
	return a.Run(ctx)
}

// receive hands in what the parent writes, each message at once. Without a parent there is no reason to live.
func receive(ctx context.Context, r *reporter, pipes map[string]*pipe) {
	handlers := map[string]channels.Handler{}
	for name, p := range pipes {
		handlers[name] = <-p.handler
	}
	r.report(event{Kind: "ready"})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		in := &channels.Inbound{}
		if err := json.Unmarshal(lines.Bytes(), in); err != nil {
			panic(err)
		}
		go func() {
			e := event{Kind: "ack", Key: in.EventKey}
			if err := handlers[in.Conversation.Channel](ctx, in); err != nil {
				e.Kind, e.Text = "nack", err.Error()
			}
			r.report(e)
		}()
	}
	os.Exit(3)
}

// pipe is a messenger.
type pipe struct {
	*reporter
	name    string
	handler chan channels.Handler
}

func (p *pipe) Name() string { return p.name }

func (p *pipe) Run(ctx context.Context, h channels.Handler) error {
	p.handler <- h
	<-ctx.Done()
	return nil
}

// Send takes some milliseconds before and after the moment at which the platform has the message.
func (p *pipe) Send(ctx context.Context, m *channels.Outbound) (channels.MessageID, error) {
	before := rand.N(3 * time.Millisecond)
	if hold := held(sendHoldPattern, p.worker, m.Text); hold > 0 {
		before = hold
		p.report(event{Kind: "sending", Key: m.Key, Names: namesIn(m.Text)})
	}
	select {
	case <-time.After(before):
	case <-ctx.Done():
		return "", errors.New("cut off before the platform had it")
	}
	p.report(event{
		Kind: "send", Key: m.Key, Conversation: m.Conversation.String(), Names: namesIn(m.Text), Text: m.Text,
		ReplyTo: string(m.ReplyTo), Repeat: m.Attempt.Unsure,
	})
	time.Sleep(rand.N(3 * time.Millisecond))
	return channels.MessageID(m.Key), nil
}
