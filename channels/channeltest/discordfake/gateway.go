package discordfake

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Gateway opcodes.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatACK   = 11
)

// Intents that gate events of a fake.
const (
	IntentGuilds                = 1 << 0
	IntentGuildMembers          = 1 << 1
	IntentGuildPresences        = 1 << 8
	IntentGuildMessages         = 1 << 9
	IntentGuildMessageReactions = 1 << 10
	IntentDirectMessages        = 1 << 12
	IntentDirectReactions       = 1 << 13
	IntentMessageContent        = 1 << 15

	privilegedIntents = IntentGuildMembers | IntentGuildPresences | IntentMessageContent
	allIntents        = 1<<26 - 1
)

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	call := fakekit.Call{
		Time: time.Now(), Method: "GATEWAY connect", Verb: r.Method, Path: r.URL.RequestURI(), Params: fakekit.Object{},
		Header: r.Header, Status: http.StatusSwitchingProtocols,
	}
	for k := range query {
		call.Params[k] = query.Get(k)
	}
	if v := query.Get("v"); v != "" && v != "9" && v != "10" {
		call.Violations = append(call.Violations, "unsupported gateway version "+v)
	}
	if query.Get("compress") != "" {
		call.Violations = append(call.Violations, "the fake has no transport compression")
	}
	fault, faulty := s.TakeFault(call.Method, "")
	if faulty {
		call.Fault = fault.Name()
		fakekit.Pause(r.Context(), fault.Delay)
	}
	if fault.Drop || fault.Status != 0 {
		call.Status = fault.Status
		s.Add(call)
		if fault.Drop {
			fakekit.Drop(w)
		} else {
			w.WriteHeader(fault.Status)
		}
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	s.Add(call)
	c := &conn{ws: ws}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		ws.Close()
		return
	}
	s.background.Add(1)
	s.conns[c] = true
	s.mu.Unlock()
	defer s.background.Done()
	defer func() {
		ws.Close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	c.op(opHello, fakekit.Object{
		"heartbeat_interval": s.opts.heartbeatInterval.Milliseconds(), "_trace": []string{"fake"},
	})
	s.readGateway(c)
}

func (s *Server) readGateway(c *conn) {
	var ses *session
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if ses != nil && ses.conn == c {
			ses.conn = nil
		}
	}()
	for {
		// A missed heartbeat ends the connection.
		c.ws.SetReadDeadline(time.Now().Add(2 * s.opts.heartbeatInterval)) //nolint:errcheck // the read fails then
		var p payload
		err := c.ws.ReadJSON(&p)
		c.mu.Lock()
		closing := c.closing
		c.mu.Unlock()
		final := websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway)
		if final && ses != nil && !closing {
			// A client that closes with these codes ends the session for good.
			s.mu.Lock()
			delete(s.sessions, ses.id)
			s.mu.Unlock()
		}
		if err != nil {
			s.Add(fakekit.Call{Time: time.Now(), Method: "GATEWAY disconnect", Params: fakekit.Object{"reason": err.Error()}})
			return
		}
		switch p.Op {
		case opHeartbeat:
			s.mu.Lock()
			paused := s.paused
			s.heartbeats++
			s.mu.Unlock()
			if !paused {
				c.op(opHeartbeatACK, nil)
			}
		case opIdentify:
			if ses != nil {
				c.close(4005, "Already authenticated.")
				return
			}
			if ses = s.identify(c, p.D); ses == nil {
				return
			}
		case opResume:
			if ses = s.resume(c, p.D); ses == nil {
				continue // the client may identify now
			}
		case 3, 4, 8, 31, 43:
			s.Add(fakekit.Call{
				Time: time.Now(), Method: "GATEWAY op" + strconv.Itoa(p.Op), Params: fakekit.Object{"d": string(p.D)},
			})
		default:
			s.Violate("GATEWAY", "unknown opcode %d", p.Op)
			c.close(4001, "Unknown opcode.")
			return
		}
	}
}

func (s *Server) identify(c *conn, data json.RawMessage) *session {
	var d struct {
		Token          string            `json:"token"`
		Intents        *int              `json:"intents"`
		Compress       bool              `json:"compress"`
		LargeThreshold *int              `json:"large_threshold"`
		Properties     map[string]string `json:"properties"`
	}
	call := fakekit.Call{Time: time.Now(), Method: "GATEWAY identify", Params: fakekit.Object{}}
	if err := json.Unmarshal(data, &d); err != nil {
		call.Violations = append(call.Violations, err.Error())
	}
	json.Unmarshal(data, &call.Params) //nolint:errcheck // checked above
	if d.Intents == nil {
		call.Violations = append(call.Violations, "intents are missing")
	}
	if len(d.Properties) == 0 {
		call.Violations = append(call.Violations, "properties are missing")
	}
	if n := d.LargeThreshold; n != nil && (*n < 50 || *n > 250) {
		call.Violations = append(call.Violations, "large_threshold must be between 50 and 250")
	}
	// The call is logged when the session is there.
	defer func() { s.Add(call) }()
	switch {
	case d.Token != s.Token && d.Token != "Bot "+s.Token:
		c.close(4004, "Authentication failed.")
		return nil
	case d.Intents == nil || *d.Intents < 0 || *d.Intents > allIntents:
		c.close(4013, "Invalid intent(s).")
		return nil
	case *d.Intents&s.opts.deniedIntents != 0:
		c.close(4014, "Disallowed intent(s).")
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identifies++
	c.compress = d.Compress
	ses := &session{id: "session" + s.newID(), intents: *d.Intents, compress: d.Compress, conn: c}
	s.sessions[ses.id] = ses
	var guilds []any
	for _, id := range slices.Sorted(maps.Keys(s.guilds)) {
		guilds = append(guilds, fakekit.Object{"id": id, "unavailable": true})
	}
	ses.dispatch("READY", fakekit.Object{
		"v": 10, "user": s.self(), "guilds": orEmpty(guilds), "session_id": ses.id, "session_type": "normal",
		"private_channels":   []any{},
		"resume_gateway_url": s.gatewayURL() + "/resume", "shard": []int{0, 1},
		"application": fakekit.Object{"id": s.AppID(), "flags": 1 << 18},
	})
	if ses.intents&IntentGuilds != 0 {
		for _, id := range slices.Sorted(maps.Keys(s.guilds)) {
			ses.dispatch("GUILD_CREATE", s.guildCreate(id))
		}
	}
	return ses
}

func (s *Server) resume(c *conn, data json.RawMessage) *session {
	var d struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Seq       int    `json:"seq"`
	}
	call := fakekit.Call{Time: time.Now(), Method: "GATEWAY resume", Params: fakekit.Object{}}
	if err := json.Unmarshal(data, &d); err != nil {
		call.Violations = append(call.Violations, err.Error())
	}
	json.Unmarshal(data, &call.Params) //nolint:errcheck // checked above
	defer func() { s.Add(call) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.sessions[d.SessionID]
	if ses == nil || s.refuseResume || d.Seq > ses.seq {
		s.refuseResume = false
		c.op(opInvalidSession, false)
		return nil
	}
	c.compress = ses.compress
	ses.conn = c
	for _, p := range ses.buffer {
		if *p.S > d.Seq {
			c.send(p)
		}
	}
	ses.dispatch("RESUMED", fakekit.Object{})
	return ses
}
