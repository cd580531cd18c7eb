package slack

import "sync"

// maxRecent bounds of how many messages something is remembered.
const maxRecent = 2000

// recent remembers something of the newest messages of chats, or of chats. The zero value is ready to use.
type recent[V any] struct {
	mu    sync.Mutex
	kept  map[string]V
	order []string // oldest first
}

// messageKey names a message among those of all chats.
func messageKey[ID ~string](chat string, id ID) string { return chat + " " + string(id) }

func (r *recent[V]) keep(key string, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string]V{}
	}
	if _, ok := r.kept[key]; !ok {
		r.order = append(r.order, key)
	}
	r.kept[key] = v
	if len(r.order) > maxRecent {
		delete(r.kept, r.order[0])
		r.order = r.order[1:]
	}
}

func (r *recent[V]) of(key string) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.kept[key]
	return v, ok
}
