package discord

import (
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limits is until when Discord wants to be left alone. A call before would only make the wait longer, and too many of
// them block the address. The zero value is ready to use.
type limits struct {
	mu    sync.Mutex
	all   time.Time            // nothing may be called
	chats map[string]time.Time // nothing may be called in a channel, by its id
	spent map[string]time.Time // a route's budget is used up
	shut  map[string]time.Time // channels where the bot has no right: what nobody would miss is not tried
}

// shutFor is how long a missing right is remembered; an admin may mend it.
const shutFor = time.Minute

// wait keeps calls away from a channel, or all calls.
func (l *limits) wait(chat string, d time.Duration, global bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case global:
		l.all = time.Now().Add(d)
	case chat != "":
		mark(&l.chats, chat, d)
	}
}

// mark notes a time from now, and forgets those that are over.
func mark(m *map[string]time.Time, key string, d time.Duration) {
	now := time.Now()
	maps.DeleteFunc(*m, func(_ string, t time.Time) bool { return t.Before(now) })
	if *m == nil {
		*m = map[string]time.Time{}
	}
	(*m)[key] = now.Add(d)
}

// left is how long a channel must still be left alone.
func (l *limits) left(chat string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.all), time.Until(l.chats[chat]))
}

// spend reads from an answer whether the route's budget is used up.
func (l *limits) spend(route string, answer http.Header) {
	if answer.Get("X-RateLimit-Remaining") != "0" {
		return
	}
	if d, ok := seconds(answer.Get("X-RateLimit-Reset-After")); ok && d > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		mark(&l.spent, route, d)
	}
}

// budget is how long a route has no budget.
func (l *limits) budget(route string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.spent[route]))
}

// close remembers that the bot may not act in a channel.
func (l *limits) close(chat string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mark(&l.shut, chat, shutFor)
}

// reopen forgets that the bot may not act in a channel.
func (l *limits) reopen(chat string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.shut, chat)
}

func (l *limits) closed(chat string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.shut[chat])
}

// guard stops all calls after the token was refused. Now and then one may try whether it works again.
type guard struct {
	mu   sync.Mutex
	wait time.Duration // between tries; 0 while the token works
	next time.Time
}

const (
	guardLow  = 5 * time.Second
	guardHigh = 5 * time.Minute
)

// left is how long no call may be made; 0 lets one through.
func (g *guard) left() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.wait == 0 {
		return 0
	}
	if left := time.Until(g.next); left > 0 {
		return left
	}
	g.next = time.Now().Add(g.wait)
	return 0
}

// answered learns from an answer whether the token works.
func (g *guard) answered(refused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !refused {
		g.wait = 0
		return
	}
	g.wait = min(max(2*g.wait, guardLow), guardHigh)
	g.next = time.Now().Add(g.wait)
}

// seconds reads a number of seconds, which may have a fraction.
func seconds(s string) (time.Duration, bool) {
	const most = 24 * 60 * 60
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || n > most {
		return 0, false
	}
	return time.Duration(n * float64(time.Second)), true
}
