package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/terminal"
)

// chatbotEnv makes the test binary a chat program, to be run in a real terminal.
const chatbotEnv = "LEADHAND_TEST_CHATBOT"

func TestMain(m *testing.M) {
	if os.Getenv(chatbotEnv) != "" {
		runChatbot()
		return
	}
	os.Exit(m.Run())
}

func runChatbot() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := &chatbot{cancel: cancel}
	b.term = terminal.New(terminal.Config{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Interactive: true,
		Name:        "terminal",
		User:        channels.Sender{ID: "me", Name: "Me"},
		Greeting:    "I am **Lead**.",
	}, channels.Env{Log: slog.New(slog.DiscardHandler)})
	b.say(ctx, "", "Sent before the start.")
	err := b.term.Run(ctx, b.handle)
	b.say(ctx, "", "Sent after the end.")
	fmt.Println("left:", err)
}

// chatbot does what the first word of a message says. The terminal calls it from several goroutines, but the tests
// type one message at a time.
type chatbot struct {
	term   *terminal.Terminal
	cancel func()
	stream channels.Stream
	text   string
}

func (b *chatbot) handle(ctx context.Context, in *channels.Inbound) error {
	word, rest, _ := strings.Cut(in.Text, " ")
	switch word {
	case "stream": // opens a preview
		return b.open(ctx, channels.Draft{Text: rest})
	case "work":
		return b.open(ctx, channels.Draft{Step: rest})
	case "finish": // sends the answer in place of the preview
		b.finish(ctx, b.text+" - and done")
	case "/stop":
		b.finish(ctx, "Stopped by you.")
	case "refuse":
		return errors.New("the disk is full")
	case "panic":
		panic("the handler panics")
	case "cancel":
		b.cancel()
	case "long":
		b.say(ctx, "", longAnswer())
	case "attack":
		b.say(ctx, "", "\x1b]0;owned\x07\x1b[2J\x1b[H\x1b[?1049h&#27;]2;owned&#7;safe \u009b31mtext")
	case "markdown":
		b.say(ctx, "", "# Title\n\n**bold** `code` and\n\n```go\nx := 1\n```\n")
	default:
		b.say(ctx, "", fmt.Sprintf("You said %q at %d.", in.Text, in.SentAt.Year()-time.Now().Year()))
	}
	return nil
}

func (b *chatbot) open(ctx context.Context, d channels.Draft) error {
	s, err := b.term.Stream(ctx, channels.Preview{})
	if err != nil {
		return err
	}
	b.stream, b.text = s, d.Text
	return s.Show(ctx, d)
}

func (b *chatbot) finish(ctx context.Context, text string) {
	id, _ := b.stream.Close(ctx)
	b.say(ctx, id, text)
}

func (b *chatbot) say(ctx context.Context, edit channels.MessageID, text string) {
	if _, err := b.term.Send(ctx, &channels.Outbound{Edit: edit, Text: text}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

const longItems = 120

func longAnswer() string {
	var b strings.Builder
	for i := range longItems {
		fmt.Fprintf(&b, "- item number %d\n", i+1)
	}
	return b.String()
}
