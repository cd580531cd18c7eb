package fakekit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// controlWait bounds GET /wait when the caller names no timeout.
const controlWait = 5 * time.Second

// ControlHandler serves what all fakes offer to a shell script:
//
//	GET  /calls?method=PATTERN&after=SEQ&limit=N   the calls in the log; after and limit page through them
//	GET  /wait?method=PATTERN&timeout=5s&contains=TEXT  the next unclaimed call
//	GET  /violations                       the violations so far
//	POST /faults                           inject a [Fault]
//	POST /keep                             {calls}: keep only so many of the newest calls, 0 for all
//	POST /reset                            forget calls, violations and faults
//
// contains keeps only calls whose JSON form has that text.
func (r *Recorder) ControlHandler() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /calls", r.serveCalls)
	mux.HandleFunc("GET /wait", r.serveWait)
	mux.HandleFunc("GET /violations", func(w http.ResponseWriter, _ *http.Request) {
		WriteJSON(w, http.StatusOK, append([]Violation{}, r.Violations()...))
	})
	mux.HandleFunc("POST /faults", func(w http.ResponseWriter, req *http.Request) {
		var f Fault
		if err := json.NewDecoder(req.Body).Decode(&f); err != nil {
			WriteJSON(w, http.StatusBadRequest, Object{"error": err.Error()})
			return
		}
		r.Inject(f)
		WriteJSON(w, http.StatusOK, f)
	})
	type bound struct {
		Calls int `json:"calls"`
	}
	Handle(mux, "POST /keep", func(b bound) (any, error) {
		r.Keep(b.Calls)
		return b, nil
	})
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		r.Reset()
		WriteJSON(w, http.StatusOK, Object{"ok": true})
	})
	return mux
}

func (r *Recorder) serveCalls(w http.ResponseWriter, req *http.Request) {
	var after, limit int
	for name, n := range map[string]*int{"after": &after, "limit": &limit} {
		text := req.FormValue(name)
		if text == "" {
			continue
		}
		v, err := strconv.Atoi(text)
		if err != nil || v < 0 {
			WriteJSON(w, http.StatusBadRequest, Object{"error": name + ": not a number: " + text})
			return
		}
		*n = v
	}
	WriteJSON(w, http.StatusOK, append([]Call{}, r.page(req.FormValue("method"), after, limit)...))
}

func (r *Recorder) serveWait(w http.ResponseWriter, req *http.Request) {
	timeout := controlWait
	if t := req.FormValue("timeout"); t != "" {
		d, err := time.ParseDuration(t)
		if err != nil {
			WriteJSON(w, http.StatusBadRequest, Object{"error": err.Error()})
			return
		}
		timeout = d
	}
	ctx, cancel := context.WithTimeout(req.Context(), timeout)
	defer cancel()
	text := req.FormValue("contains")
	c, err := r.WaitContext(ctx, req.FormValue("method"), func(c Call) bool {
		if text == "" {
			return true
		}
		data, err := json.Marshal(c)
		return err == nil && strings.Contains(string(data), text)
	})
	if err != nil {
		WriteJSON(w, http.StatusGatewayTimeout, Object{"error": err.Error()})
		return
	}
	WriteJSON(w, http.StatusOK, c)
}

// Handle adds a control endpoint that decodes a JSON body into a T and
// answers with what f returns.
func Handle[T any](mux *http.ServeMux, pattern string, f func(T) (any, error)) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		var in T
		dec := json.NewDecoder(req.Body)
		dec.UseNumber()
		if err := dec.Decode(&in); err != nil && !errors.Is(err, io.EOF) {
			WriteJSON(w, http.StatusBadRequest, Object{"error": err.Error()})
			return
		}
		out, err := f(in)
		if err != nil {
			WriteJSON(w, http.StatusUnprocessableEntity, Object{"error": err.Error()})
			return
		}
		WriteJSON(w, http.StatusOK, out)
	})
}

// Batch is the body of a control endpoint that takes one value or an array of
// them, so that a load test needs few requests.
type Batch[T any] struct {
	Items []T
	// Single tells that the body was one value and no array.
	Single bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (b *Batch[T]) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return dec.Decode(&b.Items)
	}
	var one T
	if err := dec.Decode(&one); err != nil {
		return err
	}
	b.Items, b.Single = []T{one}, true
	return nil
}

// Each applies f to the items in order and stops at the first error. It
// returns what f returned: one value for a single item, else an array.
func (b Batch[T]) Each(f func(T) (any, error)) (any, error) {
	out := make([]any, 0, len(b.Items))
	for _, item := range b.Items {
		v, err := f(item)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if b.Single {
		return out[0], nil
	}
	return out, nil
}
