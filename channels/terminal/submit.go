package terminal

import (
	"context"
	"regexp"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// localChat is the only chat of a terminal.
const localChat channels.ChatID = "local"

// A handler that fails is tried again after a pause that grows. At the editor, where a person waits, three tries are
// made; a pipe waits as long as it takes.
const (
	submitTries    = 3
	submitPause    = 300 * time.Millisecond
	submitPauseMax = 15 * time.Second
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

// submit offers what was typed to h until h has stored it, at most tries times; 0 is without limit. waits, if not nil,
// is called when the first try has failed.
func (c *Config) submit(ctx context.Context, h channels.Handler, text string, tries int, waits func(error)) error {
	in, err := c.inbound(text)
	if err != nil {
		return err
	}
	pause := submitPause
	for try := 1; ; try++ {
		if err = h(ctx, in); err == nil || try == tries || ctx.Err() != nil {
			return err
		}
		if try == 1 && waits != nil {
			waits(err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		pause = min(2*pause, submitPauseMax)
	}
}

// What a person is told; why it is so stands in the log.
const (
	notStored  = "Your message was not stored, so nobody will answer it. Please send it again."
	notYet     = "Your message cannot be stored right now; trying again until it is."
	storedLate = "Your message is stored now."
)
