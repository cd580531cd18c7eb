package store

import (
	"slices"
	"sync"

	"github.com/leadhand/leadhand/agent/session"
)

const (
	recentBytes  = 32 << 20 // that all kept histories may take
	recentOne    = 4 << 20  // and one of them
	entryAllowed = 300      // bytes counted for an entry beside its content
)

// recent keeps the decoded histories of sessions that were loaded lately, so that a long conversation is not read and
// decoded anew for every message. A history only grows: what was loaded once never changes, and only later entries
// have to be asked for. It is a cache of reads; nothing depends on what it holds.
type recent struct {
	mu    sync.Mutex
	known map[string]known
	bytes int
}

// known is a history up to an entry. Its entries are shared: nobody may change what they point to.
type known struct {
	entries []session.Entry
	last    int64 // Seq of the newest row that was loaded
	bytes   int
}

func newRecent() *recent { return &recent{known: map[string]known{}} }

func (r *recent) get(sessionID string) known {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[sessionID]
}

// put keeps k unless it is too large. When there is no room, others go in no particular order.
func (r *recent) put(sessionID string, k known) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= r.known[sessionID].bytes
	delete(r.known, sessionID)
	if k.bytes > recentOne {
		return
	}
	for id, other := range r.known {
		if r.bytes+k.bytes <= recentBytes {
			break
		}
		r.bytes -= other.bytes
		delete(r.known, id)
	}
	r.bytes += k.bytes
	r.known[sessionID] = k
}

// extend is k with later rows. What a summary covers is left out.
func (k known) extend(rows []historyRow) (known, error) {
	out := known{entries: slices.Clip(k.entries), last: k.last, bytes: k.bytes}
	for i := range rows {
		e, err := rows[i].entry()
		if err != nil {
			return k, err
		}
		if e.Kind == session.KindSummary {
			out.entries = slices.DeleteFunc(slices.Clone(out.entries), func(old session.Entry) bool {
				return old.Seq <= e.Covers || old.Kind == session.KindSummary
			})
		}
		out.entries = append(out.entries, e)
		out.last = e.Seq
		out.bytes += len(rows[i].Message) + len(rows[i].Files) + entryAllowed
	}
	return out, nil
}
