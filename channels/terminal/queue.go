package terminal

import "sync"

// queue hands values to one reader in order. Putting never blocks, so the screen stays alive while a reader is slow.
type queue[T any] struct {
	wake chan struct{} // holds a token while there may be something to take

	mu     sync.Mutex
	items  []T
	closed bool
}

func newQueue[T any]() *queue[T] {
	return &queue[T]{wake: make(chan struct{}, 1)}
}

// put adds v, or returns false after close.
func (q *queue[T]) put(v T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.items = append(q.items, v)
	q.signal()
	return true
}

// replace puts v over the newest value if that is older news of the same thing, and else adds it.
func (q *queue[T]) replace(v T, same func(newest T) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if n := len(q.items); n > 0 && same(q.items[n-1]) {
		q.items[n-1] = v
	} else {
		q.items = append(q.items, v)
	}
	q.signal()
}

// take empties the queue. open is false once nothing more can come.
func (q *queue[T]) take() (items []T, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, nil
	return items, !q.closed
}

func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
