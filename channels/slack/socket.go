package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels"
)

const (
	openMethod   = "apps.connections.open"
	linkDisabled = "link_disabled" // why Slack ends connections when Socket Mode is switched off

	silence       = 30 * time.Second // Slack pings more often
	writeTime     = 5 * time.Second
	lingerTime    = 15 * time.Second // that a socket is still read after a new one was asked for
	goodbyeTime   = time.Second
	briefLife     = 10 * time.Second // a socket that lasts no longer did not work
	maxEnvelope   = 4 << 20          // bytes
	maxSocketAck  = 20 << 10         // bytes; Slack drops larger ones without a word
	socketWriting = 32 << 10         // bytes, so that an acknowledgement is one frame
)

// receive keeps a socket open until ctx is done. When Slack asks for a new one the old is read until it ends, so that
// nothing falls between them.
func (c *Channel) receive(ctx context.Context, r *running) {
	var reading sync.WaitGroup
	defer reading.Wait()
	for failures := 0; ctx.Err() == nil; {
		begun := time.Now()
		s, err := c.open(ctx)
		if err != nil {
			if ctx.Err() == nil {
				channels.Sleep(ctx, c.complain(ctx, err, failures))
			}
			failures++
			continue
		}
		ended := make(chan error, 1)
		reading.Go(func() { s.read(ctx, r, ended) })
		err = <-ended
		brief := time.Since(begun) < briefLife
		if s.greeted.Load() && !brief {
			failures = 0
		}
		switch {
		case err != nil && ctx.Err() == nil: // it was not only to be renewed
			channels.Sleep(ctx, c.complain(ctx, err, failures))
			failures++
		case brief: // one that is renewed at once would be renewed for ever
			channels.Sleep(ctx, channels.Backoff(failures, c.pace.retry, retryMax))
			failures++
		}
	}
}

// socket is one connection of Socket Mode.
type socket struct {
	c       *Channel
	ws      *websocket.Conn
	greeted atomic.Bool // Slack said hello
	ending  atomic.Bool // it is read until it ends, and no longer than that

	mu sync.Mutex // guards writing
}

// open asks for a connection and makes it.
func (c *Channel) open(ctx context.Context) (*socket, error) {
	var address string
	err := c.api.call(ctx, openMethod, "", func(ctx context.Context) (err error) {
		_, address, err = c.api.StartSocketModeContext(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	dialer := websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, HandshakeTimeout: dialTimeout, WriteBufferSize: socketWriting,
	}
	unhook := func() bool { return true }
	dialer.NetDialContext = func(dial context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(dial, network, addr)
		if err == nil { // the library does not end a handshake when ctx does
			unhook = context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
	ws, resp, err := dialer.DialContext(ctx, address, nil)
	unhook()
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil { // its text may hold the address, which lets anybody in
		f := &failure{method: "connect the socket", text: "no connection"}
		if errors.Is(err, websocket.ErrBadHandshake) && resp != nil {
			f.status, f.text = resp.StatusCode, "the handshake was refused"
		}
		return nil, f
	}
	ws.SetReadLimit(maxEnvelope)
	s := &socket{c: c, ws: ws}
	ws.SetPingHandler(func(data string) error {
		s.alive()
		err := ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(writeTime))
		if err != nil {
			c.env.Log.Debug("answer a ping of Slack", "err", c.api.hide(err.Error()))
		}
		return nil
	})
	return s, nil
}

// alive lets the socket be read for longer, because Slack was heard.
func (s *socket) alive() {
	if !s.ending.Load() {
		_ = s.ws.SetReadDeadline(time.Now().Add(silence))
	}
}

// read takes what comes over the socket until it ends. ended is told once when another socket is needed: nil when
// that is all in order.
func (s *socket) read(ctx context.Context, r *running, ended chan<- error) {
	defer func() { _ = s.ws.Close() }()
	defer context.AfterFunc(ctx, s.goodbye)()
	var working sync.WaitGroup
	defer working.Wait()
	told := false
	s.alive()
	for {
		_, data, err := s.ws.ReadMessage()
		if err != nil {
			if !told {
				ended <- fmt.Errorf("the connection to Slack ended: %w", err)
			}
			return
		}
		s.alive()
		e, err := decode[envelope](data)
		switch {
		case err != nil:
			s.c.leaveOut("socket", err)
		case e.Type == "hello":
			s.greeted.Store(true)
			s.c.env.Log.Info("Slack delivers over a socket")
		case e.Type == "disconnect":
			s.endIn(lingerTime)
			if !told {
				told = true
				ended <- s.why(e.Reason)
			}
		case ctx.Err() == nil:
			s.take(ctx, r, e, &working)
		}
	}
}

// endIn bounds for how long the socket is still read.
func (s *socket) endIn(d time.Duration) {
	s.ending.Store(true)
	_ = s.ws.SetReadDeadline(time.Now().Add(d))
}

// goodbye tells Slack to deliver elsewhere, and lets it answer.
func (s *socket) goodbye() {
	s.endIn(goodbyeTime)
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := s.ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(goodbyeTime)); err != nil {
		_ = s.ws.Close()
	}
}

// why is the fault behind a connection's end; nil when Slack only wants it anew.
func (s *socket) why(reason string) error {
	s.c.env.Log.Info("Slack ends a connection", "reason", reason)
	if reason == linkDisabled {
		return &failure{method: "socket", code: linkDisabled, status: http.StatusOK, text: "Socket Mode is disabled"}
	}
	return nil
}

// take does what a delivery asks for, in the order of its lane. Without an acknowledgement Slack delivers it again.
func (s *socket) take(ctx context.Context, r *running, e *envelope, working *sync.WaitGroup) {
	d := delivery{kind: e.Type, payload: e.Payload, patience: ackPatience}
	if d.kind == kindEvent {
		d.patience = eventPatience
	}
	j := s.c.job(r, d)
	turn, leave, ok := s.c.lanes.enter(j.lane)
	if !ok {
		s.c.env.Log.Warn("too much comes at once: a delivery is left to come again", "kind", e.Type)
		return
	}
	working.Go(func() {
		defer leave()
		select {
		case <-turn:
		case <-ctx.Done():
			return
		}
		answer, err := s.c.run(ctx, j)
		if err != nil {
			return
		}
		if e.ID != "" {
			s.acknowledge(e.ID, answer.payload)
		}
		s.c.goOn(r, answer)
	})
}

func (s *socket) acknowledge(id string, payload any) {
	data, err := json.Marshal(struct {
		ID      string `json:"envelope_id"`
		Payload any    `json:"payload,omitempty"`
	}{id, payload})
	if err == nil && len(data) >= maxSocketAck {
		data, err = json.Marshal(map[string]string{"envelope_id": id})
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.ws.SetWriteDeadline(time.Now().Add(writeTime))
		err = s.ws.WriteMessage(websocket.TextMessage, data)
	}
	if err != nil {
		s.c.env.Log.Debug("acknowledge a delivery", "err", s.c.api.hide(err.Error()))
	}
}
