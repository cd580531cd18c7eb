package discordfake

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
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
	zlib     *zlib.Writer
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
		c.ws.WriteMessage(websocket.BinaryMessage, c.compressed(data)) //nolint:errcheck // the reader notices
		return
	}
	c.ws.WriteMessage(websocket.TextMessage, data) //nolint:errcheck // the reader notices
}

// compressed compresses one event. The writer is kept: each needs much memory.
func (c *conn) compressed(data []byte) []byte {
	var buf bytes.Buffer
	if c.zlib == nil {
		c.zlib = zlib.NewWriter(&buf)
	}
	c.zlib.Reset(&buf)
	c.zlib.Write(data) //nolint:errcheck // a buffer
	c.zlib.Close()
	return buf.Bytes()
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
	frame := websocket.FormatCloseMessage(code, text)
	c.ws.WriteControl(websocket.CloseMessage, frame, time.Now().Add(time.Second)) //nolint:errcheck // closing
	c.ws.Close()
}

// drop closes the TCP connection.
func (c *conn) drop() { c.ws.Close() }

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
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
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
		message := event == "MESSAGE_CREATE" || event == "MESSAGE_UPDATE"
		if message && guild != "" && ses.intents&IntentMessageContent == 0 && !s.concernsBot(d) {
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
