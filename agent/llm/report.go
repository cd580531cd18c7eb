package llm

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// report is what can be read from an error body: OpenAI's, Anthropic's and Gemini's objects, the looser forms of
// compatible servers, a proxy's HTML page, or plain text.
type report struct {
	message string
	codes   []string
	status  int           // a numeric code inside the body
	wait    time.Duration // google.rpc.RetryInfo
	lower   string        // the whole body, for phrases
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

func readReport(body []byte) *report {
	body = bytes.TrimSpace(body)
	r := &report{lower: strings.ToLower(string(body))}
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		r.message = string(body)
		if bytes.HasPrefix(body, []byte("<")) {
			r.message = "an HTML page instead of an answer"
			if m := titlePattern.FindSubmatch(body); m != nil {
				r.message += ": " + string(m[1])
			}
		}
		return r
	}
	if list, ok := doc.([]any); ok && len(list) > 0 {
		doc = list[0]
	}
	outer, _ := doc.(map[string]any)
	inner, ok := outer["error"].(map[string]any)
	if !ok {
		inner = outer
	}
	r.readObject(inner)
	if r.message == "" {
		r.message = string(body)
	}
	return r
}

func (r *report) readObject(o map[string]any) {
	for _, key := range []string{"message", "error", "detail", "msg"} {
		if s, ok := o[key].(string); ok && s != "" {
			r.message = s
			break
		}
	}
	for _, key := range []string{"code", "type", "status"} {
		switch v := o[key].(type) {
		case string:
			r.codes = append(r.codes, v)
			if n, err := strconv.Atoi(v); err == nil {
				r.status = n
			}
		case float64:
			if r.status == 0 {
				r.status = int(v)
			}
		}
	}
	details, _ := o["details"].([]any)
	for _, d := range details {
		d, _ := d.(map[string]any)
		if s, ok := d["reason"].(string); ok {
			r.codes = append(r.codes, s)
		}
		if s, ok := d["retryDelay"].(string); ok {
			r.wait, _ = time.ParseDuration(s)
		}
	}
}

// retryAfter reads when the provider wants to be asked again: the millisecond header, the standard header in seconds
// or as a date, else what the body said. Nonsense counts as nothing.
func retryAfter(h http.Header, fromBody time.Duration) time.Duration {
	if d := number(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	v := h.Get("Retry-After")
	if d := number(v, time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(time.Until(at), 0)
	}
	return max(fromBody, 0)
}

func number(s string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f > 0) {
		return 0
	}
	if f *= float64(unit); f < math.MaxInt64 {
		return time.Duration(f)
	}
	return math.MaxInt64
}

// maxExcerpt is the length of an error text in runes.
const maxExcerpt = 300

var queryPattern = regexp.MustCompile(`(https?://[^\s?"'<>]+)\?[^\s"'<>]*`)

// excerpt makes foreign text fit for an error: one line, short, without the key, without the query of a URL.
func (x *Exchange) excerpt(s string) string {
	s = queryPattern.ReplaceAllString(strings.Join(strings.Fields(s), " "), "$1")
	if x.secret != "" {
		s = strings.ReplaceAll(s, x.secret, "[key]")
	}
	if r := []rune(s); len(r) > maxExcerpt {
		s = string(r[:maxExcerpt-1]) + "…"
	}
	return s
}
