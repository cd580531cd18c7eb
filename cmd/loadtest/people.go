package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// people write to the bot and take note of what comes back.
type people struct {
	on    messenger
	model *model

	mu      sync.Mutex
	places  []place
	sent    map[string]time.Time     // by message
	seen    map[string]int           // how often each was answered
	first   map[string]chan struct{} // closed at the first answer
	latest  map[string]int           // the number that was answered last, by conversation
	strayed []string                 // answers in another conversation, or out of order
	own     []time.Duration          // the bot's own time for each answer
}

func newPeople(on messenger, m *model, places []place) *people {
	return &people{
		on: on, model: m, places: places, sent: map[string]time.Time{}, seen: map[string]int{},
		first: map[string]chan struct{}{}, latest: map[string]int{},
	}
}

func name(at place, n int) string { return fmt.Sprintf("m-%d-%d", at.number, n) }

// write sends a message and waits until it is answered.
func (p *people) write(ctx context.Context, at place, n int) error {
	what := name(at, n)
	answered := make(chan struct{})
	p.mu.Lock()
	p.first[what], p.sent[what] = answered, time.Now()
	p.mu.Unlock()
	if err := p.on.say(at, what+" please"); err != nil {
		return err
	}
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s was not answered: %w", what, context.Cause(ctx))
	}
}

// note takes in what the bot posted somewhere.
func (p *people) note(where, text string, when time.Time) {
	names := marker.FindAllString(text, -1)
	if !strings.HasPrefix(text, "answer to") || len(names) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, what := range names {
		p.seen[what]++
		var at, n int
		_, err := fmt.Sscanf(what, "m-%d-%d", &at, &n)
		if err != nil || at >= len(p.places) || p.places[at].String() != where || p.seen[what] == 1 && n < p.latest[where] {
			p.strayed = append(p.strayed, what+" in "+where)
		}
		p.latest[where] = max(n, p.latest[where])
		if c := p.first[what]; c != nil {
			p.own = append(p.own, when.Sub(p.sent[what])-p.model.time(what))
			close(c)
			delete(p.first, what)
		}
	}
}
