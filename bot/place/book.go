package place

import (
	"context"
	"fmt"
	"log/slog"
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

// Book is all that is set for the places of a tenant: by the configuration file and from chat. Where both set the same
// of the same place, the file counts, because whoever runs the bot chose it on purpose.
type Book struct {
	tenant string
	store  Store
	log    *slog.Logger

	mu     sync.Mutex
	file   []Setting
	chat   []Setting
	until  time.Time // when chat is to be read again
	loaded bool
}

// bookFor is after what time a change that another process made is seen.
const bookFor = 2 * time.Second

// NewBook makes a Book over what the configuration file sets.
func NewBook(tenant string, store Store, file []Setting, log *slog.Logger) *Book {
	return &Book{tenant: tenant, store: store, file: file, log: log}
}

// At is what counts in a conversation. An error means that it is not known.
func (b *Book) At(ctx context.Context, c channels.Conversation) (*Effective, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	e := &Effective{Conversation: c}
	for _, s := range b.chat {
		if holds(s.At, c) && !b.fixed(s.At, s.Key) {
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

// Welcomes tells whether everybody may talk in a conversation.
func (b *Book) Welcomes(ctx context.Context, c channels.Conversation) (bool, error) {
	e, err := b.At(ctx, c)
	return err == nil && e.Who() == Everyone, err
}

// Fixed is what the configuration file sets of a place, so that chat can't; nil when it sets nothing.
func (b *Book) Fixed(at channels.Conversation, key Key) *Setting {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.file {
		if b.file[i].At == at && b.file[i].Key == key {
			s := b.file[i]
			return &s
		}
	}
	return nil
}

func (b *Book) fixed(at channels.Conversation, key Key) bool {
	for _, s := range b.file {
		if s.At == at && s.Key == key {
			return true
		}
	}
	return false
}

// Set writes a setting. It counts at once here, and within two seconds in other processes.
func (b *Book) Set(ctx context.Context, s Setting) error {
	err := b.store.Set(ctx, b.tenant, s)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = time.Time{}
	if err != nil {
		return fmt.Errorf("set %s: %w", s.Key, err)
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

// read brings what was set from chat up to date. While that fails, what was known last counts: rules do not go because
// the database is away. Before the first time nothing is known.
func (b *Book) read(ctx context.Context) error {
	if b.loaded && time.Now().Before(b.until) {
		return nil
	}
	all, err := b.store.Settings(ctx, b.tenant)
	if err != nil && !b.loaded {
		return fmt.Errorf("read the settings of places: %w", err)
	}
	b.until = time.Now().Add(bookFor)
	if err != nil {
		b.log.Warn("read the settings of places", "err", err)
		return nil
	}
	b.chat, b.loaded = all, true
	return nil
}
