package discord

import (
	"hash/maphash"
	"sync"
)

// texts is what the newest messages said, to tell changes of the text from others. The zero value is ready to use.
type texts struct {
	mu    sync.Mutex
	seed  maphash.Seed
	byID  map[string]uint64
	order [keptTexts]string // a ring of ids
	next  int
}

const keptTexts = 4096

func (t *texts) keep(id, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID, t.seed = map[string]uint64{}, maphash.MakeSeed()
	}
	if _, known := t.byID[id]; !known {
		delete(t.byID, t.order[t.next])
		t.order[t.next] = id
		t.next = (t.next + 1) % keptTexts
	}
	t.byID[id] = maphash.String(t.seed, text)
}

// same tells whether a message is known to have said this already.
func (t *texts) same(id, text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum, ok := t.byID[id]
	return ok && sum == maphash.String(t.seed, text)
}
