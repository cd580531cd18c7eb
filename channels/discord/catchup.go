package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// recent is which channels something was written in lately, with the newest message that is known of each. The zero
// value is ready to use.
type recent struct {
	mu     sync.Mutex
	newest map[string]newest
}

type newest struct {
	id uint64
	at time.Time
}

const (
	recentFor    = 24 * time.Hour
	maxRecent    = 2000 // channels that are remembered
	maxCatchUp   = 100  // channels that are asked what was missed
	catchPage    = 100  // messages in one answer; more Discord does not give
	catchPages   = 5
	forgetAtOnce = maxRecent / 10 // channels that are forgotten at once, to make room
)

// note remembers a message.
func (r *recent) note(channel, id string) {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.newest == nil {
		r.newest = map[string]newest{}
	}
	if len(r.newest) >= maxRecent {
		for _, old := range r.byAge()[:forgetAtOnce] {
			delete(r.newest, old)
		}
	}
	r.newest[channel] = newest{max(n, r.newest[channel].id), time.Now()}
}

// byAge lists the channels, the oldest first.
func (r *recent) byAge() []string {
	return slices.SortedFunc(maps.Keys(r.newest), func(a, b string) int {
		return cmp.Or(r.newest[a].at.Compare(r.newest[b].at), cmp.Compare(a, b))
	})
}

// active is the newest message of each channel that was lately in use.
func (r *recent) active() map[string]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]uint64{}
	for _, channel := range slices.Backward(r.byAge()) {
		if n := r.newest[channel]; len(out) < maxCatchUp && time.Since(n.at) < recentFor {
			out[channel] = n.id
		}
	}
	return out
}

// catchUp stores what was written in a channel after a message. It is a job of the channel, so that what comes
// meanwhile comes after it. What is stored twice has the same key.
func (in *intake) catchUp(ctx context.Context, channel string, after uint64) error {
	var missed []job
	full := true
	for page := 0; full && page < catchPages; page++ {
		found, n, err := in.c.after(ctx, channel, after)
		if f := asFailure(err); err != nil && f.code != 0 { // the channel is gone, or closed to the bot
			in.c.env.Log.Debug("what was missed can't be read", "chat", channel, "err", f)
			return nil
		}
		if err != nil {
			return err
		}
		for _, m := range found {
			if in.c.heard(m) {
				missed = append(missed, job{id: m.ID, said: true, do: func(ctx context.Context) error { return in.store(ctx, m) }})
			}
			in.c.recent.note(channel, m.ID)
			after = max(after, number(m.ID))
		}
		full = n == catchPage && len(found) > 0
	}
	if full {
		in.c.env.Log.Warn("more was missed in a channel than is caught up on", "chat", channel)
	}
	in.first(channel, missed)
	return nil
}

// after reads the messages that follow one, the oldest first.
func (c *Channel) after(ctx context.Context, channel string, id uint64) (page []*message, n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var raw []json.RawMessage
	err = c.api.call(ctx, request{
		op: "read messages", verb: http.MethodGet, chat: channel,
		url: fmt.Sprintf("%s?limit=%d&after=%d", discordgo.EndpointChannelMessages(channel), catchPage, id),
	}, &raw)
	for _, r := range raw {
		if m, err := decode("MESSAGE_CREATE", r); err == nil {
			page = append(page, m.(*message))
		}
	}
	slices.SortFunc(page, func(a, b *message) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	return page, len(raw), err
}

// number is an id as ids are ordered: by time.
func number(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
