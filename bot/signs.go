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

	mu   sync.Mutex
	open map[string]*waiting // by channel and event key
}

// waiting is a message whose turn has not begun.
type waiting struct {
	in    *channels.Inbound
	since time.Time
	begun bool
}

const (
	signWorkers = 8
	signQueue   = 1024
	signTimeout = 5 * time.Second
	// queueSignAfter is how long a message waits before that is shown: people look for a sign within two seconds.
	queueSignAfter = time.Second
)

// NewSigns shows signs over the channels that channel finds.
func NewSigns(channel func(name string) (channels.Channel, bool), log *slog.Logger) *Signs {
	return &Signs{channel: channel, log: log, queue: make(chan *waiting, signQueue), open: map[string]*waiting{}}
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

// Run shows signs until ctx is done.
func (s *Signs) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range signWorkers {
		workers.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case w := <-s.queue:
					s.wait(ctx, w)
				}
			}
		})
	}
	workers.Wait()
	return nil
}

// wait shows the sign when it is due. The queue is in the order of time, so nothing behind is due earlier.
func (s *Signs) wait(ctx context.Context, w *waiting) {
	if s.over(w) {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Until(w.since.Add(queueSignAfter))):
	}
	if !s.over(w) {
		s.Begun(w.in)
		s.show(ctx, w.in)
	}
}

func (s *Signs) over(w *waiting) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.begun
}

func (s *Signs) show(ctx context.Context, in *channels.Inbound) {
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
