package telegram

import (
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Hurry lets previews follow each other without a wait, and gives messages up that can't be stored for d.
func Hurry(ch channels.Channel, d time.Duration) {
	c := ch.(*Channel)
	c.pace, c.giveUp = pace{}, d
}
