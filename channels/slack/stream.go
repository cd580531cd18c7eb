package slack

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/leadhand/leadhand/channels"
)

const (
	slowest   = 20 * time.Second        // between states, after Slack asked to wait
	frameTime = 10 * time.Second        // for one state
	endTime   = 1500 * time.Millisecond // for the state under way, and then for the end, when the run is over
	stepRoom  = 200                     // characters kept free for the step
)

// Stream implements channels.Streamer. In threads the preview is a stream, which Slack shows with steps and a way to
// stop it; where it takes none, a message that is edited. The answer takes the place of either.
func (c *Channel) Stream(_ context.Context, p channels.Preview) (channels.Stream, error) {
	to, err := spotOf(p.Conversation)
	if err != nil {
		return nil, err
	}
	s := &stream{c: c, p: p, to: to, id: p.Message, every: c.pace.edit, key: "preview/" + rand.Text()}
	who, known := c.askers.of(messageKey(to.chat, p.ReplyTo))
	if to.thread != "" && known && s.id == "" {
		s.live, s.every = &live{c: c, to: to, who: who}, c.pace.append
	}
	return s, nil
}

// stream is one open preview.
type stream struct {
	c     *Channel
	p     channels.Preview
	to    spot
	id    channels.MessageID
	live  *live // nil when the preview is an edited message
	shown string
	every time.Duration
	ended bool      // a person stopped it, or nothing can be shown there
	key   string    // finds a posted preview again
	lost  bool      // a preview was posted, but its answer never came
	began time.Time // when a stream was started whose answer never came
}

// find looks up a preview whose answer never came. A stream is stopped: it would seem to be written for ever.
func (s *stream) find(ctx context.Context) (err error) {
	var id channels.MessageID
	if s.began.IsZero() {
		look := &sending{c: s.c, to: s.to}
		err = look.lookUp(ctx, part{key: s.key})
		id = look.seen[s.key]
	} else {
		id, err = s.c.stray(ctx, s.to, s.began)
	}
	if err != nil {
		return err
	}
	streams := !s.began.IsZero()
	s.lost, s.id, s.began = false, id, time.Time{}
	if id == "" {
		return nil
	}
	s.c.posted.keep(messageKey(s.to.chat, id), true)
	if streams {
		if err := s.c.stopStream(ctx, s.to, id); err != nil { // an edit of it stops it again if need be
			s.c.env.Log.Debug("stop a stream", "err", err)
		}
	}
	if s.p.Posted != nil {
		return s.p.Posted(ctx, id)
	}
	return nil
}

// Show shows a state and waits until the next may follow. A state that fails is left out: the next is newer. It is
// seen through although ctx ends: a state that is still under way could otherwise be shown after the answer, and of a
// new message nobody knew whether it is there.
func (s *stream) Show(ctx context.Context, d channels.Draft) error {
	if s.ended {
		return nil
	}
	through, cancel := context.WithTimeout(context.WithoutCancel(ctx), frameTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(endTime, cancel) })()
	var shown bool
	var err error
	if s.live != nil {
		shown, err = s.flow(through, d)
	}
	if s.live == nil && !s.ended {
		shown, err = s.redraw(through, d)
	}
	if f, failed := errors.AsType[*failure](err); failed && f.retryAfter > 0 {
		s.every = min(2*s.every, slowest)
		channels.Sleep(ctx, f.retryAfter)
	}
	if shown || err != nil {
		channels.Sleep(ctx, s.every)
	}
	return err
}

// flow shows a state in the stream. When Slack takes no more, the preview goes on as an edited message.
func (s *stream) flow(ctx context.Context, d channels.Draft) (bool, error) {
	opened, began := s.live.id != "", time.Now()
	shown, err := s.live.show(ctx, d)
	if !opened && s.live.id != "" {
		s.id = s.live.id
		if s.p.Posted != nil {
			err = errors.Join(err, s.p.Posted(ctx, s.id))
		}
	}
	f, failed := errors.AsType[*failure](err)
	switch {
	case errors.Is(err, errRewritten):
		s.leave(ctx)
		return false, nil
	case !failed:
		return shown, err
	case f.is("stopped_by_user"):
		s.ended = true
		s.c.stopped(ctx, s.p, s.live.who, s.id)
		return true, nil
	case f.is("message_not_found"):
		s.id, s.live = "", nil
		s.every = s.c.pace.edit
		return false, nil
	case f.code == "" && s.live.id != "", f.retryAfter > 0 && s.live.id != "": // a bad moment
		return false, err
	}
	s.c.env.Log.Debug("Slack takes no stream: the preview is edited", "err", err)
	if !opened && !f.channelError("preview").NotTaken {
		s.lost, s.began = true, began
	}
	s.leave(ctx)
	return false, nil
}

// leave ends the stream, whose message is edited from now on.
func (s *stream) leave(ctx context.Context) {
	err := s.live.stop(ctx)
	switch {
	case errors.Is(err, errStopped):
		s.ended = true
		s.c.stopped(ctx, s.p, s.live.who, s.id)
	case err != nil:
		s.c.env.Log.Debug("stop a stream", "err", err)
	}
	s.live, s.every = nil, s.c.pace.edit
}

// redraw shows a state in a message of its own.
func (s *stream) redraw(ctx context.Context, d channels.Draft) (bool, error) {
	now := frame(d)
	if now == "" || now == s.shown {
		return false, nil
	}
	buttons, err := keyboard(s.p.Buttons)
	if err != nil {
		return false, err
	}
	content := part{markdown: now}.with(buttons).content()
	if s.lost {
		if err := s.find(ctx); err != nil {
			return false, err
		}
	}
	if s.id != "" {
		err = s.c.edit(ctx, s.to, s.id, content...)
		f, failed := errors.AsType[*failure](err)
		switch {
		case failed && f.is("streaming_state_conflict"): // an earlier attempt left it open
			if err = s.c.stopStream(ctx, s.to, s.id); errors.Is(err, errStopped) {
				err = nil
			}
		case failed && f.uneditable(): // somebody deleted it: the answer is posted anew
			s.id, err = "", nil
		case !failed:
			s.shown = now
		}
		return true, err
	}
	id, err := s.c.post(ctx, s.to, s.key, content...)
	if f, failed := errors.AsType[*failure](err); failed {
		e := f.channelError("preview")
		s.lost = !e.NotTaken
		if e.Gone { // the answer may still reach the person who asked
			s.ended = true
			s.c.env.Log.Debug("no preview can be shown", "err", err)
			return false, nil
		}
		return false, err
	}
	s.id, s.shown = id, now
	if s.p.Posted != nil {
		return true, s.p.Posted(ctx, id)
	}
	return true, nil
}

// Close implements channels.Stream. A stream is stopped, so that its message can be edited.
func (s *stream) Close(ctx context.Context) (channels.MessageID, error) {
	if s.lost {
		err := s.find(ctx)
		return s.id, err
	}
	if s.live == nil || s.live.id == "" || s.ended {
		return s.id, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := s.live.stop(ctx); err != nil { // Send stops it again if need be
		s.c.env.Log.Debug("stop a stream", "err", err)
	}
	return s.id, nil
}

// frame is what an edited preview shows of a state: its text as far as it fits into one message, and the step.
func frame(d channels.Draft) string {
	var now string
	if texts := format(d.Text, maxMarkdown-stepRoom); len(texts) > 0 {
		now = texts[0]
		if len(texts) > 1 && d.Step == "" {
			d.Step = "writing more"
		}
	}
	if d.Step == "" {
		return now
	}
	step := "*⏳ " + literal(cut(d.Step, stepRoom/2)) + " …*"
	if now == "" {
		return step
	}
	return now + "\n\n" + step
}
