package slack

import (
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Hurry lets things follow each other without long waits.
func Hurry(ch channels.Channel) {
	ch.(*Channel).pace = pace{retry: 10 * time.Millisecond, fault: 10 * time.Millisecond, store: time.Millisecond}
}

// Read gives tests outside of the package what a text is to people.
func Read(text, me string, name func(string) string) (string, bool) {
	w := read(text, me, name)
	return w.text, w.mentioned
}

// Format and Mrkdwn give tests outside of the package what Markdown becomes.
var (
	Format = format
	Mrkdwn = mrkdwn
)

// Via is what is kept of a response URL.
func Via(ch channels.Channel, user, url string) string { return ch.(*Channel).viaOf(user, url) }
