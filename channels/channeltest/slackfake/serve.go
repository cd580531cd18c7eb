package slackfake

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

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
	call := fakekit.Call{
		Time: time.Now(), Method: name, Verb: r.Method, Path: r.URL.Path, Params: body.Params, Files: body.Files,
		Header: r.Header,
	}
	if err != nil {
		call.Violations = append(call.Violations, "unreadable body: "+err.Error())
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == "" {
		token = fakekit.Text(call.Params["token"])
	}
	delete(call.Params, "token")
	s.validate(&call, body.Type)
	fault, faulty := s.TakeFault(name, chatOf(call))
	if faulty {
		call.Fault = fault.Name()
		fakekit.Pause(r.Context(), fault.Delay)
	}
	if fault.Drop {
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	var answer fakekit.Object
	call.Status = http.StatusOK
	switch {
	case fault.RetryAfter > 0:
		w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter.Seconds()))
		call.Status = http.StatusTooManyRequests
		answer = failure("ratelimited")
	case fault.Error != "":
		answer = failure(fault.Error)
	case fault.Status != 0:
		call.Status = fault.Status
		s.Add(call)
		http.Error(w, "<html>"+http.StatusText(fault.Status)+"</html>", fault.Status)
		return
	default:
		answer = s.answer(call, token)
	}
	call.Response, _ = json.Marshal(answer)
	if fault.DropResponse {
		call.Status = 0
		s.Add(call)
		fakekit.Drop(w)
		return
	}
	s.Add(call)
	fakekit.WriteJSON(w, call.Status, call.Response)
}

// chatOf returns the channel that a call addresses, which some methods name
// channel_id.
func chatOf(call fakekit.Call) string {
	if id := call.String("channel"); id != "" {
		return id
	}
	return call.String("channel_id")
}

func failure(code string) fakekit.Object { return fakekit.Object{"ok": false, "error": code} }

// tokenError returns why a token does not do for a method, "" if it does.
func tokenError(method, token string) string {
	want := BotToken
	if method == "apps.connections.open" {
		want = AppToken
	}
	switch token {
	case want:
		return ""
	case "":
		return "not_authed"
	case BotToken, AppToken:
		return "not_allowed_token_type"
	default:
		return "invalid_auth"
	}
}

func (s *Server) answer(call fakekit.Call, token string) fakekit.Object {
	if code := tokenError(call.Method, token); code != "" {
		return failure(code)
	}
	if !s.known(call.Method) {
		return failure("unknown_method")
	}
	out, err := s.dispatch(call)
	var detail *apiError
	switch {
	case errors.As(err, &detail):
		answer := failure(detail.code)
		answer["response_metadata"] = fakekit.Object{"messages": detail.messages}
		return answer
	case err != nil:
		return failure(err.Error())
	case out == nil:
		out = fakekit.Object{}
	}
	out["ok"] = true
	return out
}

func (s *Server) dispatch(call fakekit.Call) (fakekit.Object, error) {
	s.mu.Lock()
	h := s.handlers[call.Method]
	s.mu.Unlock()
	if h != nil {
		return h(call)
	}
	f := s.behaviours[call.Method]
	if f == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := f(s, call)
	if err != nil || out == nil {
		return nil, err
	}
	// Detach the answer from the server's state.
	detached, err := fakekit.Convert(out)
	if err != nil {
		return nil, err
	}
	return detached.(fakekit.Object), nil
}

// apiError is an error with details.
type apiError struct {
	code     string
	messages []string
}

func (e *apiError) Error() string { return e.code }
