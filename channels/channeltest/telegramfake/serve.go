package telegramfake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

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

// wording is an error in the words of the API, which begin with a capital.
type wording string

func (w wording) Error() string { return string(w) }

func worded(format string, args ...any) error { return wording(fmt.Sprintf(format, args...)) }

func orNil(err *Error) error {
	if err == nil {
		return nil
	}
	return err
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
	call := fakekit.Call{
		Time: time.Now(), Method: s.canonical(method), Verb: r.Method, Path: r.URL.Path,
		Params: body.Params, Files: body.Files, Header: r.Header,
	}
	if err != nil {
		call.Violations = append(call.Violations, "unreadable body: "+err.Error())
	}
	s.serve(w, r, call)
}

// canonical returns the usual spelling of a method name, which the API takes
// in any case.
func (s *Server) canonical(method string) string {
	if name, ok := s.names[strings.ToLower(method)]; ok {
		return name
	}
	return method
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, call fakekit.Call) {
	fault, faulty := s.TakeFault(call.Method, call.String("chat_id"))
	if faulty {
		call.Fault = fault.Name()
		fakekit.Pause(r.Context(), fault.Delay)
	}
	s.validate(&call)
	if fault.Drop {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	var result any
	err := faultError(fault)
	switch {
	case err != nil:
	case fault.Status != 0:
		call.Status = fault.Status
		s.Add(call)
		http.Error(w, "<html><body>"+http.StatusText(fault.Status)+"</body></html>", fault.Status)
		return
	default:
		result, err = s.dispatch(r.Context(), call)
	}
	status, answer := answerOf(result, err)
	if params, ok := answer["parameters"].(fakekit.Object); ok && params["retry_after"] != nil {
		w.Header().Set("Retry-After", fakekit.Text(params["retry_after"]))
	}
	call.Response, _ = json.Marshal(answer)
	if fault.DropResponse {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	call.Status = status
	s.Add(call)
	fakekit.WriteJSON(w, status, call.Response)
}

// faultError returns the API error that a fault asks for, if it does.
func faultError(f fakekit.Fault) error {
	switch {
	case f.RetryAfter > 0:
		seconds := f.RetryAfter.Seconds()
		return &Error{
			Code: http.StatusTooManyRequests, Description: fmt.Sprintf("Too Many Requests: retry after %d", seconds),
			RetryAfter: seconds,
		}
	case f.Error != "":
		code := f.Status
		if code == 0 {
			code = http.StatusBadRequest
		}
		return &Error{Code: code, Description: f.Error}
	}
	return nil
}

func answerOf(result any, err error) (int, fakekit.Object) {
	if err == nil {
		return http.StatusOK, fakekit.Object{"ok": true, "result": result}
	}
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: http.StatusInternalServerError, Description: "Internal Server Error: " + err.Error()}
	}
	return e.Code, errorBody(e)
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

// known reports whether the API has a method, as far as the fake can tell.
func (s *Server) known(method string) bool {
	if s.names[strings.ToLower(method)] == method {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spec == nil && s.handlers[method] != nil
}

func (s *Server) dispatch(ctx context.Context, call fakekit.Call) (any, error) {
	s.mu.Lock()
	h := s.handlers[call.Method]
	s.mu.Unlock()
	switch {
	case h != nil:
		return h(call)
	case call.Method == "getUpdates":
		return s.getUpdates(ctx, call)
	case !s.known(call.Method):
		return nil, &Error{Code: http.StatusNotFound, Description: "Not Found: method not found"}
	}
	for _, f := range call.Files {
		if f.Size > MaxUpload {
			return nil, &Error{Code: http.StatusRequestEntityTooLarge, Description: "Request Entity Too Large"}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.methods[call.Method]; f != nil {
		return f(s, call)
	}
	returns := s.returnTypes(call.Method)
	if strings.HasPrefix(call.Method, "send") && slices.Contains(returns, "Message") {
		return s.sendAny(call)
	}
	if slices.Contains(returns, "Boolean") {
		return true, nil
	}
	return nil, &Error{Code: http.StatusNotImplemented, Description: "Not Implemented: the fake has no " + call.Method}
}
