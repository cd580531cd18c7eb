package conformance

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/leadhand/leadhand/agent/llm"
)

const htmlPage = "<!DOCTYPE html><html><head><title>502 Bad\nGateway</title></head><body>" +
	"<center><h1>502 Bad Gateway</h1></center></body></html>"

type failure struct {
	name   string
	resp   Response
	reason llm.Reason
	status int
	says   string
}

func failures(t *testing.T, v Vendor) {
	t.Parallel()
	said := func(s string) string { return `{"error":{"message":"` + s + `","code":"x"}}` }
	cases := []failure{
		{"a wrong key", Response{Status: 401, Body: said("wrong key " + key)}, llm.Auth, 401, "[key]"},
		{"no permission", Response{Status: 403, Body: said("no")}, llm.Auth, 403, "no"},
		{"no credit", v.NoCredit, llm.Auth, v.NoCredit.Status, ""},
		{"payment required", Response{Status: 402, Body: said("top up")}, llm.Auth, 402, "top up"},
		{"an unknown model", Response{Status: 404, Body: said("no such model")}, llm.Rejected, 404, "no such model"},
		{"a bad request", Response{Status: 400, Body: said("bad field")}, llm.Rejected, 400, "bad field"},
		{"another form of error", Response{Status: 422, Body: `{"detail":"bad field"}`}, llm.Rejected, 422, "bad field"},
		{"an error as a string", Response{Status: 400, Body: `{"error":"bad field"}`}, llm.Rejected, 400, "bad field"},
		{"too many requests", Response{Status: 429, Body: said("slow down")}, llm.Overloaded, 429, "slow down"},
		{"a server error", Response{Status: 500, Body: said("oops")}, llm.Overloaded, 500, "oops"},
		{"unavailable without a body", Response{Status: 503}, llm.Overloaded, 503, "Service Unavailable"},
		{"overloaded", Response{Status: 529, Body: said("overloaded")}, llm.Overloaded, 529, "overloaded"},
		{"a proxy's page", Response{Status: 502, Body: htmlPage}, llm.Overloaded, 502, "502 Bad Gateway"},
		{"a page with status 200", Response{Body: htmlPage}, llm.BadAnswer, 0, "HTML"},
		{"an error with status 200", Response{Body: `{"error":{"message":"busy","code":503}}`}, llm.Overloaded, 503, "busy"},
		{"JSON that is no stream", Response{Body: `{"hello":"world"}`}, llm.BadAnswer, 0, "hello"},
		{"an empty body", Response{}, llm.Unreachable, 0, ""},
		{"too large", Response{Status: 413, Body: "too large"}, llm.TooLong, 413, "too large"},
		{"a redirect", Response{Status: 307, Header: map[string]string{"Location": "https://other.example/v1?k=" + key}},
			llm.Rejected, 307, "https://other.example/v1 (set"},
		{"a very long text", Response{Status: 400, Body: strings.Repeat("ä ", 2000)}, llm.Rejected, 400, "…"},
		{"a URL with a query", Response{Status: 400, Body: "see https://x.example/a?token=abc now"}, llm.Rejected, 400,
			"https://x.example/a now"},
		{"an error in the stream", Response{Body: v.Failure(429, "slow down")}, llm.Overloaded, 429, "slow down"},
		{"an outage in the stream", Response{Body: v.Failure(500, "upstream died")}, llm.Overloaded, 500, "upstream died"},
		{"a wrong key in the stream", Response{Body: v.Failure(401, "who are you")}, llm.Auth, 401, "who are you"},
		{"an empty answer", Response{Body: v.Stream(&Answer{Finish: llm.Stop})}, llm.BadAnswer, 0, "empty"},
	}
	for i, body := range v.TooLong {
		cases = append(cases, failure{"too long, form " + string(rune('1'+i)), Response{Status: 400, Body: body},
			llm.TooLong, 400, ""})
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, v, tc.resp)
			h := listen(t, s.model(), question())
			checkError(t, h.err, tc)
		})
	}
	t.Run("no connection", func(t *testing.T) {
		t.Parallel()
		s := serve(t, v)
		s.Close()
		h := listen(t, s.model(), question())
		checkError(t, h.err, failure{reason: llm.Unreachable, says: "refused"})
	})
	t.Run("retry-after", func(t *testing.T) { retryAfter(t, v) })
}

func checkError(t *testing.T, err error, want failure) {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		t.Fatalf("error %T %v", err, err)
	}
	if e.Reason != want.reason || e.Status != want.status || !strings.Contains(e.Error(), want.says) {
		t.Errorf("%q %d %v; want %q %d with %q", e.Reason, e.Status, err, want.reason, want.status, want.says)
	}
	for _, leak := range []string{key, "http://", "token=", "?"} {
		if strings.Contains(err.Error(), leak) {
			t.Errorf("%q leaked into %v", leak, err)
		}
	}
	if n := utf8.RuneCountInString(e.Err.Error()); n > 300 {
		t.Errorf("the text has %d characters", n)
	}
}

func retryAfter(t *testing.T, v Vendor) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		header   map[string]string
		min, max time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": "7"}, 7 * time.Second, 7 * time.Second},
		{"a fraction", map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond, 500 * time.Millisecond},
		{"a date", map[string]string{"Retry-After": time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)},
			55 * time.Minute, time.Hour},
		{"a date that has passed", map[string]string{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0},
		{"milliseconds first", map[string]string{"Retry-After-Ms": "1500", "Retry-After": "9"},
			1500 * time.Millisecond, 1500 * time.Millisecond},
		{"nonsense", map[string]string{"Retry-After": "soon"}, 0, 0},
		{"not a number", map[string]string{"Retry-After": "NaN"}, 0, 0},
		{"a negative number", map[string]string{"Retry-After": "-3"}, 0, 0},
		{"nothing", nil, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, v, Response{Status: 429, Header: tc.header, Body: `{"error":{"message":"slow"}}`})
			h := listen(t, s.model(), question())
			e, ok := errors.AsType[*llm.Error](h.err)
			if !ok || e.RetryAfter < tc.min || e.RetryAfter > tc.max {
				t.Errorf("error %#v", h.err)
			}
		})
	}
}
