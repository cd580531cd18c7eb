// Package discordfake is an in-process fake of Discord: the REST API, the
// gateway and interactions.
//
// It keeps guilds, channels, threads, messages and commands, validates every
// request against Discord's OpenAPI document if there is one (see package
// specs), and can inject faults on both the REST and the gateway side.
package discordfake

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
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

	opts       options
	router     *router
	operations map[string]action
	listener   *fakekit.Listener

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
	o := options{
		token: DefaultToken, ackTimeout: 3 * time.Second, tokenLife: 15 * time.Minute,
		heartbeatInterval: 41250 * time.Millisecond,
	}
	for _, opt := range opts {
		opt(&o)
	}
	actions := operations()
	r, err := newRouter(actions)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Token: o.token, opts: o, router: r, operations: actions,
		guilds: map[string]*guild{}, channels: map[string]*channel{}, commands: map[string][]fakekit.Object{},
		interactions: map[string]*interaction{}, attachments: map[string][]byte{}, handlers: map[string]Handler{},
		sessions: map[string]*session{}, conns: map[*conn]bool{},
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

// HandleFunc replaces the behaviour of an operation, or adds one that the fake
// lacks; requests are still validated and recorded.
func (s *Server) HandleFunc(operation string, h Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[operation] = h
	s.router.add(operation)
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
