package terminal

import (
	"context"
	"regexp"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// localChat is the only chat of a terminal.
const localChat channels.ChatID = "local"

// submitTries and submitPause bound how long a message is offered to a handler that fails: a busy database gets over
// it within a second or two, and after that the person should hear of it. The pause grows with each try.
const (
	submitTries = 3
	submitPause = 300 * time.Millisecond
)

// commandLine is "/name args". A path such as "/etc/passwd" is no command.
var commandLine = regexp.MustCompile(`(?s)^/(\pL[\pL\pN_-]*)(?:\s+(.*))?$`)

// inbound makes a message of what was typed. Its id is new for ever, since a restart of the program starts no new
// conversation.
func (c *Config) inbound(text string) (*channels.Inbound, error) {
	id, err := newMessageID()
	if err != nil {
		return nil, err
	}
	return &channels.Inbound{
		ID:           id,
		EventKey:     string(id),
		Conversation: channels.Conversation{Channel: c.Name, Chat: localChat},
		Sender:       c.User,
		Direct:       true,
		Text:         text,
		Command:      parseCommand(text),
		SentAt:       time.Now(),
	}, nil
}

func parseCommand(text string) *channels.Command {
	m := commandLine.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	return &channels.Command{Name: m[1], Args: m[2]}
}

// submit offers what was typed to h until h has stored it, at most submitTries times.
func (c *Config) submit(ctx context.Context, h channels.Handler, text string) error {
	in, err := c.inbound(text)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		if err = h(ctx, in); err == nil || try == submitTries || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * submitPause):
		}
	}
}

// notStored says in plain words what became of a message that no try could store.
func notStored(err error) string {
	return "Your message was not stored: " + sanitizeLine(err.Error())
}
