// Package discordfake is an in-process fake of Discord: the REST API, the
// gateway and interactions.
//
// It keeps guilds, channels, threads, messages and commands, validates every
// request against Discord's OpenAPI document, and can inject faults on both
// the REST and the gateway side.
package discordfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Limits that hold for bots.
const (
	MaxContent = 2000
	MaxFile    = 10 << 20
	MaxEmbed   = 6000
)

// DefaultToken is the bot token that a server accepts unless told otherwise,
// without the "Bot " prefix.
const DefaultToken = "MTA4MDAwMDAwMDAwMDAwMDAwMQ.fake.token"

// Server is a fake Discord for one application.
type Server struct {
	fakekit.Tester
	// URL is the base URL of the server, without a trailing slash.
	URL string
	// Token is the bot token, without "Bot ".
	Token string
	// Bot is the bot's user object; its id is also the application's.
	Bot fakekit.Object

	opts     options
	router   *router
	listener *fakekit.Listener

	mu           sync.Mutex
	lastID       int64
	guilds       map[string]*guild
	channels     map[string]*channel
	commands     map[string][]fakekit.Object // by guild id, "" is global
	interactions map[string]*interaction     // by token
	attachments  map[string][]byte           // by path
	handlers     map[string]Handler
	sessions     map[string]*session
	conns        map[*conn]bool
	identifies   int
	heartbeats   int
	paused       bool // heartbeats are not acknowledged
	refuseResume bool
	closed       bool
	background   sync.WaitGroup
}

type guild struct {
	info    fakekit.Object
	members map[string]fakekit.Object
}

type channel struct {
	info     fakekit.Object
	messages []fakekit.Object
	readOnly bool
	members  map[string]bool
	nonces   map[string]fakekit.Object
}

func (c *channel) id() string    { return fakekit.Text(c.info["id"]) }
func (c *channel) guild() string { return fakekit.Text(c.info["guild_id"]) }
func (c *channel) kind() int     { return c.info["type"].(int) }
func (c *channel) isThread() bool {
	return c.kind() == PublicThread || c.kind() == PrivateThread || c.kind() == AnnouncementThread
}

// Channel types.
const (
	TextChannel        = 0
	DMChannel          = 1
	AnnouncementThread = 10
	PublicThread       = 11
	PrivateThread      = 12
	ForumChannel       = 15
)

// Handler answers an operation, such as "GET /channels/{channel_id}", in place
// of the built-in behaviour. It returns the body, nil for 204, or an [*Error].
type Handler func(fakekit.Call) (any, error)

// Error is an unsuccessful answer of the REST API.
type Error struct {
	Status  int
	Code    int
	Message string
	Errors  any
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Option configures a [Server].
type Option func(*options)

type options struct {
	addr, token       string
	lenient           bool
	deniedIntents     int
	ackTimeout        time.Duration
	tokenLife         time.Duration
	heartbeatInterval time.Duration
}

// WithAddr makes the server listen on a given address.
func WithAddr(addr string) Option { return func(o *options) { o.addr = addr } }

// WithToken sets the bot token.
func WithToken(token string) Option { return func(o *options) { o.token = token } }

// Lenient keeps violations from failing the test.
func Lenient() Option { return func(o *options) { o.lenient = true } }

// DenyIntents makes the gateway refuse these intents with close code 4014, as
// it does for privileged intents that are not enabled.
func DenyIntents(mask int) Option { return func(o *options) { o.deniedIntents = mask } }

// WithAckTimeout changes the time to answer an interaction from 3 s.
func WithAckTimeout(d time.Duration) Option { return func(o *options) { o.ackTimeout = d } }

// WithTokenLife changes how long an interaction's token is valid from 15 min.
func WithTokenLife(d time.Duration) Option { return func(o *options) { o.tokenLife = d } }

// WithHeartbeat changes the heartbeat interval from 41.25 s.
func WithHeartbeat(d time.Duration) Option { return func(o *options) { o.heartbeatInterval = d } }

// New starts a server that lives as long as the test.
func New(tb fakekit.TB, opts ...Option) *Server {
	tb.Helper()
	s, err := Start(opts...)
	if err != nil {
		tb.Fatalf("discordfake: %v", err)
	}
	s.Attach(tb, s.opts.lenient)
	tb.Cleanup(s.Close)
	return s
}

// Start starts a server outside of a test.
func Start(opts ...Option) (*Server, error) {
	o := options{token: DefaultToken, ackTimeout: 3 * time.Second, tokenLife: 15 * time.Minute, heartbeatInterval: 41250 * time.Millisecond}
	for _, opt := range opts {
		opt(&o)
	}
	r, err := newRouter()
	if err != nil {
		return nil, err
	}
	s := &Server{
		Token: o.token, opts: o, router: r,
		guilds: map[string]*guild{}, channels: map[string]*channel{}, commands: map[string][]fakekit.Object{},
		interactions: map[string]*interaction{}, attachments: map[string][]byte{}, handlers: map[string]Handler{}, sessions: map[string]*session{}, conns: map[*conn]bool{},
	}
	s.Bot = User("1080000000000000001", "fakebot")
	s.Bot["bot"] = true
	if s.listener, err = fakekit.Listen(o.addr, s); err != nil {
		return nil, err
	}
	s.URL = s.listener.URL
	return s, nil
}

// Close stops the server and its gateway connections.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	for c := range s.conns {
		c.drop()
	}
	for _, in := range s.interactions {
		in.timer.Stop()
	}
	s.mu.Unlock()
	s.listener.Close()
	s.background.Wait()
}

// APIBase is the root of the REST API.
func (s *Server) APIBase() string { return s.URL + "/api/v10" }

// AppID is the id of the application and of its bot user.
func (s *Server) AppID() string { return fakekit.Text(s.Bot["id"]) }

// Transport returns a round tripper that sends all requests to the fake,
// whatever host they are for. It lets a client library with fixed endpoints
// talk to the fake.
func (s *Server) Transport() http.RoundTripper {
	base, err := url.Parse(s.URL)
	if err != nil {
		panic(err)
	}
	return redirect{base}
}

type redirect struct{ base *url.URL }

func (t redirect) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = t.base.Scheme, t.base.Host, t.base.Host
	return http.DefaultTransport.RoundTrip(r)
}

// HandleFunc replaces the behaviour of an operation; requests are still
// validated and recorded.
func (s *Server) HandleFunc(operation string, h Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[operation] = h
}

const epoch = 1420070400000

// NewID returns a fresh snowflake.
func (s *Server) NewID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newID()
}

func (s *Server) newID() string {
	id := (time.Now().UnixMilli() - epoch) << 22
	s.lastID = max(id, s.lastID+1)
	return strconv.FormatInt(s.lastID, 10)
}

var reAPI = regexp.MustCompile(`^/api(?:/v(\d+))?(/.*)$`)

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/gateway"):
		s.serveGateway(w, r)
	case strings.HasPrefix(path, "/attachments/"):
		s.serveAttachment(w, r)
	default:
		m := reAPI.FindStringSubmatch(path)
		if m == nil {
			writeError(w, &Error{Status: http.StatusNotFound, Message: "404: Not Found"})
			return
		}
		s.serveAPI(w, r, m[2])
	}
}

func (s *Server) serveAttachment(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	data, ok := s.attachments[r.URL.Path]
	s.mu.Unlock()
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	s.Add(fakekit.Call{Time: time.Now(), Method: "downloadAttachment", Verb: r.Method, Path: r.URL.Path, Header: r.Header, Status: status})
	w.WriteHeader(status)
	w.Write(data) //nolint:errcheck // the client is gone
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	call := fakekit.Call{Time: time.Now(), Verb: r.Method, Path: r.URL.RequestURI(), Header: r.Header}
	rt, params, pathKnown := s.router.find(r.Method, path)
	body, err := fakekit.ReadBody(r)
	call.Params, call.Files, call.PathParams = body.Params, body.Files, params
	if err != nil {
		call.Violations = append(call.Violations, "unreadable body: "+err.Error())
	}
	if rt == nil {
		call.Method = r.Method + " " + path
		status := http.StatusNotFound
		if pathKnown {
			status = http.StatusMethodNotAllowed
		}
		call.Violations = append(call.Violations, "unknown operation")
		call.Status = status
		s.Add(call)
		writeError(w, &Error{Status: status, Message: strconv.Itoa(status) + ": " + http.StatusText(status)})
		return
	}
	call.Method = rt.name
	invalid := s.validate(&call, rt, r, body)
	fault, faulty := s.TakeFault(call.Method)
	if faulty {
		call.Fault = fault.Name()
		time.Sleep(time.Duration(fault.Delay))
		if fault.Drop {
			s.Add(call)
			fakekit.Drop(w)
			return
		}
	}
	setRateHeaders(w.Header(), rt.name)
	var (
		result any
		apiErr *Error
	)
	switch {
	case faulty && fault.RetryAfter > 0:
		s.tooMany(w, &call, fault)
		return
	case faulty && fault.Error != "":
		apiErr = &Error{Status: max(fault.Status, http.StatusBadRequest), Message: fault.Error}
	case faulty && fault.Status != 0:
		call.Status = fault.Status
		s.Add(call)
		http.Error(w, http.StatusText(fault.Status), fault.Status)
		return
	case rt.needsBot() && r.Header.Get("Authorization") != "Bot "+s.Token:
		apiErr = &Error{Status: http.StatusUnauthorized, Message: "401: Unauthorized"}
	case invalid:
		apiErr = &Error{Status: http.StatusBadRequest, Code: 50035, Message: "Invalid Form Body", Errors: fakekit.Object{"_errors": call.Violations}}
	default:
		result, err = s.dispatch(call)
		if err != nil && !errors.As(err, &apiErr) {
			apiErr = &Error{Status: http.StatusInternalServerError, Message: err.Error()}
		}
	}
	status := http.StatusOK
	var answer any = result
	switch {
	case apiErr != nil:
		status, answer = apiErr.Status, errorBody(apiErr)
	case result == nil:
		status = http.StatusNoContent
	default:
		if _, ok := rt.op.Responses["200"]; !ok {
			status = http.StatusCreated
		}
	}
	call.Response, _ = json.Marshal(answer)
	if faulty && fault.DropResponse {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	call.Status = status
	s.Add(call)
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	fakekit.WriteJSON(w, status, answer)
}

func (s *Server) dispatch(call fakekit.Call) (any, error) {
	s.mu.Lock()
	h := s.handlers[call.Method]
	s.mu.Unlock()
	if h != nil {
		return h(call)
	}
	f := operations[call.Method]
	if f == nil {
		return nil, &Error{Status: http.StatusNotImplemented, Message: "the fake has no " + call.Method}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	result, apiErr := f(s, call)
	if apiErr != nil {
		return nil, apiErr
	}
	if result == nil {
		return nil, nil
	}
	// Encode while locked, since the result may share the server's state.
	return fakekit.Convert(result)
}

func errorBody(e *Error) fakekit.Object {
	body := fakekit.Object{"code": e.Code, "message": e.Message}
	if e.Errors != nil {
		body["errors"] = e.Errors
	}
	return body
}

func writeError(w http.ResponseWriter, e *Error) { fakekit.WriteJSON(w, e.Status, errorBody(e)) }

func bucket(name string) string {
	var h uint32 = 2166136261
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return fmt.Sprintf("%08x", h)
}

func setRateHeaders(h http.Header, operation string) {
	h.Set("X-RateLimit-Limit", "5")
	h.Set("X-RateLimit-Remaining", "4")
	h.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(time.Now().Add(time.Second).UnixMilli())/1000))
	h.Set("X-RateLimit-Reset-After", "1.000")
	h.Set("X-RateLimit-Bucket", bucket(operation))
}

func (s *Server) tooMany(w http.ResponseWriter, call *fakekit.Call, fault fakekit.Fault) {
	after := time.Duration(fault.RetryAfter).Seconds()
	h := w.Header()
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after))))
	h.Set("X-RateLimit-Reset-After", strconv.FormatFloat(after, 'f', 3, 64))
	h.Set("X-RateLimit-Scope", "user")
	if fault.Global {
		for _, k := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Bucket"} {
			h.Del(k)
		}
		h.Set("X-RateLimit-Global", "true")
		h.Set("X-RateLimit-Scope", "global")
	} else {
		h.Set("X-RateLimit-Remaining", "0")
	}
	answer := fakekit.Object{"message": "You are being rate limited.", "retry_after": after, "global": fault.Global}
	call.Status = http.StatusTooManyRequests
	call.Response, _ = json.Marshal(answer)
	s.Add(*call)
	fakekit.WriteJSON(w, call.Status, answer)
}
