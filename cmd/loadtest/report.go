package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// report is what a run showed. Times are in nanoseconds in JSON.
type report struct {
	Options    options       `json:"-"`
	Messages   int           `json:"messages"` // answered
	Took       time.Duration `json:"took"`
	PerSecond  float64       `json:"per_second"`
	OwnP50     time.Duration `json:"own_p50"` // from delivery to the send of the answer, without the model's time
	OwnP95     time.Duration `json:"own_p95"`
	PeakMemory int64         `json:"peak_memory"` // bytes
	Stop       time.Duration `json:"stop"`        // from SIGTERM to the end
	Kills      int           `json:"kills"`
	Lost       []string      `json:"lost"`
	Doubled    int           `json:"doubled"` // answers that were shown more than once
	Strayed    []string      `json:"strayed"` // answers in a wrong place or order
	Violations []string      `json:"violations"`
}

// sum fills in what people saw.
func (p *people) sum(r *report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.PerSecond = float64(r.Messages) / r.Took.Seconds()
	slices.Sort(p.own)
	if n := len(p.own); n > 0 {
		r.OwnP50, r.OwnP95 = p.own[n/2], p.own[n*95/100]
	}
	for _, n := range p.seen {
		r.Doubled += n - 1
	}
	r.Strayed = p.strayed
	r.Violations = p.on.violations()
}

func (r *report) print(out io.Writer) error {
	database := "SQLite"
	if strings.HasPrefix(r.Options.database, "postgres") {
		database = "PostgreSQL"
	}
	_, err := fmt.Fprintf(out, `%s, %d conversations, sends take %s
answered      %d messages in %s: %.0f a second
bot's time    p50 %s, p95 %s (delivery to send, without the model)
memory        %.0f MB at most
stopped in    %s
kills         %d
lost          %d
doubled       %d
strayed       %d
violations    %d
`, database, r.Options.chats, r.Options.sendLatency, r.Messages, r.Took.Round(time.Millisecond), r.PerSecond,
		r.OwnP50.Round(10*time.Microsecond), r.OwnP95.Round(10*time.Microsecond), float64(r.PeakMemory)/(1<<20),
		r.Stop.Round(time.Millisecond), r.Kills, len(r.Lost), r.Doubled, len(r.Strayed), len(r.Violations))
	return err
}

// stopLimit is how long the bot may take to stop.
const stopLimit = 5 * time.Second

// verdict is an error when the bot did what it must not. A kill may double what was being sent in each conversation.
func (r *report) verdict() error {
	var errs []error
	complain := func(what string, cases []string) {
		if len(cases) > 0 {
			errs = append(errs, fmt.Errorf("%s: %s", what, strings.Join(cases[:min(len(cases), 5)], "; ")))
		}
	}
	complain("lost", r.Lost)
	complain("in a wrong place or order", r.Strayed)
	complain("against the rules of the Bot API", r.Violations)
	if r.Doubled > r.Kills*r.Options.chats {
		errs = append(errs, fmt.Errorf("%d answers were shown more than once after %d kills", r.Doubled, r.Kills))
	}
	if r.Stop > stopLimit {
		errs = append(errs, fmt.Errorf("stopping took %s", r.Stop))
	}
	return errors.Join(errs...)
}
