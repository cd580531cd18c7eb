// Package llm is the contract with language models.
//
// A [Provider] streams one answer. Adapters are in the subfolders (openai, anthropic, gemini, script); retry and
// fallback are decorators in this package. A message keeps, part by part, whatever the provider needs to see again
// (reasoning signatures, call ids) in Meta, so that a history written by one provider is accepted by it later and
// ignored by the others.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
)

// Provider generates answers of one model.
type Provider interface {
	// Name is the kind and the model, "openai:gpt-5-mini", for logs, usage and error texts.
	Name() string
	// Generate streams one answer. The sequence yields chunks with a nil error and ends with exactly one chunk whose
	// Final is set, or with one error, which is an *Error unless ctx is done. Breaking out of the loop cancels the
	// request. Implementations hold no state between calls.
	Generate(ctx context.Context, req *Request) iter.Seq2[*Chunk, error]
}

// Request is everything a model sees. System, Tools and the older Messages must be byte-stable from call to call of a
// session: providers cache a prompt by its prefix, in the order tools, system, messages.
type Request struct {
	System   string
	Tools    []Tool
	Messages []Message
	// MaxTokens limits the answer; 0 leaves it to the adapter's default.
	MaxTokens int
	// NoTools forbids calls although Tools are listed (they stay listed to keep the cached prefix).
	NoTools bool
}

// Tool is a callable function as the model sees it. Input is a JSON Schema of type object.
type Tool struct {
	Name        string
	Description string
	Input       json.RawMessage
}

// Role says who speaks in a message.
type Role string

// Roles of messages.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool" // its parts are all Results, for calls of the assistant message before it
)

// Message is one entry of a history. It is stored as JSON; field names are a storage format.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// Part is a piece of a message. Exactly one of the content fields is set.
type Part struct {
	Text      string     `json:"text,omitempty"`
	Reasoning *Reasoning `json:"reasoning,omitempty"`
	Image     *Image     `json:"image,omitempty"`
	Call      *Call      `json:"call,omitempty"`
	Result    *Result    `json:"result,omitempty"`
	// Meta is what a provider wants back with this part, keyed by adapter kind ("anthropic", "gemini").
	Meta map[string]json.RawMessage `json:"meta,omitempty"`
}

// Reasoning is what a model thought before it answered. It is never shown to people.
type Reasoning struct {
	Text string `json:"text"`
}

// Image is a picture that a person or a tool gave. MediaType is image/png, image/jpeg, image/webp or image/gif.
type Image struct {
	Name      string `json:"name,omitempty"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// Call is a tool call that a model asked for. ID is never empty and unique within the message: an adapter whose
// provider gives none makes one up. Args is a JSON object as the model wrote it; it may be invalid JSON.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// Result answers a Call.
type Result struct {
	CallID  string `json:"call_id"`
	Name    string `json:"name"`
	Text    string `json:"text"`
	IsError bool   `json:"is_error,omitempty"`
}

// Chunk is one piece of a streamed answer. Text and Reasoning are deltas.
type Chunk struct {
	Text      string
	Reasoning string
	Reset     bool    // forget all deltas so far: the answer starts again (a decorator tried anew)
	Final     *Answer // the whole answer; set on the last chunk only
}

// Answer is one complete answer of a model.
type Answer struct {
	Message Message // Role Assistant, parts in the model's order
	Usage   Usage
	Finish  Finish
	Model   string // Name of the provider that answered
}

// Finish says why a model stopped.
type Finish string

// Reasons to stop.
const (
	Stop    Finish = "stop"
	Calls   Finish = "calls"   // it waits for tool results
	Length  Finish = "length"  // MaxTokens or the model's own limit was reached
	Refused Finish = "refused" // a safety filter ended it
)

// Usage counts tokens. Input includes CacheRead and CacheWrite; Output includes Reasoning.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
	// Cost is in millionths of a US dollar; 0 also where nobody knows a price.
	Cost int64 `json:"cost,omitempty"`
}

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite,
		u.Reasoning + v.Reasoning, u.Cost + v.Cost,
	}
}

// Text joins the text parts of the message.
func (m *Message) Text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Calls are the tool calls in the message, in order.
func (m *Message) Calls() []*Call {
	var cs []*Call
	for _, p := range m.Parts {
		if p.Call != nil {
			cs = append(cs, p.Call)
		}
	}
	return cs
}

// Results are the tool results in the message, in order.
func (m *Message) Results() []*Result {
	var rs []*Result
	for _, p := range m.Parts {
		if p.Result != nil {
			rs = append(rs, p.Result)
		}
	}
	return rs
}

// UserText is a user message with one text part.
func UserText(s string) Message { return Message{Role: User, Parts: []Part{{Text: s}}} }

// AssistantText is an assistant message with one text part.
func AssistantText(s string) Message { return Message{Role: Assistant, Parts: []Part{{Text: s}}} }
