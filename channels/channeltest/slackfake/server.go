// Package slackfake is an in-process fake of Slack: the Web API, Socket Mode,
// the Events API and interactivity over HTTP, response URLs and file uploads.
//
// It keeps channels, messages, views, streams and files of one workspace,
// validates every request against Slack's method reference and the rules of
// Block Kit, and can inject faults.
package slackfake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

	opts     options
	methods  map[string]*method
	listener *fakekit.Listener

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
	deliveries   map[string]*delivery
	endpoints    Endpoints
	closed       bool
	ctx          context.Context
	cancel       context.CancelFunc
	background   sync.WaitGroup
}

type conversation struct {
	ID, Name, Kind string // Kind is channel, group, im or mpim
	User           string // the other party of an im
	Member         bool
	Archived       bool
	messages       []fakekit.Object
	reactions      map[string]bool
}

type file struct {
	id, name string
	length   int
	data     []byte
	uploaded bool
	info     fakekit.Object
}

type responseURL struct {
	channel string
	ts      string // of the message it can replace
	user    string
	created time.Time
	uses    int
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
	o := options{ackTimeout: 3 * time.Second, pingInterval: 5 * time.Second, retryDelays: []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond}}
	for _, opt := range opts {
		opt(&o)
	}
	methods, err := loadSpec()
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, methods: methods,
		users: map[string]fakekit.Object{}, channels: map[string]*conversation{}, files: map[string]*file{}, views: map[string]fakekit.Object{},
		home: map[string]fakekit.Object{}, triggers: map[string]time.Time{}, responseURLs: map[string]*responseURL{}, status: map[string]string{},
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

// AddUser adds a member of the workspace.
func (s *Server) AddUser(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addUser(id, name)
}

func (s *Server) addUser(id, name string) {
	s.users[id] = fakekit.Object{
		"id": id, "team_id": TeamID, "name": name, "real_name": name, "deleted": false, "is_bot": false, "tz": "Etc/UTC",
		"profile": fakekit.Object{"real_name": name, "display_name": name, "email": name + "@example.com"},
	}
}

// AddChannel adds a public channel (C…) or private one (G…) with the bot in it.
func (s *Server) AddChannel(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := "channel"
	if strings.HasPrefix(id, "G") {
		kind = "group"
	}
	s.channels[id] = &conversation{ID: id, Name: name, Kind: kind, Member: true, reactions: map[string]bool{}}
}

// AddDM adds the direct message channel (D…) with a user.
func (s *Server) AddDM(id, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[id] = &conversation{ID: id, Kind: "im", User: user, Member: true, reactions: map[string]bool{}}
}

// SetMember puts the bot into a channel or out of it.
func (s *Server) SetMember(channel string, member bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		c.Member = member
	}
}

// Messages returns the messages of a channel, oldest first.
func (s *Server) Messages(channel string) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []fakekit.Object
	if c := s.channels[channel]; c != nil {
		for _, m := range c.messages {
			out = append(out, maps.Clone(m))
		}
	}
	return out
}

// Home returns the view that the app has published to a user's App Home.
func (s *Server) Home(user string) fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.home[user]
}

// View returns a modal by its id, or the one last opened for "".
func (s *Server) View(id string) fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		id = s.lastView
	}
	return s.views[id]
}

// AssistantStatus returns the status that the app shows in a thread.
func (s *Server) AssistantStatus(channel, threadTS string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status[channel+threadTS]
}

func (s *Server) newID(prefix string) string {
	s.counter++
	return fmt.Sprintf("%s%010d", prefix, s.counter)
}

// newTS returns a unique message timestamp.
func (s *Server) newTS() string {
	s.lastTS = max(s.lastTS+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.lastTS/1e6, s.lastTS%1e6)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/api/"):
		s.serveAPI(w, r, strings.TrimPrefix(path, "/api/"))
	case strings.HasPrefix(path, "/link"):
		s.serveSocket(w, r)
	case strings.HasPrefix(path, "/response/"):
		s.serveResponseURL(w, r)
	case strings.HasPrefix(path, "/upload/"):
		s.serveUpload(w, r)
	case strings.HasPrefix(path, "/files-pri/"):
		s.serveFile(w, r)
	default:
		// Slack answers unknown pages, such as a sign-in, with HTML.
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!DOCTYPE html><html><body>Sign in to Slack</body></html>") //nolint:errcheck // the client is gone
	}
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, name string) {
	body, err := fakekit.ReadBody(r)
	call := fakekit.Call{Time: time.Now(), Method: name, Verb: r.Method, Path: r.URL.Path, Params: body.Params, Files: body.Files, Header: r.Header}
	if err != nil {
		call.Violations = append(call.Violations, "unreadable body: "+err.Error())
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == "" {
		token = fakekit.Text(call.Params["token"])
	}
	delete(call.Params, "token")
	s.validate(&call, body.Type)
	fault, faulty := s.TakeFault(name)
	if faulty {
		call.Fault = fault.Name()
		select {
		case <-time.After(time.Duration(fault.Delay)):
		case <-r.Context().Done():
		}
		if fault.Drop {
			s.Add(call)
			fakekit.Drop(w)
			return
		}
	}
	var answer fakekit.Object
	switch {
	case faulty && fault.RetryAfter > 0:
		w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter.Seconds()))
		call.Status = http.StatusTooManyRequests
		answer = fakekit.Object{"ok": false, "error": "ratelimited"}
	case faulty && fault.Error != "":
		answer = fakekit.Object{"ok": false, "error": fault.Error}
	case faulty && fault.Status != 0:
		call.Status = fault.Status
		s.Add(call)
		http.Error(w, "<html>"+http.StatusText(fault.Status)+"</html>", fault.Status)
		return
	default:
		answer = s.answer(call, token)
	}
	call.Response, _ = json.Marshal(answer)
	if faulty && fault.DropResponse {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	if call.Status == 0 {
		call.Status = http.StatusOK
	}
	s.Add(call)
	fakekit.WriteJSON(w, call.Status, answer)
}

func (s *Server) answer(call fakekit.Call, token string) fakekit.Object {
	fail := func(code string) fakekit.Object { return fakekit.Object{"ok": false, "error": code} }
	want := BotToken
	if call.Method == "apps.connections.open" {
		want = AppToken
	}
	switch {
	case token == "":
		return fail("not_authed")
	case token == BotToken || token == AppToken:
		if token != want {
			return fail("not_allowed_token_type")
		}
	default:
		return fail("invalid_auth")
	}
	if s.methods[call.Method] == nil {
		return fail("unknown_method")
	}
	s.mu.Lock()
	h := s.handlers[call.Method]
	s.mu.Unlock()
	var (
		out fakekit.Object
		err error
	)
	switch f := behaviours[call.Method]; {
	case h != nil:
		out, err = h(call)
	case f != nil:
		s.mu.Lock()
		out, err = f(s, call)
		if err == nil && out != nil {
			// Detach the answer from the server's state.
			var detached any
			if detached, err = fakekit.Convert(out); err == nil {
				out = detached.(fakekit.Object)
			}
		}
		s.mu.Unlock()
	}
	if err != nil {
		var detail *apiError
		if errors.As(err, &detail) {
			return fakekit.Object{"ok": false, "error": detail.code, "response_metadata": fakekit.Object{"messages": detail.messages}}
		}
		return fail(err.Error())
	}
	if out == nil {
		out = fakekit.Object{}
	}
	out["ok"] = true
	return out
}

// apiError is an error with details.
type apiError struct {
	code     string
	messages []string
}

func (e *apiError) Error() string { return e.code }

func (s *Server) validate(call *fakekit.Call, contentType string) {
	m := s.methods[call.Method]
	if m == nil {
		call.Violations = append(call.Violations, "unknown method")
		return
	}
	c := &checker{}
	c.checkArgs(m, call.Params)
	if contentType == "application/json" && !m.JSON {
		c.errorf("the method takes no JSON body")
	}
	switch {
	case strings.HasPrefix(call.Method, "chat."):
		c.checkContent(call.Params)
	case strings.HasPrefix(call.Method, "views."):
		if view, ok := decode(call.Params["view"]); ok {
			c.checkView(view)
		} else {
			c.errorf("view: not valid JSON")
		}
	}
	switch call.Method {
	case "chat.startStream":
		s.mu.Lock()
		conv := s.channels[call.String("channel")]
		s.mu.Unlock()
		if conv != nil && conv.Kind != "im" && (!call.Has("recipient_user_id") || !call.Has("recipient_team_id")) {
			c.errorf("recipient_user_id and recipient_team_id are needed in channels")
		}
	case "assistant.threads.setSuggestedPrompts":
		if list, ok := decode(call.Params["prompts"]); ok {
			c.list("prompts", list, 1, 4)
		}
	case "reactions.add":
		if name := call.String("name"); strings.ContainsAny(name, ": ") {
			c.errorf("name: %q, want the emoji's name without colons", name)
		}
	}
	slices.Sort(c.errs)
	call.Violations = append(call.Violations, c.errs...)
	call.Warnings = append(call.Warnings, c.warnings...)
}
