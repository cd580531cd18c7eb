// Package telegramfake is an in-process fake of the Telegram Bot API.
//
// It keeps chats, forum topics, messages, files and an update queue, speaks
// long polling and webhooks, validates every request against the published
// Bot API description, and can inject faults.
package telegramfake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

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

	spec     *apiSpec
	listener *fakekit.Listener

	mu        sync.Mutex
	chats     map[int64]*chat
	files     map[string]*storedFile
	commands  map[string]any
	callbacks map[string]bool
	handlers  map[string]Handler
	nextFile  int
	nextQuery int

	queue         []fakekit.Object
	nextUpdate    int
	allowed       []string // nil: the default set
	poller        chan struct{}
	arrived       chan struct{}
	webhook       webhook
	webhookCancel context.CancelFunc
	closed        bool
	background    sync.WaitGroup
}

type webhook struct {
	url, secret, lastError string
	lastErrorDate          int64
	maxConnections         int
}

type storedFile struct {
	path string
	data []byte
	size int64 // as told by getFile; may exceed len(data)
}

// Handler answers a method in place of the built-in behaviour. It returns the
// result, or an [*Error].
type Handler func(fakekit.Call) (any, error)

// Error is an unsuccessful Bot API answer.
type Error struct {
	Code        int
	Description string
	RetryAfter  int
	MigrateTo   int64
}

func (e *Error) Error() string { return e.Description }

func badRequest(format string, args ...any) *Error {
	return &Error{Code: http.StatusBadRequest, Description: "Bad Request: " + fmt.Sprintf(format, args...)}
}

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
		spec: spec, chats: map[int64]*chat{}, files: map[string]*storedFile{}, commands: map[string]any{},
		callbacks: map[string]bool{}, handlers: map[string]Handler{}, nextUpdate: 1000, arrived: make(chan struct{}),
	}
	for k, v := range o.bot {
		s.Bot[k] = v
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
	close(s.arrived)
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

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.Path, "/file/bot"+s.Token+"/"); ok {
		s.serveFile(w, r, rest)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/bot")
	if !ok {
		fakekit.WriteJSON(w, http.StatusNotFound, errorBody(&Error{Code: 404, Description: "Not Found"}))
		return
	}
	token, method, _ := strings.Cut(rest, "/")
	if token != s.Token {
		fakekit.WriteJSON(w, http.StatusUnauthorized, errorBody(&Error{Code: 401, Description: "Unauthorized"}))
		return
	}
	body, err := fakekit.ReadBody(r)
	call := fakekit.Call{Time: time.Now(), Method: s.canonical(method), Verb: r.Method, Path: r.URL.Path, Params: body.Params, Files: body.Files, Header: r.Header}
	if err != nil {
		call.Violations = append(call.Violations, "unreadable body: "+err.Error())
	}
	s.serve(w, r, call)
}

// canonical returns the spec's spelling of a method name, which the API takes
// in any case.
func (s *Server) canonical(method string) string {
	if s.spec.Methods[method] != nil {
		return method
	}
	for name := range s.spec.Methods {
		if strings.EqualFold(name, method) {
			return name
		}
	}
	return method
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, call fakekit.Call) {
	fault, faulty := s.TakeFault(call.Method)
	if faulty {
		call.Fault = fault.Name()
		if fault.Delay > 0 {
			select {
			case <-time.After(time.Duration(fault.Delay)):
			case <-r.Context().Done():
			}
		}
	}
	s.validate(&call)
	if faulty && fault.Drop {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	var (
		result any
		err    error
	)
	switch {
	case faulty && fault.RetryAfter > 0:
		err = &Error{Code: http.StatusTooManyRequests, Description: "Too Many Requests: retry after " + strconv.Itoa(fault.RetryAfter.Seconds()), RetryAfter: fault.RetryAfter.Seconds()}
	case faulty && fault.Error != "":
		code := fault.Status
		if code == 0 {
			code = http.StatusBadRequest
		}
		err = &Error{Code: code, Description: fault.Error}
	case faulty && fault.Status != 0:
		call.Status = fault.Status
		s.Add(call)
		http.Error(w, "<html><body>"+http.StatusText(fault.Status)+"</body></html>", fault.Status)
		return
	default:
		result, err = s.dispatch(r.Context(), call)
	}
	status, answer := http.StatusOK, any(fakekit.Object{"ok": true, "result": result})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Code: http.StatusInternalServerError, Description: "Internal Server Error: " + err.Error()}
		}
		status, answer = e.Code, errorBody(e)
		if e.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
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
	fakekit.WriteJSON(w, status, answer)
}

func errorBody(e *Error) fakekit.Object {
	body := fakekit.Object{"ok": false, "error_code": e.Code, "description": e.Description}
	params := fakekit.Object{}
	if e.RetryAfter > 0 {
		params["retry_after"] = e.RetryAfter
	}
	if e.MigrateTo != 0 {
		params["migrate_to_chat_id"] = e.MigrateTo
	}
	if len(params) > 0 {
		body["parameters"] = params
	}
	return body
}

func (s *Server) validate(call *fakekit.Call) {
	m := s.spec.Methods[call.Method]
	if m == nil {
		call.Violations = append(call.Violations, "unknown method")
		return
	}
	c := &checker{spec: s.spec, files: call.Files}
	c.checkRequest(m, call.Params)
	for _, f := range call.Files {
		if f.Size > MaxUpload {
			c.errorf("file %q: %d bytes, the limit is %d", f.Name, f.Size, MaxUpload)
		}
	}
	for _, rule := range s.behaviour(call) {
		c.errorf("%s", rule)
	}
	slices.Sort(c.errs)
	call.Violations = append(call.Violations, c.errs...)
	call.Warnings = append(call.Warnings, c.warnings...)
}

// behaviour checks what the spec says in prose only.
func (s *Server) behaviour(call *fakekit.Call) []string {
	var out []string
	has := call.Has
	switch call.Method {
	case "editMessageText", "editMessageReplyMarkup", "editMessageCaption", "editMessageMedia":
		if !has("inline_message_id") && (!has("chat_id") || !has("message_id")) {
			out = append(out, "needs chat_id and message_id, or inline_message_id")
		}
	case "sendMessageDraft", "sendRichMessageDraft":
		if call.Int("draft_id") == 0 {
			out = append(out, "draft_id must be non-zero")
		}
	case "setMyCommands":
		var commands []struct{ Command string }
		if call.JSON("commands", &commands) == nil {
			for _, c := range commands {
				if strings.Trim(c.Command, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
					out = append(out, fmt.Sprintf("command %q: only lowercase English letters, digits and underscores are allowed", c.Command))
				}
			}
		}
	}
	if has("entities") && has("parse_mode") {
		out = append(out, "entities and parse_mode exclude each other")
	}
	return out
}

func (s *Server) dispatch(ctx context.Context, call fakekit.Call) (any, error) {
	s.mu.Lock()
	h := s.handlers[call.Method]
	s.mu.Unlock()
	if h != nil {
		return h(call)
	}
	if call.Method == "getUpdates" {
		return s.getUpdates(ctx, call)
	}
	m := s.spec.Methods[call.Method]
	if m == nil {
		return nil, &Error{Code: http.StatusNotFound, Description: "Not Found: method not found"}
	}
	for _, f := range call.Files {
		if f.Size > MaxUpload {
			return nil, &Error{Code: http.StatusRequestEntityTooLarge, Description: "Request Entity Too Large"}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := methods[call.Method]; f != nil {
		return f(s, call)
	}
	if strings.HasPrefix(call.Method, "send") && slices.Contains(m.Returns, "Message") {
		return s.sendAny(call)
	}
	if slices.Contains(m.Returns, "Boolean") {
		return true, nil
	}
	return nil, &Error{Code: http.StatusNotImplemented, Description: "Not Implemented: the fake has no " + call.Method}
}

// Updates that are sent only to bots that ask for them.
var optIn = []string{"chat_member", "message_reaction", "message_reaction_count"}

// Send queues an update for the bot. The update_id is added unless there is
// one. It returns the id, or 0 if the bot has not asked for this kind of
// update.
func (s *Server) Send(update any) (int, error) {
	obj, err := fakekit.ToObject(update)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sendLocked(obj), nil
}

func (s *Server) sendLocked(obj fakekit.Object) int {
	for kind := range obj {
		if kind != "update_id" && !s.wants(kind) {
			return 0
		}
	}
	if _, ok := obj["update_id"]; !ok {
		s.nextUpdate++
		obj["update_id"] = s.nextUpdate
	}
	s.queue = append(s.queue, obj)
	if !s.closed {
		close(s.arrived)
		s.arrived = make(chan struct{})
	}
	id, _ := strconv.Atoi(fakekit.Text(obj["update_id"]))
	return id
}

func (s *Server) wants(kind string) bool {
	if len(s.allowed) > 0 {
		return slices.Contains(s.allowed, kind)
	}
	return !slices.Contains(optIn, kind)
}

// Pending returns how many updates have not been confirmed by the bot.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

func (s *Server) setAllowedLocked(call fakekit.Call) {
	if !call.Has("allowed_updates") {
		return
	}
	var allowed []string
	if call.JSON("allowed_updates", &allowed) == nil {
		s.allowed = allowed
	}
}

func (s *Server) getUpdates(ctx context.Context, call fakekit.Call) (any, error) {
	conflict := &Error{Code: http.StatusConflict}
	s.mu.Lock()
	if s.webhook.url != "" {
		s.mu.Unlock()
		conflict.Description = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
		return nil, conflict
	}
	if s.poller != nil {
		close(s.poller)
	}
	mine := make(chan struct{})
	s.poller = mine
	s.setAllowedLocked(call)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		if s.poller == mine {
			s.poller = nil
		}
		s.mu.Unlock()
	}()

	offset, limit := int(call.Int("offset")), 100
	if n := int(call.Int("limit")); n > 0 {
		limit = min(n, 100)
	}
	deadline := time.After(time.Duration(min(call.Int("timeout"), 50)) * time.Second)
	for {
		s.mu.Lock()
		if offset < 0 {
			s.queue = s.queue[max(0, len(s.queue)+offset):]
			offset = 0
		}
		// An offset confirms all updates below it.
		s.queue = slices.DeleteFunc(s.queue, func(u fakekit.Object) bool { return updateID(u) < offset })
		batch := slices.Clone(s.queue[:min(limit, len(s.queue))])
		arrived, closed := s.arrived, s.closed
		s.mu.Unlock()
		if len(batch) > 0 || closed {
			return batch, nil
		}
		select {
		case <-arrived:
		case <-deadline:
			return []fakekit.Object{}, nil
		case <-mine:
			conflict.Description = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
			return nil, conflict
		case <-ctx.Done():
			return []fakekit.Object{}, nil
		}
	}
}

func updateID(u fakekit.Object) int {
	n, _ := strconv.Atoi(fakekit.Text(u["update_id"]))
	return n
}

// startWebhookLocked begins delivering the queue to the webhook, in order and
// one at a time, and retries an update until it is accepted.
func (s *Server) startWebhookLocked() {
	if s.webhookCancel != nil {
		s.webhookCancel()
		s.webhookCancel = nil
	}
	if s.webhook.url == "" {
		return
	}
	if s.poller != nil {
		close(s.poller)
		s.poller = nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.webhookCancel = cancel
	hook := s.webhook
	s.background.Go(func() { s.deliver(ctx, hook) })
}

func (s *Server) deliver(ctx context.Context, hook webhook) {
	delay := 50 * time.Millisecond
	for ctx.Err() == nil {
		s.mu.Lock()
		arrived := s.arrived
		var next fakekit.Object
		if len(s.queue) > 0 {
			next = s.queue[0]
		}
		s.mu.Unlock()
		if next == nil {
			select {
			case <-arrived:
			case <-ctx.Done():
			}
			continue
		}
		err := s.post(ctx, hook, next)
		s.mu.Lock()
		if err == nil {
			s.queue = slices.DeleteFunc(s.queue, func(u fakekit.Object) bool { return updateID(u) == updateID(next) })
			delay = 50 * time.Millisecond
		} else {
			s.webhook.lastError, s.webhook.lastErrorDate = err.Error(), time.Now().Unix()
		}
		s.mu.Unlock()
		if err != nil {
			select {
			case <-time.After(delay):
			case <-ctx.Done():
			}
			delay = min(2*delay, time.Second)
		}
	}
}

func (s *Server) post(ctx context.Context, hook webhook, update fakekit.Object) error {
	data, err := json.Marshal(update)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if hook.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", hook.secret)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, fakekit.MaxBody))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("Wrong response from the webhook: %s", resp.Status)
	}
	s.webhookReply(resp.Header, body)
	return nil
}

// webhookReply carries out a method call that the bot put in its answer.
func (s *Server) webhookReply(header http.Header, body []byte) {
	if len(bytes.TrimSpace(body)) == 0 {
		return
	}
	params := fakekit.Object{}
	if strings.HasPrefix(header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return
		}
		for k := range values {
			params[k] = values.Get(k)
		}
	} else if v, err := fakekit.DecodeJSON(body); err == nil {
		if obj, ok := v.(fakekit.Object); ok {
			params = obj
		}
	}
	method := fakekit.Text(params["method"])
	if method == "" {
		return
	}
	delete(params, "method")
	call := fakekit.Call{Time: time.Now(), Method: s.canonical(method), Verb: "REPLY", Path: "webhook reply", Params: params, Status: http.StatusOK}
	s.validate(&call)
	if _, err := s.dispatch(context.Background(), call); err != nil {
		call.Violations = append(call.Violations, "webhook reply failed: "+err.Error())
	}
	s.Add(call)
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, path string) {
	call := fakekit.Call{Time: time.Now(), Method: "downloadFile", Verb: r.Method, Path: r.URL.Path, Params: fakekit.Object{"file_path": path}, Header: r.Header, Status: http.StatusOK}
	fault, faulty := s.TakeFault(call.Method)
	s.mu.Lock()
	var data []byte
	found := false
	for _, f := range s.files {
		if f.path == path {
			data, found = f.data, true
		}
	}
	s.mu.Unlock()
	if faulty {
		call.Fault = fault.Name()
		time.Sleep(time.Duration(fault.Delay))
		if fault.Drop || fault.DropResponse {
			call.Status = 0
			s.Add(call)
			fakekit.Drop(w)
			return
		}
		if fault.Status != 0 {
			call.Status = fault.Status
			s.Add(call)
			http.Error(w, http.StatusText(fault.Status), fault.Status)
			return
		}
	}
	if !found {
		call.Status = http.StatusNotFound
		s.Add(call)
		fakekit.WriteJSON(w, http.StatusNotFound, errorBody(&Error{Code: 404, Description: "Not Found"}))
		return
	}
	s.Add(call)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(data) //nolint:errcheck // the client is gone
}
