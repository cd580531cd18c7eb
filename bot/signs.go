package bot

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Signs show people that a message was received when its turn does not begin at once. A sign is no promise: one that
// can't be shown is only logged.
type Signs struct {
	channel func(name string) (channels.Channel, bool)
	log     *slog.Logger
	queue   chan *waiting

	mu    sync.Mutex
	open  map[string]*waiting          // by channel and event key
	chats map[chat][]*channels.Inbound // where a sign is being shown, and what waits for the next there
}

// chat is one that a messenger may be slow about, while others go on.
type chat struct {
	channel string
	id      channels.ChatID
}

// waiting is a message whose turn has not begun.
type waiting struct {
	in    *channels.Inbound
	since time.Time
	begun bool
}

const (
	signQueue   = 1024
	signTimeout = 2 * time.Second
	// queueSignAfter is how long a message waits before that is shown: people look for a sign within two seconds.
	queueSignAfter = time.Second
)

// NewSigns shows signs over the channels that channel finds.
func NewSigns(channel func(name string) (channels.Channel, bool), log *slog.Logger) *Signs {
	return &Signs{
		channel: channel, log: log, queue: make(chan *waiting, signQueue), open: map[string]*waiting{},
		chats: map[chat][]*channels.Inbound{},
	}
}

func signKey(in *channels.Inbound) string { return in.Conversation.Channel + "/" + in.EventKey }

// Waits asks for a sign on a message, unless its turn begins soon. It never blocks.
func (s *Signs) Waits(in *channels.Inbound) {
	w := &waiting{in: in, since: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.queue <- w:
		s.open[signKey(in)] = w
	default:
		s.log.Debug("too many messages wait for a sign", "channel", in.Conversation.Channel)
	}
}

// Begun tells that the turn of a message has begun, or taken it in: it needs no sign of its own any more.
func (s *Signs) Begun(in *channels.Inbound) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.open[signKey(in)]; w != nil {
		w.begun = true
		delete(s.open, signKey(in))
	}
}

// Run shows signs until ctx is done. The queue is in the order of time, so nothing behind is due earlier.
func (s *Signs) Run(ctx context.Context) error {
	var showing sync.WaitGroup
	defer showing.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case w := <-s.queue:
			if !s.wait(ctx, w) {
				continue
			}
			s.Begun(w.in)
			if at := s.next(w.in); at != nil {
				showing.Go(func() { s.show(ctx, *at, w.in) })
			}
		}
	}
}

// wait waits until a sign is due, and tells whether it is needed then.
func (s *Signs) wait(ctx context.Context, w *waiting) bool {
	over := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return w.begun
	}
	if over() {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(w.since.Add(queueSignAfter))):
	}
	return !over()
}

// next gives the message's chat if no sign is being shown there. Otherwise the message waits for that one.
func (s *Signs) next(in *channels.Inbound) *chat {
	at := chat{in.Conversation.Channel, in.Conversation.Chat}
	s.mu.Lock()
	defer s.mu.Unlock()
	line, busy := s.chats[at]
	if busy {
		s.chats[at] = append(line, in)
		return nil
	}
	s.chats[at] = nil
	return &at
}

// show shows signs in a chat, one after the other, until none waits there.
func (s *Signs) show(ctx context.Context, at chat, in *channels.Inbound) {
	for in != nil {
		s.mark(ctx, in)
		s.mu.Lock()
		if line := s.chats[at]; len(line) > 0 {
			in, s.chats[at] = line[0], line[1:]
		} else {
			in = nil
			delete(s.chats, at)
		}
		s.mu.Unlock()
	}
}

func (s *Signs) mark(ctx context.Context, in *channels.Inbound) {
	ch, known := s.channel(in.Conversation.Channel)
	m, able := ch.(channels.Marker)
	if !known || !able {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, signTimeout)
	defer cancel()
	if err := m.MarkSeen(ctx, in.Conversation, in.ID); err != nil && ctx.Err() == nil {
		s.log.Warn("show that a message was received", "channel", in.Conversation.Channel, "err", err)
	}
}
