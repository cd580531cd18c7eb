package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/tools"
)

// How often the same call may give the same result.
const (
	repeatWindow = 30 // newest calls that are looked at
	nudgeAt      = 3  // the model is told
	refuseAt     = 5  // the call is not run again
	endAt        = 8  // the turn ends
)

const (
	repeatNudge = "\n\n[program] This call has given the same result several times. Repeating it will not help: " +
		"use what you have, try something else, or answer."
	refusedRepeat = "refused: this same call has given the same result again and again. " +
		"Use what you have, try something else, or answer."
)

// repeats notices when a model goes in circles. Only the same call with the same result counts: long work with
// different calls never does, and a change that was not made before lets every call be repeated.
type repeats struct {
	window []attempt
	most   int // highest count so far
}

type attempt struct {
	call   string
	result [sha256.Size]byte
}

// add notes a result and tells how often this call has given it.
func (r *repeats) add(call *llm.Call, result [sha256.Size]byte, effect tools.Effect) int {
	key := callKey(call)
	if _, before := r.latest(key); !before && effect != tools.ReadOnly {
		r.window = nil
	}
	return r.push(attempt{key, result})
}

// refused notes that a call was not run because of its repetition.
func (r *repeats) refused(call *llm.Call) {
	key := callKey(call)
	result, _ := r.latest(key)
	r.push(attempt{key, result})
}

// recall notes a call from the log.
func (r *repeats) recall(call *llm.Call, text string) {
	if text == refusedRepeat {
		r.refused(call)
		return
	}
	r.push(attempt{callKey(call), sha256.Sum256([]byte(strings.TrimSuffix(text, repeatNudge)))})
}

// tooOften tells whether a call must not be run again.
func (r *repeats) tooOften(call *llm.Call) bool {
	key := callKey(call)
	result, ok := r.latest(key)
	return ok && r.count(attempt{key, result}) >= refuseAt-1
}

// hopeless tells whether the turn has to end.
func (r *repeats) hopeless() bool { return r.most >= endAt }

func (r *repeats) push(a attempt) int {
	r.window = append(r.window, a)
	if len(r.window) > repeatWindow {
		r.window = r.window[1:]
	}
	n := r.count(a)
	r.most = max(r.most, n)
	return n
}

func (r *repeats) count(a attempt) int {
	n := 0
	for _, b := range r.window {
		if a == b {
			n++
		}
	}
	return n
}

func (r *repeats) latest(key string) (result [sha256.Size]byte, ok bool) {
	for _, a := range r.window {
		if a.call == key {
			result, ok = a.result, true
		}
	}
	return result, ok
}

// callKey is the same for calls that differ only in how their arguments are written.
func callKey(call *llm.Call) string {
	args := []byte(call.Args)
	var v any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if dec.Decode(&v) == nil {
		if canonical, err := json.Marshal(v); err == nil {
			args = canonical
		}
	}
	return call.Name + "\x00" + string(args)
}

func resultKey(r *tools.Result) [sha256.Size]byte {
	if len(r.Images) == 0 {
		return sha256.Sum256([]byte(r.ForModel))
	}
	h := sha256.New()
	h.Write([]byte(r.ForModel))
	for i := range r.Images {
		h.Write(r.Images[i].Data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
