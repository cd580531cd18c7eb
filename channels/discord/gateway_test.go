package discord_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels/discord"
)

// badGateway asks to reconnect as the first thing after a resume, at which the library locks itself up.
type badGateway struct {
	url string

	mu  sync.Mutex
	ops []int // identify (2) and resume (6), as they came
}

func newBadGateway(t *testing.T) *badGateway {
	g := &badGateway{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v9/gateway", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"url":"ws` + strings.TrimPrefix(g.url, "http") + `/ws"}`))
	})
	mux.HandleFunc("/ws/", g.serve)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func (g *badGateway) serve(w http.ResponseWriter, r *http.Request) {
	ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.Close() }()
	write := func(text string) { _ = ws.WriteMessage(websocket.TextMessage, []byte(text)) }
	write(`{"op":10,"d":{"heartbeat_interval":41250}}`)
	for {
		var p struct{ Op int }
		if ws.ReadJSON(&p) != nil {
			return
		}
		if p.Op != 2 && p.Op != 6 {
			continue
		}
		g.mu.Lock()
		g.ops = append(g.ops, p.Op)
		identified := len(g.ops)
		g.mu.Unlock()
		switch {
		case p.Op == 6:
			write(`{"op":7,"d":null}`)
		case identified == 1:
			write(`{"op":0,"t":"READY","s":1,"d":{"user":{"id":"1"},"session_id":"s","application":{"id":"1"}}}`)
			return
		default:
			write(`{"op":0,"t":"READY","s":1,"d":{"user":{"id":"1"},"session_id":"s2","application":{"id":"1"}}}`)
		}
	}
}

func TestAStuckSessionIsAbandoned(t *testing.T) {
	t.Parallel()
	g := newBadGateway(t)
	r := newRig(t)
	r.make(settings{"api_url": g.url})
	discord.Distrust(r.ch, 1500*time.Millisecond)
	stop := r.run()
	r.until("a new session is begun", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.ops) >= 3 && slices.Equal(g.ops[:3], []int{2, 6, 2})
	})
	r.waitFor("the session is stuck")
	stop()
}

func TestTheGuardLetsOneTryThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		left, answered := discord.Guard()
		if left() != 0 {
			t.Error("it guards a token that works")
		}
		answered(true)
		for _, wait := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
			wait *= time.Second
			if got := left(); got != wait {
				t.Errorf("calls must wait %v, not %v", got, wait)
			}
			time.Sleep(wait)
			if left() != 0 || left() == 0 {
				t.Error("not exactly one call was let through")
			}
			answered(true)
		}
		time.Sleep(5 * time.Minute)
		left()
		answered(false)
		if left() != 0 {
			t.Error("it still guards")
		}
	})
}

func TestWaitsBeforeConnectingAgain(t *testing.T) {
	t.Parallel()
	closed := func(code int) error { return &websocket.CloseError{Code: code} }
	type step struct {
		err    error
		ready  bool
		lasted time.Duration
		wait   time.Duration
		renew  bool
	}
	for name, steps := range map[string][]step{
		"no network": {
			{err: errors.New("x"), wait: time.Second}, {err: errors.New("x"), wait: 2 * time.Second},
			{err: errors.New("x"), wait: 4 * time.Second}, {err: errors.New("x"), wait: 8 * time.Second},
			{err: errors.New("x"), wait: 16 * time.Second}, {err: errors.New("x"), wait: 30 * time.Second},
		},
		"nothing can be resumed": {
			{err: closed(4000), wait: time.Second}, {err: closed(4000), wait: 2 * time.Second},
			{err: closed(4000), wait: 4 * time.Second, renew: true}, {err: closed(4000), wait: 8 * time.Second},
		},
		"a good connection": {
			{err: errors.New("x"), ready: true, lasted: time.Second, wait: time.Second},
			{err: errors.New("x"), ready: true, lasted: time.Second, wait: 2 * time.Second},
			{err: errors.New("x"), ready: true, lasted: time.Hour}, {err: errors.New("x"), wait: time.Second},
		},
		"a person has to act": {
			{err: closed(4004), wait: 30 * time.Second, renew: true}, {err: closed(4014), wait: time.Minute, renew: true},
			{err: closed(4010), wait: 2 * time.Minute, renew: true}, {err: closed(4013), wait: 4 * time.Minute, renew: true},
			{err: closed(4004), wait: 5 * time.Minute, renew: true},
		},
		"a session that is over": {
			{err: closed(4009), wait: time.Second, renew: true}, {err: closed(4007), wait: 2 * time.Second, renew: true},
			{err: closed(4000), wait: 4 * time.Second},
		},
	} {
		next := discord.Waits()
		for i, s := range steps {
			if wait, renew := next(s.err, s.ready, s.lasted); wait != s.wait || renew != s.renew {
				t.Errorf("%s: after %d: wait %v, renew %v", name, i, wait, renew)
			}
		}
	}
}
