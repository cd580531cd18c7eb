package discordfake

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

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
	s.Add(fakekit.Call{
		Time: time.Now(), Method: "downloadAttachment", Verb: r.Method, Path: r.URL.Path, Header: r.Header, Status: status,
	})
	w.WriteHeader(status)
	w.Write(data) //nolint:errcheck // the client is gone
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	call := fakekit.Call{Time: time.Now(), Verb: r.Method, Path: r.URL.RequestURI(), Header: r.Header}
	s.mu.Lock()
	rt, params, pathKnown := s.router.find(r.Method, path)
	s.mu.Unlock()
	body, err := fakekit.ReadBody(r)
	call.Params, call.Files, call.PathParams = body.Params, body.Files, params
	if err != nil {
		call.Violations = append(call.Violations, "unreadable body: "+err.Error())
	}
	if rt == nil {
		call.Method, call.Status = r.Method+" "+path, http.StatusNotFound
		if pathKnown {
			call.Status = http.StatusMethodNotAllowed
		}
		call.Violations = append(call.Violations, "unknown operation")
		s.Add(call)
		writeError(w, httpError(call.Status))
		return
	}
	call.Method = rt.name
	invalid := s.validate(&call, rt, r, body)
	fault, faulty := s.TakeFault(call.Method, call.PathParams["channel_id"])
	if faulty {
		call.Fault = fault.Name()
		fakekit.Pause(r.Context(), fault.Delay)
	}
	if fault.Drop {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	setRateHeaders(w.Header(), rt.name)
	var (
		result any
		apiErr *Error
	)
	switch {
	case fault.RetryAfter > 0:
		s.tooMany(w, &call, fault)
		return
	case fault.Error != "":
		apiErr = refusal(fault)
	case fault.Status != 0:
		call.Status = fault.Status
		s.Add(call)
		http.Error(w, http.StatusText(fault.Status), fault.Status)
		return
	case rt.needsBot() && r.Header.Get("Authorization") != "Bot "+s.Token:
		apiErr = httpError(http.StatusUnauthorized)
	case invalid:
		apiErr = &Error{
			Status: http.StatusBadRequest, Code: 50035, Message: "Invalid Form Body",
			Errors: fakekit.Object{"_errors": call.Violations},
		}
	default:
		result, apiErr = s.dispatch(call)
	}
	s.finish(w, call, fault.DropResponse, response(rt, result, apiErr))
}

// httpError is the answer to requests that fail before the operation is known
// or allowed.
func httpError(status int) *Error {
	return &Error{Status: status, Message: strconv.Itoa(status) + ": " + http.StatusText(status)}
}

// answer is what a request is answered with.
type answer struct {
	status int
	body   any
}

func response(rt *route, result any, err *Error) answer {
	switch {
	case err != nil:
		return answer{err.Status, errorBody(err)}
	case result == nil:
		return answer{http.StatusNoContent, nil}
	case rt.creates():
		return answer{http.StatusCreated, result}
	default:
		return answer{http.StatusOK, result}
	}
}

// finish logs a call and answers it, or drops the answer.
func (s *Server) finish(w http.ResponseWriter, call fakekit.Call, drop bool, a answer) {
	call.Response, _ = json.Marshal(a.body)
	if drop {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	call.Status = a.status
	s.Add(call)
	if a.status == http.StatusNoContent {
		w.WriteHeader(a.status)
		return
	}
	fakekit.WriteJSON(w, a.status, call.Response)
}

func (s *Server) dispatch(call fakekit.Call) (any, *Error) {
	s.mu.Lock()
	h := s.handlers[call.Method]
	s.mu.Unlock()
	var (
		result any
		err    error
	)
	if h != nil {
		result, err = h(call)
	} else {
		result, err = s.act(call)
	}
	var apiErr *Error
	if err != nil && !errors.As(err, &apiErr) {
		apiErr = &Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
	return result, apiErr
}

// act carries out the built-in behaviour of an operation.
func (s *Server) act(call fakekit.Call) (any, error) {
	f := s.operations[call.Method]
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

// refusal is the error of a fault, "50013: Missing Permissions" or without a code.
func refusal(f fakekit.Fault) *Error {
	e := &Error{Status: max(f.Status, http.StatusBadRequest), Message: f.Error}
	code, text, _ := strings.Cut(f.Error, ": ")
	if n, err := strconv.Atoi(code); err == nil && n >= leastCode {
		e.Code, e.Message = n, text
	}
	return e
}

// leastCode is the lowest of Discord's own codes; lower ones are those of HTTP.
const leastCode = 10001
