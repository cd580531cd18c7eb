// Package slackfake is an in-process fake of Slack: the Web API, Socket Mode,
// the Events API and interactivity over HTTP, response URLs and file uploads.
//
// It keeps channels, messages, views, streams and files of one workspace,
// validates every request against the rules of Block Kit and, if there is one
// (see package specs), Slack's method reference, and can inject faults.
package slackfake

import (
	"context"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Credentials that a server accepts.
const (
	BotToken      = "xoxb-1000000000001-1000000000002-fakefakefakefakefakefake"
	AppToken      = "xapp-1-A0FAKEAPP01-1000000000003-fakefakefakefakefakefake"
	SigningSecret = "0123456789abcdef0123456789abcdef"
)

// Identifiers of the workspace, the app and its bot.
const (
	TeamID    = "T0FAKETEAM1"
	AppID     = "A0FAKEAPP01"
	BotUserID = "U0FAKEBOT01"
	BotID     = "B0FAKEBOT01"
)

// Server is a fake Slack workspace with one app.
type Server struct {
	fakekit.Tester
	// URL is the base URL of the server, without a trailing slash.
	URL string

	opts       options
	methods    map[string]*method // nil when there are no API descriptions
	behaviours map[string]behaviour
	listener   *fakekit.Listener

	mu           sync.Mutex
	lastTS       int64
	counter      int
	users        map[string]fakekit.Object
	channels     map[string]*conversation
	files        map[string]*file
	views        map[string]fakekit.Object
	lastView     string
	home         map[string]fakekit.Object // by user
	triggers     map[string]time.Time
	responseURLs map[string]*responseURL
	status       map[string]string // assistant status by channel and thread
	handlers     map[string]Handler
	sockets      []*socket
	tickets      map[string]bool
	next         int // round robin over sockets
	pending      []*delivery
	lastSent     chan struct{} // closed when the newest delivery has gone out over a socket
	deliveries   map[string]*delivery
	endpoints    Endpoints
	closed       bool
	ctx          context.Context
	cancel       context.CancelFunc
	background   sync.WaitGroup
}

// Handler answers a Web API method in place of the built-in behaviour. It
// returns the fields of the answer, or an error whose text is Slack's error code.
type Handler func(fakekit.Call) (fakekit.Object, error)

// Option configures a [Server].
type Option func(*options)

type options struct {
	addr         string
	lenient      bool
	ackTimeout   time.Duration
	pingInterval time.Duration
	retryDelays  []time.Duration
	events       []string
	enterpriseID string
}

// WithAddr makes the server listen on a given address.
func WithAddr(addr string) Option { return func(o *options) { o.addr = addr } }

// Lenient keeps violations from failing the test.
func Lenient() Option { return func(o *options) { o.lenient = true } }

// WithAckTimeout changes the time in which the app must acknowledge from 3 s.
func WithAckTimeout(d time.Duration) Option { return func(o *options) { o.ackTimeout = d } }

// WithPingInterval changes how often sockets are pinged from 5 s.
func WithPingInterval(d time.Duration) Option { return func(o *options) { o.pingInterval = d } }

// WithRetryDelays changes the waits before events are sent again. Slack's are
// almost none, 1 min and 5 min; the default here is none, 100 ms and 500 ms.
func WithRetryDelays(d ...time.Duration) Option { return func(o *options) { o.retryDelays = d } }

// WithEvents limits the events that the app is subscribed to, such as
// "app_mention" or "message.im". By default it gets all.
func WithEvents(events ...string) Option { return func(o *options) { o.events = events } }

// WithEnterprise puts the workspace into an Enterprise organisation in which
// the app is installed for the whole organisation.
func WithEnterprise(id string) Option { return func(o *options) { o.enterpriseID = id } }

// New starts a server that lives as long as the test.
func New(tb fakekit.TB, opts ...Option) *Server {
	tb.Helper()
	s, err := Start(opts...)
	if err != nil {
		tb.Fatalf("slackfake: %v", err)
	}
	s.Attach(tb, s.opts.lenient)
	tb.Cleanup(s.Close)
	return s
}

// Start starts a server outside of a test.
func Start(opts ...Option) (*Server, error) {
	o := options{
		ackTimeout: 3 * time.Second, pingInterval: 5 * time.Second,
		retryDelays: []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond},
	}
	for _, opt := range opts {
		opt(&o)
	}
	methods, err := loadSpec()
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, methods: methods, behaviours: behaviours(),
		users: map[string]fakekit.Object{}, channels: map[string]*conversation{}, files: map[string]*file{},
		views: map[string]fakekit.Object{},
		home:  map[string]fakekit.Object{}, triggers: map[string]time.Time{}, responseURLs: map[string]*responseURL{},
		status:   map[string]string{},
		handlers: map[string]Handler{}, tickets: map[string]bool{}, deliveries: map[string]*delivery{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.AddUser(BotUserID, "fakebot")
	s.users[BotUserID]["is_bot"] = true
	if s.listener, err = fakekit.Listen(o.addr, s); err != nil {
		return nil, err
	}
	s.URL = s.listener.URL
	return s, nil
}

// Close stops the server and its sockets.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.cancel()
	for _, sock := range s.sockets {
		sock.ws.Close()
	}
	s.mu.Unlock()
	s.listener.Close()
	s.background.Wait()
}

// APIURL is the root of the Web API, with a trailing slash.
func (s *Server) APIURL() string { return s.URL + "/api/" }

// HandleFunc replaces the behaviour of a Web API method; requests are still
// validated and recorded.
func (s *Server) HandleFunc(method string, h Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[method] = h
}
