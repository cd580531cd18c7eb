package fakekit

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// Fault changes how matching calls are answered.
type Fault struct {
	// Method is a pattern in the form of [path.Match] over the logical
	// method; "" matches every method, and "*" also matches "/".
	Method string `json:"method,omitempty"`
	// Chat limits the fault to calls that address one chat: chat_id on
	// Telegram, channel on Slack, the channel id in the path on Discord.
	// Calls that name no chat are not hit then.
	Chat string `json:"chat,omitempty"`
	// After lets that many matching calls through first.
	After int `json:"after,omitempty"`
	// Times is how many calls are affected; 0 means 1 and -1 means all.
	Times int `json:"times,omitempty"`
	// Delay holds the call back before it is handled. Alone, it slows the
	// call down and changes nothing else.
	Delay Duration `json:"delay,omitempty"`
	// RetryAfter answers with the platform's form of HTTP 429.
	RetryAfter Duration `json:"retry_after,omitempty"`
	// Global marks the 429 as a limit over all routes (Discord).
	Global bool `json:"global,omitempty"`
	// Status answers with this HTTP status and no usable body.
	Status int `json:"status,omitempty"`
	// Error answers with the platform's form of an API error.
	Error string `json:"error,omitempty"`
	// Drop closes the connection without handling the call.
	Drop bool `json:"drop,omitempty"`
	// DropResponse handles the call, then closes the connection without an
	// answer, so the client cannot tell whether it took effect.
	DropResponse bool `json:"drop_response,omitempty"`
}

// Name describes the fault in [Call.Fault].
func (f Fault) Name() string {
	switch {
	case f.Drop:
		return "drop"
	case f.DropResponse:
		return "drop_response"
	case f.RetryAfter > 0:
		return "429"
	case f.Error != "":
		return "error " + f.Error
	case f.Status != 0:
		return "status " + strconv.Itoa(f.Status)
	case f.Delay > 0:
		return "delay"
	default:
		return "none"
	}
}

// Duration is a time.Duration that decodes from text such as "1.5s" or from a
// number of seconds.
type Duration time.Duration

// MarshalJSON implements [json.Marshaler].
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *Duration) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case float64:
		*d = Duration(v * float64(time.Second))
	case string:
		parsed, err := time.ParseDuration(v)
		if err != nil {
			return err
		}
		*d = Duration(parsed)
	default:
		return fmt.Errorf("duration: cannot use %s", data)
	}
	return nil
}

// Seconds returns the duration in whole seconds, rounded up.
func (d Duration) Seconds() int {
	return int((time.Duration(d) + time.Second - 1) / time.Second)
}

// Pause waits for a delay, or until ctx is done.
func Pause(ctx context.Context, d Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(time.Duration(d)):
	case <-ctx.Done():
	}
}

// activeFault counts down the calls that a fault lets through and hits.
type activeFault struct {
	Fault
	skip, left int
}

func (f *activeFault) matches(method, chat string) bool {
	return f.left != 0 && Match(f.Method, method) && (f.Chat == "" || f.Chat == chat)
}

// Inject adds a fault. Faults are tried in the order they were added, and the
// first that matches a call and is not used up applies.
func (r *Recorder) Inject(f Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	times := f.Times
	if times == 0 {
		times = 1
	}
	r.faults = append(r.faults, &activeFault{Fault: f, skip: f.After, left: times})
}

// ClearFaults removes all faults.
func (r *Recorder) ClearFaults() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = nil
}

// TakeFault returns the fault to apply to a call of the method in a chat, if
// any; chat is "" for calls that address none. It is asked once for each call.
func (r *Recorder) TakeFault(method, chat string) (Fault, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.faults {
		if !f.matches(method, chat) {
			continue
		}
		if f.skip > 0 {
			f.skip--
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return f.Fault, true
	}
	return Fault{}, false
}

// Match reports whether a method pattern matches a method.
func Match(pattern, method string) bool {
	if pattern == "" || pattern == "*" || pattern == method {
		return true
	}
	if !strings.ContainsAny(pattern, "*?") {
		return false
	}
	// Braces and slashes are ordinary characters in a method name.
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(method, "/", "\x00"))
	return err == nil && ok
}
