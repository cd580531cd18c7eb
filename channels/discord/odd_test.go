package discord_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels/discord"
)

func TestPressesDoNotShareABudget(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.Contains(q.URL.Path, "/callback") {
			n.Add(1)
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset-After", "5")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		fmt.Fprint(w, `[]`)
	}))
	defer srv.Close()
	r := newRig(t)
	r.make(settings{"api_url": srv.URL})
	discord.Deliver(t.Context(), r.ch, "READY", []byte(`{"user":{"id":"1"},"application":{"id":"1"}}`), r.handle)
	for i := range 2 {
		began := time.Now()
		raw := fmt.Sprintf(`{"id":"88%d","token":"tok%d","type":3,"channel_id":"`+roomID+`","channel":{"id":"`+roomID+`","type":0},"user":{"id":"501","username":"ann"},"data":{"custom_id":"TOKEN00001"}}`, i, i)
		discord.Deliver(t.Context(), r.ch, "INTERACTION_CREATE", []byte(raw), r.handle)
		if d := time.Since(began); d > time.Second {
			t.Errorf("interaction %d was answered after %v", i, d)
		}
	}
}

func TestReadyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	var url string
	mux.HandleFunc("GET /api/v9/gateway", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"url":"ws` + strings.TrimPrefix(url, "http") + `/ws"}`))
	})
	mux.HandleFunc("/ws/", func(w http.ResponseWriter, q *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, q, nil)
		if err != nil {
			return
		}
		_ = ws.WriteMessage(1, []byte(`{"op":10,"d":{"heartbeat_interval":41250}}`))
		_, _, _ = ws.ReadMessage()
		_ = ws.WriteMessage(1, []byte(`{"op":0,"t":"READY","s":1,"d":{"user":{"id":"x1"},"session_id":"s"}}`))
		_, _, _ = ws.ReadMessage()
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	url = srv.URL
	r := newRig(t)
	r.make(settings{"api_url": url})
	stop := r.run()
	<-time.After(500 * time.Millisecond)
	stop()
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		strings.Repeat("😀", 5000), strings.Repeat("a👩‍👩‍👧‍👦`b`", 900), "```go\n" + strings.Repeat("x := \"`\"😀\n", 600) + "```",
		strings.Repeat("*", 4100), strings.Repeat("\\", 4100), "> " + strings.Repeat("q ", 3000), "| a | b |\n|--|--|\n" + strings.Repeat("| "+strings.Repeat("z", 300)+" | y |\n", 20),
		strings.Repeat("[l](https://e.example/"+strings.Repeat("p", 1900)+") ", 4), "- " + strings.Repeat("deep ", 900) + "\n  - x",
	} {
		for _, p := range discord.Format(s, 2000) {
			u := 0
			for _, c := range p {
				u++
				if c > 0xffff {
					u++
				}
				if c == '\uFFFD' {
					t.Errorf("broken in %.30q", s)
				}
			}
			if u > 2000 || strings.TrimSpace(p) == "" {
				t.Errorf("%d units of %.30q", u, s)
			}
			if strings.Count(p, "```")%2 != 0 {
				t.Errorf("open fence in %.30q", s)
			}
		}
	}
}
