package discord

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

const (
	slowest     = 20 * time.Second // between states of a preview, after Discord asked to wait
	stepRoom    = 200              // characters of a message for what is being done
	previewTime = 5 * time.Second  // for one state to be shown
)

// Stream implements channels.Streamer. The preview is a message that is edited, and that the answer takes the place of.
func (c *Channel) Stream(_ context.Context, p channels.Preview) (channels.Stream, error) {
	channel, err := target(p.Conversation)
	if err != nil {
		return nil, err
	}
	buttons, err := rows(p.Buttons)
	if err != nil {
		return nil, err
	}
	s := &stream{
		c: c, p: p, channel: channel, buttons: buttons, id: p.Message, every: c.timing.edit, key: rand.Text(),
	}
	if v := c.via(p.Via, channel); v != nil && v.kind == openWord {
		s.via = v
	}
	return s, nil
}

// stream is one open preview.
type stream struct {
	c       *Channel
	p       channels.Preview
	channel string
	via     *via // the interaction that is answered; nil when there is none, or the preview is a message of its own
	buttons []component
	id      channels.MessageID
	shown   string
	every   time.Duration
	key     string // of the message that is posted for the preview
	posts   int    // messages that somebody deleted
	unsure  *part  // was posted perhaps: its answer never came
}

// Show shows a state and waits until the next may follow. A state that fails is left out: the next is newer.
func (s *stream) Show(ctx context.Context, d channels.Draft) error {
	now := frame(d)
	if now == "" || now == s.shown || s.via == nil && s.c.api.limits.closed(s.channel) {
		return nil
	}
	err := s.put(ctx, now)
	switch f := asFailure(err); {
	case err == nil:
		s.shown = now
	case f.retryAfter > 0:
		s.every = min(2*s.every, slowest)
		channels.Sleep(ctx, f.retryAfter)
	case s.id != "" && f.uneditable(): // somebody deleted it: the next state is posted anew
		s.id = ""
		s.posts++
	case f.gone() && !s.c.shut(ctx, s.p.Conversation, f):
		s.c.api.limits.close(s.channel)
	}
	channels.Sleep(ctx, s.every)
	return err
}

// put shows a text in a new message, or in the one that is there. It is seen through although ctx ends: a state that is
// still under way could otherwise be shown after the answer, and of a new message nobody knew whether it is there.
func (s *stream) put(ctx context.Context, now string) error {
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), previewTime)
	defer cancel()
	channel, err := s.c.open(call, s.p.Conversation)
	if err != nil {
		return err
	}
	s.channel = channel
	p := s.part(call, now)
	id, err := s.post(call, p)
	if f := asFailure(err); p.via != nil && (f.over() || f.uneditable()) { // from now on like any other preview
		s.via = nil
		p = p.ordinary()
		id, err = s.post(call, p)
	}
	if s.id == "" {
		s.unsure = nil
		if f := asFailure(err); err != nil && !f.channelError("").NotTaken {
			s.unsure = &p
		}
	}
	if err != nil || s.id != "" {
		return err
	}
	s.id = id
	if s.p.Posted != nil {
		return s.p.Posted(call, id)
	}
	return nil
}

// part is what shows a text. The preview of an answer to a command takes the place of the first response to it, so that
// it and the answer are one message.
func (s *stream) part(ctx context.Context, now string) part {
	p := text(now)
	p.edit, p.buttons, p.nonce = s.id, s.buttons, nonce(s.key, s.posts)
	p.reference = referTo(s.p.ReplyTo, s.channel)
	switch {
	case s.via == nil:
	case time.Now().After(s.via.until), s.id == "" && !s.c.take(ctx, s.via, s.key, now, false):
		s.via = nil
	default:
		p.via = s.via
		if s.id == "" {
			p.edit = original
		}
	}
	return p
}

// post delivers a part, without the message that it refers to if that can't be referred to.
func (s *stream) post(ctx context.Context, p part) (channels.MessageID, error) {
	id, err := s.c.deliver(ctx, s.channel, p)
	if f := asFailure(err); p.edit == "" && f.badReference() {
		return s.c.deliver(ctx, s.channel, p.withoutReference())
	}
	return id, err
}

// Close implements channels.Stream. A message whose answer got lost is asked for again: its nonce tells which it is.
func (s *stream) Close(ctx context.Context) (channels.MessageID, error) {
	id, err := s.id, error(nil)
	if id == "" && s.unsure != nil {
		id, err = s.post(ctx, *s.unsure)
	}
	if v := viaOf(s.p.Via); id == "" && v != nil { // the answer may take the place
		s.c.originals.release(v.token, s.key)
	}
	return id, err
}

// frame is what a preview shows of a state: its text as far as it fits into one message, and the step.
func frame(d channels.Draft) string {
	now := ""
	if texts := format(d.Text, maxText-stepRoom); len(texts) > 0 {
		now = texts[0]
		if len(texts) > 1 && d.Step == "" {
			d.Step = "writing more"
		}
	}
	if d.Step != "" {
		now = strings.TrimSpace(now + "\n\n-# ⏳ " + cut(oneLine(d.Step), stepRoom/2) + " …")
	}
	return now
}
