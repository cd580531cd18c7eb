package discord

import (
	"maps"
	"slices"
	"sync"
)

// ring keeps the newest of many names, each with a value. The zero value is ready to use.
type ring[V any] struct {
	mu     sync.Mutex
	values map[string]V
	order  []string
	next   int
}

// ringSize is how many names are kept.
const ringSize = 4096

// keep remembers the value of a name.
func (r *ring[V]) keep(name string, v V) {
	r.change(name, func(V, bool) (V, bool) { return v, true })
}

// change sets what a name has to what it should have from now on, if anything; it tells whether it did.
func (r *ring[V]) change(name string, to func(old V, known bool) (v V, ok bool)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, known := r.values[name]
	v, ok := to(old, known)
	if !ok {
		return false
	}
	if r.values == nil {
		r.values, r.order = map[string]V{}, make([]string, ringSize)
	}
	if !known {
		delete(r.values, r.order[r.next])
		r.order[r.next] = name
		r.next = (r.next + 1) % ringSize
	}
	r.values[name] = v
	return true
}

// get is the value of a name, if that is known.
func (r *ring[V]) get(name string) (v V, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, known = r.values[name]
	return v, known
}

// names are all that are known.
func (r *ring[V]) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.values))
}
