package bot

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Signs show people at once that a message was received when its turn has to wait. A sign is no promise: one that can't
// be shown is only logged.
type Signs struct {
	channel func(name string) (channels.Channel, bool)
	log     *slog.Logger
	queue   chan *channels.Inbound
}

const (
	signWorkers = 8
	signQueue   = 256
	signTimeout = 5 * time.Second
)

// NewSigns shows signs over the channels that channel finds.
func NewSigns(channel func(name string) (channels.Channel, bool), log *slog.Logger) *Signs {
	return &Signs{channel, log, make(chan *channels.Inbound, signQueue)}
}

// Waits asks for a sign on a message. It never blocks.
func (s *Signs) Waits(in *channels.Inbound) {
	select {
	case s.queue <- in:
	default:
		s.log.Debug("too many messages wait for a sign", "channel", in.Conversation.Channel)
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
				case in := <-s.queue:
					s.show(ctx, in)
				}
			}
		})
	}
	workers.Wait()
	return nil
}

func (s *Signs) show(ctx context.Context, in *channels.Inbound) {
	ch, _ := s.channel(in.Conversation.Channel)
	m, ok := ch.(channels.Marker)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, signTimeout)
	defer cancel()
	if err := m.MarkSeen(ctx, in.Conversation, in.ID); err != nil && ctx.Err() == nil {
		s.log.Warn("show that a message was received", "channel", in.Conversation.Channel, "err", err)
	}
}
