package telegram

import (
	"maps"
	"sync"
	"time"
)

// waits is until when chats must be left alone, because Telegram said so. A call into such a chat would only make the
// wait longer. The zero value is ready to use.
type waits struct {
	mu    sync.Mutex
	until map[string]time.Time // by chat id
}

func (w *waits) wait(chat string, d time.Duration) {
	if chat == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(w.until, func(_ string, t time.Time) bool { return t.Before(now) })
	if w.until == nil {
		w.until = map[string]time.Time{}
	}
	w.until[chat] = now.Add(d)
}

func (w *waits) left(chat string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Until(w.until[chat])
}
