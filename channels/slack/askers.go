package slack

import (
	"sync"

	"github.com/leadhand/leadhand/channels"
)

// asker is the person for whom an answer is written. Slack wants to know it before it shows an answer that grows.
type asker struct{ user, team string }

// maxAskers bounds how many messages are remembered together with who wrote them.
const maxAskers = 2000

// askers remembers who wrote the newest messages. The zero value is ready to use.
type askers struct {
	mu    sync.Mutex
	wrote map[string]asker
	order []string // oldest first
}

func askerKey(chat string, id channels.MessageID) string { return chat + " " + string(id) }

func (a *askers) keep(chat string, id channels.MessageID, who asker) {
	if id == "" || who.user == "" || who.team == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrote == nil {
		a.wrote = map[string]asker{}
	}
	key := askerKey(chat, id)
	if _, ok := a.wrote[key]; !ok {
		a.order = append(a.order, key)
	}
	a.wrote[key] = who
	if len(a.order) > maxAskers {
		delete(a.wrote, a.order[0])
		a.order = a.order[1:]
	}
}

func (a *askers) of(chat string, id channels.MessageID) (asker, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	who, ok := a.wrote[askerKey(chat, id)]
	return who, ok
}
