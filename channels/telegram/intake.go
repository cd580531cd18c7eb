package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// intake hands updates to the program and remembers which of them are stored. It is used by one poll.
type intake struct {
	c      *Channel
	handle channels.Handler
	next   int          // all updates below are done, and confirmed by the next poll
	done   map[int]bool // updates from next on that are done as well
	stored int          // updates that were stored in the last round

	known *update // one that was stored: storing it again changes nothing

	mu      sync.Mutex        // guards what is kept of updates while chats are worked at once
	failing map[int]time.Time // since when updates can't be stored
}

func newIntake(c *Channel, h channels.Handler) *intake {
	return &intake{c: c, handle: h, done: map[int]bool{}, failing: map[int]time.Time{}}
}

// chatsAtOnce is how many chats' updates are stored at the same time.
const chatsAtOnce = 32

// giveUp is how long an update may fail while others can be stored: then it is at fault, not the database.
const giveUp = 2 * time.Minute

// take stores a batch: chats at the same time, each in order. It tells whether all is done.
func (in *intake) take(ctx context.Context, batch []json.RawMessage) bool {
	var ids []int
	byChat := map[int64][]*update{}
	for _, raw := range batch {
		u, err := decode(raw)
		if u.ID == 0 {
			in.c.env.Log.Warn("an update without id is left out", "err", err)
			continue
		}
		ids = append(ids, u.ID)
		switch {
		case in.done[u.ID]:
		case err != nil:
			in.c.env.Log.Warn("an update that can't be read is left out", "update", u.ID, "err", in.c.api.hide(err.Error()))
			in.done[u.ID] = true
		default:
			byChat[u.chat()] = append(byChat[u.chat()], u)
		}
	}
	if len(ids) == 0 {
		return len(batch) == 0 // updates without ids come again at once
	}
	in.work(ctx, byChat)
	return in.advance(ids)
}

// advance moves next behind what is done. Ids mostly rise, but not always: after a quiet week they begin anew.
func (in *intake) advance(ids []int) bool {
	open := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return in.done[id] })
	if len(open) == 0 {
		in.next = slices.Max(ids) + 1
		clear(in.done)
		clear(in.failing)
		return true
	}
	in.next = slices.Min(open)
	return false
}

// work handles the updates of chats. The first that fails in a chat keeps those behind it waiting.
func (in *intake) work(ctx context.Context, byChat map[int64][]*update) {
	var chats sync.WaitGroup
	slots := make(chan struct{}, chatsAtOnce)
	var failed []*update
	in.stored = 0
	for _, us := range byChat {
		slots <- struct{}{}
		chats.Go(func() {
			defer func() { <-slots }()
			for _, u := range us {
				err := in.c.receive(ctx, u, in.handle)
				in.mu.Lock()
				if err == nil {
					in.done[u.ID] = true
					in.stored++
					in.known = u
				} else {
					failed = append(failed, u)
				}
				in.mu.Unlock()
				if err != nil {
					if ctx.Err() == nil {
						in.c.env.Log.Error("a message is not stored yet", "update", u.ID, "err", err)
					}
					return
				}
			}
		})
	}
	chats.Wait()
	now := time.Now()
	for _, u := range failed {
		since, before := in.failing[u.ID]
		if !before {
			in.failing[u.ID] = now
		} else if now.Sub(since) >= in.c.giveUp && in.works(ctx) {
			in.refuse(ctx, u)
		}
	}
}

// works tells whether anything can be stored now.
func (in *intake) works(ctx context.Context) bool {
	return in.stored > 0 || in.known != nil && in.c.receive(ctx, in.known, in.handle) == nil
}

// refuse gives an update up that can't be stored, and says so where it was written.
func (in *intake) refuse(ctx context.Context, u *update) {
	in.c.env.Log.Error("a message is given up: it can't be stored", "update", u.ID)
	in.done[u.ID] = true
	m := u.content()
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	_, err := in.c.Send(ctx, &channels.Outbound{
		Key: fmt.Sprintf("refused/%d", u.ID), Conversation: in.c.conversation(m), ReplyTo: messageID(m.ID),
		Text: "I could not keep this message, so I did not read it. Please send it again in another way.",
	})
	if err != nil {
		in.c.env.Log.Error("tell that a message was given up", "err", err)
	}
}
