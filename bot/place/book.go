package place

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Store keeps what is set from chat.
type Store interface {
	// Settings lists all of a tenant.
	Settings(ctx context.Context, tenant string) ([]Setting, error)
	// Set writes one if it still has the revision that s names, and removes it when its value is empty. ErrChanged.
	Set(ctx context.Context, tenant string, s Setting) error
}

// Book is all that is set for the places of a tenant: by the configuration file and from chat. Where the file sets
// something for a place, chat can't set it there or in a narrower place, because whoever runs the bot chose it on
// purpose. Lists of tools and prompts of a narrower place come on top.
type Book struct {
	tenant string
	store  Store
	log    *slog.Logger

	agents []string

	mu      sync.Mutex
	file    []Setting
	chat    []Setting
	until   time.Time // when chat is to be read again
	loaded  bool
	changes int        // made here: what was read before one is not kept after it
	reading sync.Mutex // held by the one that reads
}

// bookFor is after what time a change that another process made is seen.
const bookFor = 2 * time.Second

// NewBook makes a Book over what the configuration file sets. agents are those that there are; nil: any.
func NewBook(tenant string, store Store, file []Setting, agents []string, log *slog.Logger) *Book {
	return &Book{tenant: tenant, store: store, file: file, agents: agents, log: log}
}

// At is what counts in a conversation. An error means that it is not known.
func (b *Book) At(ctx context.Context, c channels.Conversation) (*Effective, error) {
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := &Effective{Conversation: c, agents: b.agents}
	for _, s := range b.chat {
		if holds(s.At, c) && b.fixed(s.At, s.Key) == nil {
			e.settings = append(e.settings, s)
		}
	}
	for _, s := range b.file {
		if holds(s.At, c) {
			e.settings = append(e.settings, s)
		}
	}
	narrowestFirst(e.settings)
	return e, nil
}

// Door is who may talk in a conversation, as access.Gate asks it.
func (b *Book) Door(ctx context.Context, c channels.Conversation) (everyone bool, only []string, err error) {
	e, err := b.At(ctx, c)
	if err != nil {
		return false, nil, err
	}
	if e.Who() == Listed {
		only = e.People()
		if only == nil { // a list without anybody lets nobody in
			only = []string{}
		}
	}
	return e.Who() == Everyone, only, nil
}

// Fixed is what the configuration file sets of a place or of what holds it, so that chat can't; nil when it sets
// nothing.
func (b *Book) Fixed(at channels.Conversation, key Key) *Setting {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fixed(at, key)
}

func (b *Book) fixed(at channels.Conversation, key Key) *Setting {
	for i := range b.file {
		f := b.file[i]
		adds := key == KeyTools || key == KeyPrompt // what is set of these in a narrower place comes on top
		if f.Key == key && (f.At == at || !adds && holds(f.At, at)) {
			return &f
		}
	}
	return nil
}

// All lists what is set of one key, wherever that is, as far as it counts.
func (b *Book) All(ctx context.Context, key Key) ([]Setting, error) {
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []Setting
	for _, s := range b.chat {
		if s.Key == key && b.fixed(s.At, key) == nil {
			all = append(all, s)
		}
	}
	for _, s := range b.file {
		if s.Key == key {
			all = append(all, s)
		}
	}
	return all, nil
}

// Fresh is At with what other processes changed a moment ago. It is for who wants to change it.
func (b *Book) Fresh(ctx context.Context, c channels.Conversation) (*Effective, error) {
	b.mu.Lock()
	b.until = time.Time{}
	b.mu.Unlock()
	return b.At(ctx, c)
}

// Set writes a setting. It counts at once here, and within two seconds in other processes.
func (b *Book) Set(ctx context.Context, s Setting) error {
	err := b.store.Set(ctx, b.tenant, s)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = time.Time{}
	b.changes++
	if err != nil {
		return fmt.Errorf("set %s: %w", s.Key, err)
	}
	same := func(old Setting) bool { return old.At == s.At && old.Key == s.Key }
	b.chat = slices.DeleteFunc(slices.Clone(b.chat), same)
	if s.Value != "" {
		s.Revision++
		b.chat = append(b.chat, s)
	}
	return nil
}

// Move lets what the file sets for a chat hold for its new id too. It tells whether it sets anything for the old one.
func (b *Book) Move(channel string, from, to channels.ChatID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = time.Time{}
	var moved []Setting
	for _, s := range b.file {
		if s.At.Channel == channel && s.At.Chat == from {
			s.At.Chat = to
			moved = append(moved, s)
		}
	}
	b.file = append(b.file, moved...)
	return len(moved) > 0
}

// readTime is how long one reading may take.
const readTime = 2 * time.Second

// read brings what was set from chat up to date. One reads at a time, and whoever comes meanwhile has what was known
// last; before the first time nothing is known. While reading fails, what was known last counts: rules do not go
// because the database is away.
func (b *Book) read(ctx context.Context) error {
	b.mu.Lock()
	loaded, fresh := b.loaded, time.Now().Before(b.until)
	b.mu.Unlock()
	if loaded && fresh {
		return nil
	}
	if !loaded {
		b.reading.Lock()
	} else if !b.reading.TryLock() {
		return nil
	}
	defer b.reading.Unlock()
	b.mu.Lock()
	changes, loaded, fresh := b.changes, b.loaded, time.Now().Before(b.until)
	b.mu.Unlock()
	if loaded && fresh { // another one read it meanwhile
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	all, err := b.store.Settings(ctx, b.tenant)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil && !loaded {
		return fmt.Errorf("read the settings of places: %w", err)
	}
	b.until = time.Now().Add(bookFor)
	switch {
	case err != nil:
		b.log.Warn("read the settings of places", "err", err)
	case changes != b.changes: // it may lack what was set meanwhile
		b.until = time.Time{}
	default:
		b.chat, b.loaded = all, true
	}
	return nil
}
