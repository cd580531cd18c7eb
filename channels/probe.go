package channels

import "context"

// Prober is the ability to find out whether a connection is set up well. It asks the platform and changes nothing.
type Prober interface {
	// Probe checks the channel, running or not. ctx bounds it.
	Probe(ctx context.Context) []Finding
}

// Level is how bad a finding is.
type Level string

// Levels of findings.
const (
	OK   Level = "OK"
	Warn Level = "WARN" // it works, but not all of it
	Fail Level = "FAIL"
)

// Finding is one thing that was checked, in one line each. It never holds a secret.
type Finding struct {
	Level Level
	What  string // "bot token: @opsbot"
	Fix   string // what to do about it, exactly; empty when all is well
}
