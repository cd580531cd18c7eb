package bot

import (
	"time"

	"github.com/leadhand/leadhand/channels"
)

// StopWord is the verb that ends what runs.
const StopWord = "stop"

// DropWaiting is a button that drops what waits. It is good for an hour from now: it does not mean what waits tomorrow.
func DropWaiting(now time.Time) channels.Button {
	return channels.Button{
		Text: "Drop what waits", Command: channels.Command{Name: StopWord, Args: "all"},
		Guard: channels.Guard{Expires: now.Add(time.Hour)},
	}
}
