package llm

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// maxReport is how much of an error body is read. Vendors' reports are a few hundred bytes, proxies' pages some kB.
const maxReport = 64 << 10

// judge turns a provider's error response into an *Error. Status 0 means that the response itself was a 200.
func (x *Exchange) judge(status int, h http.Header, body []byte) *Error {
	r := readReport(body)
	inStream := status == 0
	if inStream {
		status = r.statusFromCodes()
	}
	e := x.fail(r.reason(status), errors.New(x.excerpt(r.text(status, h))))
	e.Status = status
	e.RetryAfter = retryAfter(h, r.wait)
	return e
}

// statusOfCode maps the codes that vendors send inside a stream to the status they use outside of one. Sources:
// Anthropic's and OpenAI's error references, google.rpc.Code.
var statusOfCode = map[string]int{
	"invalid_request_error": 400, "INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "context_length_exceeded": 400,
	"authentication_error": 401, "invalid_api_key": 401, "UNAUTHENTICATED": 401,
	"billing_error": 402, "permission_error": 403, "PERMISSION_DENIED": 403,
	"not_found_error": 404, "model_not_found": 404, "NOT_FOUND": 404,
	"request_too_large": 413,
	"rate_limit_error":  429, "rate_limit_exceeded": 429, "insufficient_quota": 429, "RESOURCE_EXHAUSTED": 429,
	"api_error": 500, "server_error": 500, "INTERNAL": 500,
	"UNAVAILABLE": 503, "timeout_error": 504, "DEADLINE_EXCEEDED": 504, "overloaded_error": 529,
}

func (r *report) statusFromCodes() int {
	if r.status >= 400 && r.status < 600 {
		return r.status
	}
	for _, c := range r.codes {
		if s := statusOfCode[c]; s != 0 {
			return s
		}
	}
	return 0
}

// authCodes are failures of the account that some vendors give an unrelated status.
var authCodes = []string{"insufficient_quota", "billing_error", "invalid_api_key", "API_KEY_INVALID"}

// tooLongCodes and tooLongPhrases are how vendors say that the request exceeds the model's window.
var (
	tooLongCodes   = []string{"context_length_exceeded", "request_too_large", "exceed_context_size_error"}
	tooLongPhrases = []string{
		"maximum context length", "context_length_exceeded", "context length exceeded", "context window",
		"exceed context limit", "exceeds the available context size", "longer than the model's context length",
		"prompt is too long", "input is too long", "prompt too long", "reduce the length of the messages",
		"exceeds the maximum number of tokens", "maximum number of input tokens", "maximum prompt length",
	}
)

func (r *report) reason(status int) Reason {
	switch {
	case r.hasCode(authCodes), status == 401, status == 402, status == 403:
		return Auth
	case status == 400 && (r.says("credit balance is too low") || r.says("api key not valid")):
		return Auth
	case status == 413, r.hasCode(tooLongCodes), status != 429 && r.saysAny(tooLongPhrases):
		return TooLong
	case status == 408:
		return Unreachable
	case status == 409, status == 425, status == 429, status >= 500:
		return Overloaded
	case status == 0:
		return BadAnswer
	default:
		return Rejected
	}
}

func (r *report) hasCode(codes []string) bool {
	return slices.ContainsFunc(r.codes, func(c string) bool { return slices.Contains(codes, c) })
}

func (r *report) says(phrase string) bool { return strings.Contains(r.lower, phrase) }

func (r *report) saysAny(phrases []string) bool { return slices.ContainsFunc(phrases, r.says) }

// text is what the provider said, in one short sentence if possible.
func (r *report) text(status int, h http.Header) string {
	switch {
	case status >= 300 && status < 400:
		return "redirected to " + h.Get("Location") + " (set the base URL to where the API is)"
	case r.message != "":
		return r.message
	case http.StatusText(status) != "":
		return http.StatusText(status)
	default:
		return "no explanation"
	}
}
