// Package telegramfake is an in-process fake of the Telegram Bot API.
//
// It keeps chats, forum topics, messages, files and an update queue, speaks
// long polling and webhooks, validates every request against the published
// Bot API description if there is one (see package specs), and can inject
// faults.
package telegramfake

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Limits of the cloud Bot API.
const (
	MaxDownload = 20 << 20
	MaxUpload   = 50 << 20
)

// DefaultToken is the bot token that a server accepts unless told otherwise.
const DefaultToken = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

// Server is a fake Bot API server for one bot.
type Server struct {
	fakekit.Tester
	// URL is the base URL of the server, without a trailing slash.
	URL string
	// Token is the token of the bot.
	Token string
	// Bot is the bot's User object.
	Bot fakekit.Object

	spec     *apiSpec          // nil when there is no API description
	names    map[string]string // spelling of each known method by its lower case
	methods  map[string]method
	listener *fakekit.Listener

	mu            sync.Mutex
	chats         map[int64]*chat
	files         fileStore
	commands      map[string]any
	callbacks     map[string]bool
	nextQuery     int
	handlers      map[string]Handler
	updates       updateQueue
	webhook       webhook
	webhookCancel context.CancelFunc
	closed        bool
	background    sync.WaitGroup
}

// Handler answers a method in place of the built-in behaviour. It returns the
// result, or an [*Error].
type Handler func(fakekit.Call) (any, error)

// Option configures a [Server].
type Option func(*options)

type options struct {
	addr, token string
	bot         fakekit.Object
	lenient     bool
}

// WithAddr makes the server listen on a given address.
func WithAddr(addr string) Option { return func(o *options) { o.addr = addr } }

// WithToken sets the bot token.
func WithToken(token string) Option { return func(o *options) { o.token = token } }

// WithBot overrides fields of the bot's User object, such as "username" or
// "can_read_all_group_messages".
func WithBot(fields fakekit.Object) Option { return func(o *options) { o.bot = fields } }

// Lenient keeps violations from failing the test.
func Lenient() Option { return func(o *options) { o.lenient = true } }

// New starts a server that lives as long as the test.
func New(tb fakekit.TB, opts ...Option) *Server {
	tb.Helper()
	s, o, err := start(opts)
	if err != nil {
		tb.Fatalf("telegramfake: %v", err)
	}
	s.Attach(tb, o.lenient)
	tb.Cleanup(s.Close)
	return s
}

// Start starts a server outside of a test.
func Start(opts ...Option) (*Server, error) {
	s, _, err := start(opts)
	return s, err
}

func start(opts []Option) (*Server, options, error) {
	o := options{token: DefaultToken}
	for _, opt := range opts {
		opt(&o)
	}
	spec, err := loadSpec()
	if err != nil {
		return nil, o, err
	}
	id, _, _ := strings.Cut(o.token, ":")
	botID, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, o, fmt.Errorf("token must start with the bot id: %w", err)
	}
	s := &Server{
		Token: o.token,
		Bot: fakekit.Object{
			"id": botID, "is_bot": true, "first_name": "Fake Bot", "username": "fake_bot",
			"can_join_groups": true, "can_read_all_group_messages": true, "supports_inline_queries": false,
		},
		spec: spec, methods: methods(), chats: map[int64]*chat{}, files: newFileStore(), commands: map[string]any{},
		callbacks: map[string]bool{}, handlers: map[string]Handler{},
		updates: updateQueue{next: 1000, arrived: make(chan struct{})},
	}
	maps.Copy(s.Bot, o.bot)
	s.names = map[string]string{}
	for _, name := range s.methodNames() {
		s.names[strings.ToLower(name)] = name
	}
	s.listener, err = fakekit.Listen(o.addr, s)
	if err != nil {
		return nil, o, err
	}
	s.URL = s.listener.URL
	return s, o, nil
}

// Close stops the server.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	if s.webhookCancel != nil {
		s.webhookCancel()
	}
	close(s.updates.arrived)
	s.mu.Unlock()
	s.listener.Close()
	s.background.Wait()
}

// Endpoint is the API endpoint format that client libraries take: two verbs,
// for the token and the method.
func (s *Server) Endpoint() string { return s.URL + "/bot%s/%s" }

// FileEndpoint is the same for file downloads: the token and the file path.
func (s *Server) FileEndpoint() string { return s.URL + "/file/bot%s/%s" }

// HandleFunc replaces the behaviour of a method; requests are still validated
// and recorded.
func (s *Server) HandleFunc(method string, h Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[method] = h
}
