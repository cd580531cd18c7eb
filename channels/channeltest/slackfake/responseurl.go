package slackfake

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

type responseURL struct {
	channel string
	ts      string // of the message it can replace
	user    string
	created time.Time
	uses    int
}

func (s *Server) newResponseURL(kind, channel, ts, user string) string {
	id := s.newID("r")
	s.responseURLs[id] = &responseURL{channel: channel, ts: ts, user: user, created: time.Now()}
	return s.URL + "/response/" + kind + "/" + TeamID + "/" + id
}

func (s *Server) serveResponseURL(w http.ResponseWriter, r *http.Request) {
	body, err := fakekit.ReadBody(r)
	call := fakekit.Call{
		Time: time.Now(), Method: "response_url", Verb: r.Method, Path: r.URL.Path, Params: body.Params, Header: r.Header,
		Status: http.StatusOK,
	}
	if err != nil {
		call.Violations = append(call.Violations, err.Error())
	}
	if body.Type != "application/json" {
		call.Violations = append(call.Violations, "content type "+strconv.Quote(body.Type)+", want application/json")
	}
	c := &checker{}
	c.checkContent(call.Params)
	if r.Header.Get("Authorization") != "" {
		c.errorf("a token is sent to a response URL")
	}
	if call.Has("markdown_text") {
		c.errorf("response URLs take no markdown_text")
	}
	if t := call.String("response_type"); t != "" && t != "ephemeral" && t != "in_channel" {
		c.errorf("response_type %q", t)
	}
	call.Violations = append(call.Violations, c.errs...)
	if s.faultOfURL(w, r, &call) {
		return
	}
	code := s.respond(call)
	if code != "" {
		call.Status = http.StatusNotFound
		call.Violations = append(call.Violations, code)
		s.Add(call)
		fakekit.WriteJSON(w, call.Status, fakekit.Object{"ok": false, "error": code})
		return
	}
	s.Add(call)
	io.WriteString(w, "ok") //nolint:errcheck // the client is gone
}

// faultOfURL applies a fault to a use of a response URL or an upload URL, which
// know HTTP statuses only. It reports whether the request has been answered.
func (s *Server) faultOfURL(w http.ResponseWriter, r *http.Request, call *fakekit.Call) bool {
	fault, ok := s.TakeFault(call.Method, "")
	if !ok {
		return false
	}
	call.Fault = fault.Name()
	fakekit.Pause(r.Context(), fault.Delay)
	if fault.Drop {
		call.Status = 0
		s.Add(*call)
		fakekit.Drop(w)
		return true
	}
	if fault.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter.Seconds()))
		fault.Status = http.StatusTooManyRequests
	}
	if fault.Status == 0 {
		return false
	}
	call.Status = fault.Status
	s.Add(*call)
	http.Error(w, http.StatusText(fault.Status), fault.Status)
	return true
}

// respond carries out a use of a response URL and returns an error code.
func (s *Server) respond(call fakekit.Call) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.responseURLs[call.Path[strings.LastIndexByte(call.Path, '/')+1:]]
	switch {
	case u == nil:
		return "expired_url"
	case time.Since(u.created) > 30*time.Minute:
		return "expired_url"
	case u.uses >= MaxResponseURL:
		return "used_url"
	}
	u.uses++
	c := s.channels[u.channel]
	if c == nil {
		return ""
	}
	switch i := c.find(u.ts); {
	case call.Bool("delete_original") && i >= 0:
		c.messages = slices.Delete(slices.Clone(c.messages), i, i+1)
	case call.Bool("replace_original") && i >= 0:
		m := maps.Clone(c.messages[i])
		delete(m, "blocks")
		fill(m, call.Params) //nolint:errcheck // recorded as violations
		c.messages[i] = m
	case call.String("response_type") == "in_channel":
		m := s.botMessage()
		if thread := call.String("thread_ts"); thread != "" {
			m["thread_ts"] = thread
		}
		fill(m, call.Params) //nolint:errcheck // recorded as violations
		s.store(c, m)
	case !call.Bool("delete_original") && !call.Bool("replace_original"):
		m := s.botMessage()
		if thread := call.String("thread_ts"); thread != "" {
			m["thread_ts"] = thread
		}
		fill(m, call.Params) //nolint:errcheck // recorded as violations
		c.whispers = append(c.whispers, whisper{u.user, m})
	}
	return ""
}
