package inbox

import "time"

// Past is a session that was ended and is kept.
type Past struct {
	ID       string
	Title    string // that people gave it, or how its first message begins; may be empty
	Began    time.Time
	Ended    time.Time
	Messages int // of people
}
