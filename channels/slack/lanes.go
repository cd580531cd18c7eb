package slack

import "sync"

// lanes keep what belongs to one conversation in order while conversations are worked at the same time. The zero value
// is ready to use.
type lanes struct {
	mu   sync.Mutex
	last map[string]chan struct{} // closed when the newest of a lane is done
	busy int
}

// maxBusy bounds what is worked at the same time. More is left to Slack, which delivers it again.
const maxBusy = 1000

// enter takes the next place in a lane. The caller waits for turn before it works, and calls leave afterwards. ok is
// false when too much is going on already.
func (l *lanes) enter(key string) (turn <-chan struct{}, leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy >= maxBusy {
		return nil, nil, false
	}
	if l.last == nil {
		l.last = map[string]chan struct{}{}
	}
	before, done := l.last[key], make(chan struct{})
	if before == nil {
		before = make(chan struct{})
		close(before)
	}
	l.last[key] = done
	l.busy++
	finish := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.busy--
		if l.last[key] == done {
			delete(l.last, key)
		}
		close(done)
	}
	return before, func() {
		select {
		case <-before:
			finish()
		default: // given up before its turn: those behind still wait for those before
			go func() {
				<-before
				finish()
			}()
		}
	}, true
}
