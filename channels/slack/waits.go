package slack

import (
	"maps"
	"strings"
	"sync"
	"time"
)

// waits is until when chats must be left alone, because Slack said so. A call into such a chat would only make the
// wait longer. The zero value is ready to use.
type waits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// wait keeps a method from a chat, and everything if a message was refused. A wait of another method, such as that of
// reactions, holds no message up.
func (w *waits) wait(method, chat string, d time.Duration) {
	key := method + " " + chat
	if chat != "" && strings.HasPrefix(method, "chat.") {
		key = chat
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(w.until, func(_ string, t time.Time) bool { return t.Before(now) })
	if w.until == nil {
		w.until = map[string]time.Time{}
	}
	w.until[key] = now.Add(d)
}

func (w *waits) left(method, chat string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(time.Until(w.until[method+" "+chat]), time.Until(w.until[chat]))
}
