package slackfake

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

type socket struct {
	ws      *websocket.Conn
	mu      sync.Mutex
	retired bool // the app was told to renew it; guarded by the server's mutex
}

// nextSocket returns the connection for the next delivery, nil if there is
// none. Connections take turns, and those that end soon get nothing new.
func (s *Server) nextSocket() *socket {
	var open []*socket
	for _, k := range s.sockets {
		if !k.retired {
			open = append(open, k)
		}
	}
	if len(open) == 0 {
		return nil
	}
	s.next++
	return open[s.next%len(open)]
}

func (k *socket) send(v any) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ws.SetWriteDeadline(time.Now().Add(5 * time.Second)) //nolint:errcheck // the write fails then
	return k.ws.WriteJSON(v)
}

func (s *Server) openConnection(fakekit.Call) (fakekit.Object, error) {
	ticket := s.newID("ticket")
	s.tickets[ticket] = true
	return fakekit.Object{
		"url": "ws" + strings.TrimPrefix(s.URL, "http") + "/link/?ticket=" + ticket + "&app_id=" + AppID,
	}, nil
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	valid := s.tickets[ticket] && !s.closed
	delete(s.tickets, ticket) // a URL works once
	s.mu.Unlock()
	if !valid {
		s.Violate("socket", "connected with an unknown or used ticket")
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	k := &socket{ws: ws}
	ws.SetCloseHandler(func(code int, _ string) error {
		s.forget(k) // nothing is sent to a connection that said goodbye
		bye := websocket.FormatCloseMessage(code, "")
		ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second)) //nolint:errcheck // the app is gone
		return nil
	})
	// What waits for a connection is sent over it before anything newer.
	s.mu.Lock()
	before, sent := s.lastSent, make(chan struct{})
	s.lastSent = sent
	s.mu.Unlock()
	if before != nil {
		<-before
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		close(sent)
		ws.Close()
		return
	}
	s.sockets = append(s.sockets, k)
	count, waiting := len(s.sockets), s.pending
	s.pending = nil
	s.background.Add(2)
	s.mu.Unlock()
	s.Add(fakekit.Call{
		Time: time.Now(), Method: "socket", Verb: r.Method, Path: r.URL.Path, Status: http.StatusSwitchingProtocols,
	})
	k.send(fakekit.Object{ //nolint:errcheck // the reader notices
		"type": "hello", "num_connections": count, "connection_info": fakekit.Object{"app_id": AppID},
		"debug_info": fakekit.Object{"host": "applink-fake", "build_number": 1, "approximate_connection_time": 18060},
	})
	done := make(chan struct{})
	go func() {
		defer s.background.Done()
		s.ping(k, done)
	}()
	for _, d := range waiting {
		s.transmit(d)
	}
	close(sent)
	defer s.background.Done()
	s.readSocket(k)
	close(done)
	ws.Close()
	s.forget(k)
}

func (s *Server) forget(k *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets = slices.DeleteFunc(s.sockets, func(other *socket) bool { return other == k })
}

func (s *Server) ping(k *socket, done chan struct{}) {
	for {
		k.mu.Lock()
		deadline := time.Now().Add(time.Second)
		k.ws.WriteControl(websocket.PingMessage, []byte("ping"), deadline) //nolint:errcheck // the reader notices
		k.mu.Unlock()
		select {
		case <-time.After(s.opts.pingInterval):
		case <-done:
			return
		}
	}
}

func (s *Server) readSocket(k *socket) {
	for {
		_, data, err := k.ws.ReadMessage()
		if err != nil {
			return
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(data, &ack); err != nil || ack.EnvelopeID == "" {
			s.Violate("socket", "message without envelope_id: %.80s", data)
			continue
		}
		if len(data) >= 20*1024 {
			s.Violate("socket", "acknowledgement of %d bytes, 20 KiB and more is dropped", len(data))
			continue
		}
		s.acknowledge(ack.EnvelopeID, http.StatusOK, ack.Payload)
	}
}

// Sockets returns how many Socket Mode connections are open.
func (s *Server) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}

// Disconnect asks the app to renew its connections, with a reason such as
// "refresh_requested", "warning" or "link_disabled". Except after a warning,
// deliveries wait for the new ones.
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	socks := slices.Clone(s.sockets)
	for _, k := range socks {
		k.retired = reason != "warning"
	}
	s.mu.Unlock()
	for _, k := range socks {
		k.send(fakekit.Object{ //nolint:errcheck // closing
			"type": "disconnect", "reason": reason, "debug_info": fakekit.Object{"host": "applink-fake"},
		})
	}
}

// DropSockets closes the TCP connections.
func (s *Server) DropSockets() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sockets {
		k.ws.Close()
	}
	s.sockets = nil
}
