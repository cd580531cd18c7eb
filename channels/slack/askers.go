package slack

import "github.com/leadhand/leadhand/channels"

// asker is the person for whom an answer is written. Slack wants to know it before it shows an answer that grows.
type asker struct{ user, team string }

// asked remembers who wrote a message.
func (c *Channel) asked(chat string, id channels.MessageID, who asker) {
	if id != "" && who.user != "" && who.team != "" {
		c.askers.keep(messageKey(chat, id), who)
	}
}
