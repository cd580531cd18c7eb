package telegramfake

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Bounds of getUpdates.
const (
	maxBatch       = 100
	maxPollSeconds = 50
)

// updateQueue holds the updates that the bot has not confirmed.
type updateQueue struct {
	pending []pendingUpdate
	next    int
	allowed []string      // nil: the default set
	poller  chan struct{} // closed to end the getUpdates that waits
	arrived chan struct{} // closed and replaced with each update
}

// pendingUpdate keeps the id apart, so that confirming does not have to read
// it from the object.
type pendingUpdate struct {
	id     int
	object fakekit.Object
	// forced updates were queued with an id of the test's choice. They are
	// delivered even if the bot has confirmed higher ids already.
	forced bool
}

// confirm drops the updates that match.
func (q *updateQueue) confirm(matches func(id int) bool) {
	q.pending = slices.DeleteFunc(q.pending, func(u pendingUpdate) bool { return !u.forced && matches(u.id) })
}

// batch returns the objects of the oldest updates, which count as delivered.
func (q *updateQueue) batch(limit int) []fakekit.Object {
	out := make([]fakekit.Object, 0, min(limit, len(q.pending)))
	for i := range q.pending[:min(limit, len(q.pending))] {
		q.pending[i].forced = false
		out = append(out, q.pending[i].object)
	}
	return out
}

// stopPoller ends the getUpdates that waits, if there is one.
func (q *updateQueue) stopPoller() {
	if q.poller != nil {
		close(q.poller)
		q.poller = nil
	}
}

// wants reports whether the bot asked for a kind of update. Some kinds are
// sent only to bots that name them.
func (q *updateQueue) wants(kind string) bool {
	if len(q.allowed) > 0 {
		return slices.Contains(q.allowed, kind)
	}
	return kind != "chat_member" && kind != "message_reaction" && kind != "message_reaction_count"
}

func (q *updateQueue) setAllowed(call fakekit.Call) {
	if !call.Has("allowed_updates") {
		return
	}
	var allowed []string
	if call.JSON("allowed_updates", &allowed) == nil {
		q.allowed = allowed
	}
}

// Send queues an update for the bot. The update_id is added unless there is
// one; with one, the update is delivered although it may be a repetition or
// out of order. It returns the id, or 0 if the bot has not asked for this kind
// of update.
func (s *Server) Send(update any) (int, error) {
	obj, err := fakekit.ToObject(update)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sendLocked(obj), nil
}

func (s *Server) sendLocked(obj fakekit.Object) int {
	for kind := range obj {
		if kind != "update_id" && !s.updates.wants(kind) {
			return 0
		}
	}
	_, forced := obj["update_id"]
	if !forced {
		s.updates.next++
		obj["update_id"] = s.updates.next
	}
	id := updateID(obj)
	s.updates.pending = append(s.updates.pending, pendingUpdate{id, obj, forced})
	if !s.closed {
		close(s.updates.arrived)
		s.updates.arrived = make(chan struct{})
	}
	return id
}

// Pending returns how many updates have not been confirmed by the bot.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates.pending)
}

func conflict(description string) *Error {
	return &Error{Code: http.StatusConflict, Description: "Conflict: " + description}
}

// startPolling makes a getUpdates the one that waits, ending any other.
func (s *Server) startPolling(call fakekit.Call) (chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.webhook.url != "" {
		return nil, conflict("can't use getUpdates method while webhook is active; " +
			"use deleteWebhook to delete the webhook first")
	}
	s.updates.stopPoller()
	mine := make(chan struct{})
	s.updates.poller = mine
	s.updates.setAllowed(call)
	return mine, nil
}

func (s *Server) endPolling(mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.updates.poller == mine {
		s.updates.poller = nil
	}
}

func (s *Server) getUpdates(ctx context.Context, call fakekit.Call) (any, error) {
	mine, err := s.startPolling(call)
	if err != nil {
		return nil, err
	}
	defer s.endPolling(mine)
	limit := maxBatch
	if n := int(call.Int("limit")); n > 0 {
		limit = min(n, maxBatch)
	}
	s.confirmBelow(int(call.Int("offset")))
	deadline := time.After(time.Duration(min(call.Int("timeout"), maxPollSeconds)) * time.Second)
	for {
		s.mu.Lock()
		batch := s.updates.batch(limit)
		arrived, closed := s.updates.arrived, s.closed
		s.mu.Unlock()
		if len(batch) > 0 || closed {
			return batch, nil
		}
		select {
		case <-arrived:
		case <-deadline:
			return batch, nil
		case <-mine:
			return nil, conflict("terminated by other getUpdates request; " +
				"make sure that only one bot instance is running")
		case <-ctx.Done():
			return batch, nil
		}
	}
}

// confirmBelow carries out the offset of getUpdates: it confirms all updates
// below it, and a negative one all but that many of the newest.
func (s *Server) confirmBelow(offset int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if offset < 0 {
		s.updates.pending = s.updates.pending[max(0, len(s.updates.pending)+offset):]
		return
	}
	s.updates.confirm(func(id int) bool { return id < offset })
}

func updateID(u fakekit.Object) int {
	id, _ := strconv.Atoi(fakekit.Text(u["update_id"]))
	return id
}
