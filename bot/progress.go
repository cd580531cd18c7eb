package bot

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/channels"
)

// typingEvery is how often a typing sign is renewed; platforms let it fade after 5 to 10 s.
const typingEvery = 4 * time.Second

// signAfter is how long a turn may take without any sign: an answer that comes at once needs none.
const signAfter = 700 * time.Millisecond

// typingGrace is what a call that is under way at the end gets, so that the sign does not come after the answer.
const typingGrace = 300 * time.Millisecond

// previewClose is how long a messenger may take to close a preview: the answer waits for it.
const previewClose = 10 * time.Second

// progress shows in the conversation what a run is doing, as well as the channel can: a preview of the answer, or a
// typing sign. It is tied to the run: after close nothing is shown any more. Progress is never the delivery.
type progress struct {
	w    *working
	wake chan struct{}
	done chan struct{}
	stop context.CancelFunc

	mu   sync.Mutex
	text strings.Builder
	step string

	preview channels.MessageID
}

func (w *working) startProgress(ctx context.Context) *progress {
	ctx, stop := context.WithCancel(ctx)
	p := &progress{w: w, wake: make(chan struct{}, 1), done: make(chan struct{}), stop: stop}
	go func() {
		defer close(p.done)
		p.show(ctx)
	}()
	return p
}

// observe is told what happens by the run.
func (p *progress) observe(e agent.Event) {
	p.mu.Lock()
	switch e.Kind {
	case agent.EventText:
		p.text.WriteString(e.Text)
		p.step = ""
	case agent.EventReset:
		p.text.Reset()
	case agent.EventToolStart:
		p.step = e.Label
	case agent.EventToolEnd:
		p.step = ""
	case agent.EventCompact:
		p.step = "summarising what was said before"
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// close ends the display and returns the message that shows the preview, of this attempt or an earlier one, if there is
// one to edit.
func (p *progress) close() channels.MessageID {
	p.stop()
	<-p.done
	return p.preview
}

func (p *progress) show(ctx context.Context) {
	it := p.w.turn.Item
	p.preview = it.Preview
	ch, ok := p.w.cfg.Channel(it.Message.Conversation.Channel)
	if !ok {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(signAfter):
	}
	var signs sync.WaitGroup
	defer signs.Wait()
	if t, ok := ch.(channels.Typer); ok {
		signs.Go(func() { p.typing(ctx, t) })
	}
	if s, ok := ch.(channels.Streamer); ok {
		signs.Go(func() { p.stream(ctx, s) })
	}
}

func (p *progress) typing(ctx context.Context, t channels.Typer) {
	calls, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	context.AfterFunc(ctx, func() { time.AfterFunc(typingGrace, end) })
	tick := time.NewTicker(typingEvery)
	defer tick.Stop()
	for {
		if err := t.Typing(calls, p.w.turn.Item.Message.Conversation); err != nil && ctx.Err() == nil {
			p.w.log.Debug("show typing", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// stream shows each state once; states that come while one is being shown are merged into the next.
func (p *progress) stream(ctx context.Context, s channels.Streamer) {
	in := &p.w.turn.Item.Message
	st, err := s.Stream(ctx, channels.Preview{
		Conversation: in.Conversation, ReplyTo: in.Quote(), Via: in.Via, Message: p.w.turn.Item.Preview,
		Posted: p.w.turn.Previewed, Buttons: p.buttons(ctx),
	})
	if err != nil {
		p.w.log.Warn("open preview", "err", err)
		return
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), previewClose)
		defer cancel()
		id, err := st.Close(ctx)
		if err != nil {
			p.w.log.Warn("close preview", "err", err)
		}
		if id != "" {
			p.preview = id
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case <-time.After(longWait):
			p.idle()
		}
		if !p.sent(ctx) {
			return
		}
		if err := st.Show(ctx, p.draft()); err != nil && ctx.Err() == nil {
			p.w.log.Debug("show preview", "err", err)
		}
	}
}

// buttons stand below a preview: they work while the turn lasts.
func (p *progress) buttons(ctx context.Context) [][]channels.Button {
	it := p.w.turn.Item
	stop := channels.Button{
		Text: "🛑 Stop", Command: channels.Command{Name: "stop"}, Guard: aboutTurn(it.Session, it.Seq),
	}
	kept, err := p.w.cfg.Buttons.Keep(ctx, it.Scope.Tenant, it.Message.Conversation, [][]channels.Button{{stop}})
	if err != nil && ctx.Err() == nil {
		p.w.log.Warn("keep the buttons of a preview", "err", err)
	}
	return kept
}

// longWait is how long nothing happens before people are told what is waited for.
const longWait = 30 * time.Second

// idle says what a run waits for that has shown nothing for long.
func (p *progress) idle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step == "" {
		p.step = "waiting for the model"
	}
}

// sendingPoll is how often it is asked whether what was said before is sent.
const sendingPoll = 200 * time.Millisecond

// sent waits until what was said before in the conversation is sent: what is shown must not stand above it. It tells
// whether the run still goes on.
func (p *progress) sent(ctx context.Context) bool {
	for p.w.cfg.Sending(p.w.turn.Item.Message.Conversation) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(sendingPoll):
		}
	}
	return ctx.Err() == nil
}

func (p *progress) draft() channels.Draft {
	p.mu.Lock()
	defer p.mu.Unlock()
	hide := p.w.cfg.Hide
	return channels.Draft{Text: hide.Partial(p.text.String()), Step: hide.Text(p.step)}
}
