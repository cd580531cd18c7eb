package access

import (
	"context"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels"
)

const (
	cacheFor = 2 * time.Second // after which a change that another process made is seen
	maxCache = 10_000          // accounts
)

// cached answers Find from memory for a moment: it is asked for every message. What is changed through it is seen at
// once.
type cached struct {
	People
	mu    sync.Mutex
	known map[cacheKey]cacheEntry
	seen  map[cacheKey]channels.Conversation // that were kept
	epoch int                                // of changes: what was read before one is not kept after it
}

type cacheKey struct {
	tenant string
	a      Account
}

type cacheEntry struct {
	p       *Person
	blocked bool
	until   time.Time
}

// Cached gives people a memory.
func Cached(people People) People {
	return &cached{
		People: people, known: map[cacheKey]cacheEntry{}, seen: map[cacheKey]channels.Conversation{},
	}
}

func (c *cached) Seen(ctx context.Context, tenant string, a Account, at channels.Conversation) error {
	key := cacheKey{tenant, a}
	c.mu.Lock()
	kept, ok := c.seen[key]
	epoch := c.epoch
	c.mu.Unlock()
	if ok && kept == at {
		return nil
	}
	if err := c.People.Seen(ctx, tenant, a, at); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch == epoch {
		if len(c.seen) >= maxCache {
			clear(c.seen)
		}
		c.seen[key] = at
	}
	return nil
}

func (c *cached) Find(ctx context.Context, tenant string, a Account) (*Person, bool, error) {
	key := cacheKey{tenant, a}
	c.mu.Lock()
	e, ok := c.known[key]
	epoch := c.epoch
	c.mu.Unlock()
	if ok && time.Now().Before(e.until) {
		return e.p, e.blocked, nil
	}
	p, blocked, err := c.People.Find(ctx, tenant, a)
	if err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch == epoch {
		if len(c.known) >= maxCache {
			clear(c.known)
		}
		c.known[key] = cacheEntry{p, blocked, time.Now().Add(cacheFor)}
	}
	return p, blocked, nil
}

// forget drops all that is known, after a change whatever came of it.
func (c *cached) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
	clear(c.seen)
	c.epoch++
}

func (c *cached) Decide(
	ctx context.Context, tenant, code, decision, by string,
) (*Request, bool, error) {
	defer c.forget()
	return c.People.Decide(ctx, tenant, code, decision, by)
}

func (c *cached) Unblock(ctx context.Context, tenant, name string) ([]string, error) {
	defer c.forget()
	return c.People.Unblock(ctx, tenant, name)
}

func (c *cached) Change(ctx context.Context, tenant, id string, role Role) error {
	defer c.forget()
	return c.People.Change(ctx, tenant, id, role)
}

func (c *cached) Remove(ctx context.Context, tenant, id string) error {
	defer c.forget()
	return c.People.Remove(ctx, tenant, id)
}

func (c *cached) Claim(ctx context.Context, tenant, code string, a Account, name string) (*Person, error) {
	defer c.forget()
	return c.People.Claim(ctx, tenant, code, a, name)
}

func (c *cached) Link(ctx context.Context, tenant, code string, a Account, name string) (*Person, error) {
	defer c.forget()
	return c.People.Link(ctx, tenant, code, a, name)
}
