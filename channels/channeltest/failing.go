package channeltest

import (
	"errors"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

func faultCases(room func(p *Platform) bool) []testCase {
	fails := func(p *Platform) bool { return p.Fail != nil }
	return []testCase{
		{"what arrives while down", room, (*exercise).down},
		{"what the program could not store", room, (*exercise).refused},
		{"a broken connection", func(p *Platform) bool { return p.Break != nil }, (*exercise).broken},
		{"a revoked token", func(p *Platform) bool { return p.Revoke != nil }, (*exercise).revoked},
		{"too many sends", fails, (*exercise).tooMany},
		{"a server that fails", fails, (*exercise).serverError},
		{"an answer that is lost", fails, (*exercise).noAnswer},
		{"no right to write", fails, (*exercise).noRight},
		{"nothing to send", room, (*exercise).nothing},
	}
}

// down: what is written while the program does not run is received at the next start, unless the platform keeps
// nothing.
func (e *exercise) down() {
	e.say(e.p.Direct, "before")
	e.next()
	e.stop()
	e.say(e.p.Direct, "meanwhile")
	e.start()
	e.say(e.p.Direct, "after")
	for in := e.next(); in.Text != "after"; in = e.next() {
		if in.Text != "meanwhile" {
			e.Errorf("received %q", in.Text)
		}
	}
}

// refused: what could not be stored comes again, before what follows it.
func (e *exercise) refused() {
	e.mu.Lock()
	e.refuse = 3
	e.mu.Unlock()
	e.say(e.p.Direct, "one")
	e.say(e.p.Direct, "two")
	for _, want := range []string{"one", "two"} {
		if in := e.next(); in.Text != want {
			e.Errorf("received %q, want %q", in.Text, want)
		}
	}
}

func (e *exercise) broken() {
	for range 3 {
		e.say(e.p.Direct, "before")
		e.next()
		e.p.Break(e.T)
		e.say(e.p.Direct, "after")
		if in := e.next(); in.Text != "after" {
			e.Errorf("received %q", in.Text)
		}
	}
}

// revoked: the program waits for a token that works.
func (e *exercise) revoked() {
	e.p.Revoke(e.T, true)
	_, err := e.try("lost")
	if ce, ok := errors.AsType[*channels.Error](err); !ok || ce.Terminal {
		e.Errorf("a send with a revoked token: %v", err)
	}
	e.p.Revoke(e.T, false)
	end := time.Now().Add(patience)
	for {
		if _, err = e.try("found"); err == nil || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		e.Errorf("with a token that works again: %v", err)
	}
}

// try sends a text to the direct chat.
func (e *exercise) try(text string) (channels.MessageID, error) {
	m := &channels.Outbound{Conversation: e.p.Direct, Text: text}
	e.key(m)
	return e.ch.Send(e.Context(), m)
}

// retry sends m again until that succeeds, as the outbox does.
func (e *exercise) retry(m *channels.Outbound, err error) {
	e.Helper()
	for attempts := 0; err != nil; attempts++ {
		ce, ok := errors.AsType[*channels.Error](err)
		if !ok || ce.Terminal || attempts == 10 {
			e.Fatalf("attempt %d: %v", attempts+1, err)
		}
		if ce.RetryAfter > 5*time.Second {
			e.Fatalf("wait %s: %v", ce.RetryAfter, err)
		}
		select {
		case <-time.After(max(ce.RetryAfter, 50*time.Millisecond)):
		case <-e.Context().Done():
			return
		}
		m.Attempt.Unsure = m.Attempt.Unsure || !ce.NotTaken
		_, err = e.ch.Send(e.Context(), m)
	}
}

// failing sends once under a failure and returns what came of it.
func (e *exercise) failing(how Failure, m *channels.Outbound) *channels.Error {
	e.Helper()
	e.key(m)
	e.p.Fail(e.T, how)
	_, err := e.ch.Send(e.Context(), m)
	if err == nil { // the adapter tried again by itself
		return nil
	}
	ce, ok := errors.AsType[*channels.Error](err)
	if !ok {
		e.Fatalf("got %v, want a *channels.Error", err)
	}
	return ce
}

func (e *exercise) tooMany() {
	m := &channels.Outbound{Conversation: e.p.Room, Text: "once"}
	ce := e.failing(TooMany, m)
	if ce != nil && (!ce.NotTaken || ce.Terminal || ce.RetryAfter <= 0) {
		e.Errorf("got %+v", ce)
	}
	if ce != nil {
		e.retry(m, ce)
	}
	e.wantTexts(e.p.Room, "once")
}

func (e *exercise) serverError() {
	m := &channels.Outbound{Conversation: e.p.Room, Text: "once"}
	if ce := e.failing(ServerError, m); ce != nil {
		e.retry(m, ce)
	}
	e.wantTexts(e.p.Room, "once")
}

// noAnswer: it is known that nothing is known, and the message is shown once more at most.
func (e *exercise) noAnswer() {
	m := &channels.Outbound{Conversation: e.p.Room, Text: "hello"}
	ce := e.failing(NoAnswer, m)
	if ce != nil && (ce.NotTaken || ce.Terminal) {
		e.Errorf("got %+v", ce)
	}
	if ce != nil {
		e.retry(m, ce)
	}
	if got := e.texts(e.p.Room); len(got) < 1 || len(got) > 2 || strings.Trim(strings.Join(got, ""), "helo") != "" {
		e.Errorf("shown %q", got)
	}
}

func (e *exercise) noRight() {
	ce := e.failing(NoRight, &channels.Outbound{Conversation: e.p.Room, Text: "hello"})
	if ce == nil || !ce.Terminal || !ce.NotTaken || !ce.Gone {
		e.Errorf("got %+v", ce)
	}
}

func (e *exercise) nothing() {
	m := &channels.Outbound{Conversation: e.p.Room, Text: " \n"}
	e.key(m)
	if _, err := e.ch.Send(e.Context(), m); err == nil {
		e.Error("a message without content was sent")
	}
}
