package slack

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/leadhand/leadhand/channels"
)

// botID is the id of a bot, or of the user that a bot is too.
var botID = regexp.MustCompile(`^[BUW][A-Z0-9]+$`)

// checkBots finds names in the place of ids.
func checkBots(ids []string) error {
	for _, id := range ids {
		if !botID.MatchString(id) {
			return fmt.Errorf("bots: %q is no id: write the bot's user id (U…) or bot id (B…)", id)
		}
	}
	return nil
}

// writer is who wrote a message.
type writer struct {
	id  string
	bot bool
}

// writer tells who wrote a message; ok is false when that is nobody to listen to: this bot itself, and others that the
// settings do not name. Bots that answer each other never stop.
func (c *Channel) writer(m *message) (w writer, ok bool) {
	me := c.me.Load()
	trusted := c.bots[m.User] || c.bots[m.BotID]
	switch {
	case m.User == me.user, m.BotID != "" && m.BotID == me.bot, m.User == "USLACKBOT":
		return writer{}, false
	case trusted && (m.Subtype == "bot_message" || slices.Contains(written, m.Subtype)):
		return writer{cmp.Or(m.User, m.BotID), true}, true
	case trusted, m.BotID != "", m.User == "":
		return writer{}, false
	}
	return writer{m.User, false}, slices.Contains(written, m.Subtype)
}

// sender is who wrote a message, by name. Bots may call themselves something else in each message.
func (c *Channel) sender(ctx context.Context, m *message, w writer) channels.Sender {
	s := channels.Sender{ID: channels.UserID(w.id), Bot: w.bot, Name: m.Username}
	if s.Name == "" || !w.bot {
		s.Name = cmp.Or(c.called(ctx, m.User), w.id)
	}
	return s
}
