package discordfake

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
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

// session is a gateway session, which outlives its connections.
type session struct {
	id       string
	intents  int
	compress bool
	seq      int
	buffer   []payload // all dispatches, for resuming
	conn     *conn
}

type payload struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
	S  *int            `json:"s"`
	T  *string         `json:"t"`
}

// conn is one websocket.
type conn struct {
	ws       *websocket.Conn
	mu       sync.Mutex
	compress bool
	closing  bool // the server has sent a close frame
}

func (c *conn) send(p payload) {
	data, err := json.Marshal(p)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ws.SetWriteDeadline(time.Now().Add(5 * time.Second)) //nolint:errcheck // the write fails then
	if c.compress && len(data) > 1024 {
		var buf bytes.Buffer
		z := zlib.NewWriter(&buf)
		z.Write(data) //nolint:errcheck // a buffer
		z.Close()
		c.ws.WriteMessage(websocket.BinaryMessage, buf.Bytes()) //nolint:errcheck // the reader notices
		return
	}
	c.ws.WriteMessage(websocket.TextMessage, data) //nolint:errcheck // the reader notices
}

func (c *conn) op(op int, d any) {
	data, _ := json.Marshal(d)
	c.send(payload{Op: op, D: data})
}

// close sends a close frame with a code.
func (c *conn) close(code int, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text), time.Now().Add(time.Second)) //nolint:errcheck // closing
	c.ws.Close()
}

// drop closes the TCP connection.
func (c *conn) drop() { c.ws.Close() }

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	call := fakekit.Call{Time: time.Now(), Method: "GATEWAY connect", Verb: r.Method, Path: r.URL.RequestURI(), Params: fakekit.Object{}, Header: r.Header, Status: http.StatusSwitchingProtocols}
	for k := range query {
		call.Params[k] = query.Get(k)
	}
	if v := query.Get("v"); v != "" && v != "9" && v != "10" {
		call.Violations = append(call.Violations, "unsupported gateway version "+v)
	}
	if query.Get("compress") != "" {
		call.Violations = append(call.Violations, "the fake has no transport compression")
	}
	fault, faulty := s.TakeFault(call.Method)
	if faulty && (fault.Drop || fault.Status != 0) {
		call.Fault, call.Status = fault.Name(), fault.Status
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
	c.op(opHello, fakekit.Object{"heartbeat_interval": s.opts.heartbeatInterval.Milliseconds(), "_trace": []string{"fake"}})
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
		if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) && ses != nil && !closing {
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
			s.Add(fakekit.Call{Time: time.Now(), Method: "GATEWAY op" + strconv.Itoa(p.Op), Params: fakekit.Object{"d": string(p.D)}})
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
		"v": 10, "user": s.self(), "guilds": orEmpty(guilds), "session_id": ses.id, "session_type": "normal", "private_channels": []any{},
		"resume_gateway_url": s.gatewayURL() + "/resume", "shard": []int{0, 1}, "application": fakekit.Object{"id": s.AppID(), "flags": 1 << 18},
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

// dispatch sends an event on a session, or keeps it for resuming.
func (ses *session) dispatch(t string, d any) {
	data, err := json.Marshal(d)
	if err != nil {
		return
	}
	ses.seq++
	seq := ses.seq
	p := payload{Op: opDispatch, D: data, S: &seq, T: &t}
	if t != "RESUMED" {
		ses.buffer = append(ses.buffer, p)
	}
	if ses.conn != nil {
		ses.conn.send(p)
	}
}

// intentFor returns the intent that an event needs, 0 for none.
func intentFor(event string, direct bool) int {
	pick := func(guild, dm int) int {
		if direct {
			return dm
		}
		return guild
	}
	switch event {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE":
		return pick(IntentGuildMessages, IntentDirectMessages)
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE":
		return pick(IntentGuildMessageReactions, IntentDirectReactions)
	case "INTERACTION_CREATE":
		return 0
	}
	return IntentGuilds
}

// emit sends an event to all sessions whose intents include it. Without the
// message content intent, the content of messages that do not concern the bot
// is left out.
func (s *Server) emit(event string, d fakekit.Object, guild string) {
	for _, ses := range s.sessions {
		if need := intentFor(event, guild == ""); ses.intents&need != need {
			continue
		}
		out := d
		if (event == "MESSAGE_CREATE" || event == "MESSAGE_UPDATE") && guild != "" && ses.intents&IntentMessageContent == 0 && !s.concernsBot(d) {
			out = maps.Clone(d)
			out["content"] = ""
			out["embeds"], out["attachments"], out["components"] = []any{}, []any{}, []any{}
		}
		ses.dispatch(event, out)
	}
}

func (s *Server) concernsBot(m fakekit.Object) bool {
	if author, _ := m["author"].(fakekit.Object); author != nil && author["id"] == s.AppID() {
		return true
	}
	mentions, _ := m["mentions"].([]any)
	return slices.ContainsFunc(mentions, func(u any) bool { return u.(fakekit.Object)["id"] == s.AppID() })
}

// Dispatch sends an arbitrary event to all sessions, whatever their intents.
func (s *Server) Dispatch(event string, d any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.sessions {
		ses.dispatch(event, d)
	}
}

// Redeliver sends the last n events again, with the sequence numbers they had.
func (s *Server) Redeliver(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.sessions {
		for _, p := range ses.buffer[max(0, len(ses.buffer)-n):] {
			if ses.conn != nil {
				ses.conn.send(p)
			}
		}
	}
}

// Heartbeats returns how many heartbeats have arrived.
func (s *Server) Heartbeats() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heartbeats
}

// Connected returns how many sessions have a connection.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, ses := range s.sessions {
		if ses.conn != nil {
			n++
		}
	}
	return n
}

func (s *Server) eachConn(f func(*conn)) {
	s.mu.Lock()
	var conns []*conn
	for _, ses := range s.sessions {
		if ses.conn != nil {
			conns = append(conns, ses.conn)
		}
	}
	s.mu.Unlock()
	for _, c := range conns {
		f(c)
	}
}

// RequestReconnect sends opcode 7.
func (s *Server) RequestReconnect() { s.eachConn(func(c *conn) { c.op(opReconnect, nil) }) }

// InvalidateSessions sends opcode 9. Sessions that are not resumable are
// forgotten.
func (s *Server) InvalidateSessions(resumable bool) {
	s.eachConn(func(c *conn) { c.op(opInvalidSession, resumable) })
	if resumable {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = map[string]*session{}
}

// CloseGateway closes the connections with a code.
func (s *Server) CloseGateway(code int) { s.detachEach(func(c *conn) { c.close(code, "") }) }

// DropGateway closes the TCP connections.
func (s *Server) DropGateway() { s.detachEach((*conn).drop) }

// detachEach is eachConn for connections that end: events that follow are kept
// for resuming.
func (s *Server) detachEach(f func(*conn)) {
	s.mu.Lock()
	var conns []*conn
	for _, ses := range s.sessions {
		if ses.conn != nil {
			conns = append(conns, ses.conn)
			ses.conn = nil
		}
	}
	s.mu.Unlock()
	for _, c := range conns {
		f(c)
	}
}

// PauseHeartbeats stops acknowledging heartbeats, as a zombie connection does.
func (s *Server) PauseHeartbeats(pause bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = pause
}

// RefuseResume makes the next resume fail with opcode 9.
func (s *Server) RefuseResume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuseResume = true
}
