// Package conformance is one suite for all adapters of language models. Each adapter describes its vendor's wire format
// in a [Vendor], and [Exercise] runs the adapter against a fake server that speaks it.
package conformance

import (
	"net/http"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
)

// Vendor is an adapter under test and the wire format of its vendor.
type Vendor struct {
	New func(Endpoint) llm.Provider
	// Key reads the credential from a request's header.
	Key func(http.Header) string
	// Stream is the body of a complete streamed answer.
	Stream func(*Answer) string
	// Failure is what the vendor's stream holds when it reports an error in its middle.
	Failure func(status int, message string) string
	// Read understands a request and is as strict as the vendor: what the vendor answers with 400 is an error.
	Read func(body []byte) (*Request, error)
	// TooLong are the vendor's error bodies, with status 400, for a request beyond the model's window.
	TooLong []string
	// NoCredit is an error for an account without money.
	NoCredit Response
	// Strange are events that the vendor should never send. They must lead to an error, or to nothing.
	Strange []string
	// KeepsReasoning tells that reasoning must come back with the calls that followed it.
	KeepsReasoning bool
}

// Endpoint is what an adapter's Config takes.
type Endpoint struct {
	URL, Key string
	Client   *http.Client
	Idle     time.Duration
}

// Answer is an answer as the fake server gives it.
type Answer struct {
	Reasoning string
	Signature string // opaque, to be given back with the reasoning or the call it came with
	Texts     []string
	Calls     []llm.Call
	Finish    llm.Finish
	Usage     llm.Usage // zero: not reported
}

// Request is what a request says, without the vendor's form. Messages of one role in a row may be one or several.
type Request struct {
	System    string
	Tools     []string
	NoTools   bool
	MaxTokens int
	Messages  []Message
}

// Message is what one message says.
type Message struct {
	Role    llm.Role
	Texts   []string
	Images  []string // base64
	Calls   []llm.Call
	Results []llm.Result
	Kept    []string // signatures and reasoning that came back
}

// Response is one answer of the fake server.
type Response struct {
	Status int // 200 if 0
	Header map[string]string
	Body   string
	// After, if set, runs once the body has been flushed; the connection is then cut.
	After func(r *http.Request)
}

// Exercise runs the suite.
func Exercise(t *testing.T, v Vendor) {
	t.Run("leaves nothing behind when cancelled", func(t *testing.T) { cancelled(t, v) })
	t.Run("answers", func(t *testing.T) { answers(t, v) })
	t.Run("histories", func(t *testing.T) { histories(t, v) })
	t.Run("failures", func(t *testing.T) { failures(t, v) })
	t.Run("streams", func(t *testing.T) { streams(t, v) })
}
