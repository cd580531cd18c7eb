package telegram

import (
	"context"
	"errors"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// pace is how far apart the states of a preview are.
type pace struct{ draft, edit, group time.Duration }

// defaultPace: Telegram allows about one edit a second in a chat and 20 a minute in a group.
var defaultPace = pace{draft: 700 * time.Millisecond, edit: 1500 * time.Millisecond, group: 3 * time.Second}

// postGrace is what a call that is under way at the end of the turn gets.
const postGrace = time.Second

const slowest = 20 * time.Second // after the platform asked to wait

// Stream implements channels.Streamer. In private chats the preview is a draft, which leaves nothing behind; elsewhere
// it is a message that is edited, and that the answer takes the place of.
func (c *Channel) Stream(_ context.Context, p channels.Preview) (channels.Stream, error) {
	to, err := c.spot(p.Conversation)
	if err != nil {
		return nil, err
	}
	st := &stream{c: c, p: p, to: to, id: p.Message, every: c.pace.group}
	if to.moved {
		st.id, st.p.ReplyTo = "", ""
	}
	if to.private() {
		st.every = c.pace.edit
		if !c.noDrafts.Load() {
			st.every, st.draft = c.pace.draft, draftID(p)
		}
	}
	return st, nil
}

// draftID is the same for all states of one answer, and never 0.
func draftID(p channels.Preview) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.Conversation.String() + "/" + string(p.ReplyTo)))
	return int32(h.Sum32()&0x3fffffff) + 1
}

// stream is one open preview.
type stream struct {
	c     *Channel
	p     channels.Preview
	to    spot
	draft int32 // 0: the preview is a message
	id    channels.MessageID
	shown chunk
	lost  bool // the first message may have been posted, but its number is not known
	every time.Duration
}

// Show shows a state and waits until the next may follow. A state that fails is left out: the next is newer.
func (s *stream) Show(ctx context.Context, d channels.Draft) error {
	now, ok := frame(d)
	if !ok || now == s.shown || s.lost {
		return nil
	}
	err := s.put(ctx, now)
	f, failed := errors.AsType[*failure](err)
	switch {
	case !failed && err == nil:
		s.shown = now
	case failed && f.unknownMethod() && s.draft != 0:
		s.c.noDrafts.Store(true)
		s.draft, s.every = 0, s.c.pace.edit
	case failed && f.code == 0 && f.written && s.id == "" && s.draft == 0:
		s.lost = true // it may be there, and nobody knows its number: another would stand beside it
	case failed && f.retryAfter > 0:
		s.every = min(2*s.every, slowest)
		channels.Sleep(ctx, f.retryAfter)
	case failed && f.notModified():
		s.shown, err = now, nil
	case failed && f.uneditable(): // somebody deleted it: the answer is posted anew
		s.id = ""
	case failed && f.migrateTo != 0:
		err = s.c.follow(ctx, s.to.chat, f.migrateTo)
		s.to.chat, s.id, s.p.ReplyTo = f.migrateTo, "", ""
	}
	channels.Sleep(ctx, s.every)
	return err
}

// put shows a chunk in the draft, in a new message, or in the one that is there.
func (s *stream) put(ctx context.Context, now chunk) error {
	p := part{method: "sendMessage", field: "text", chunk: now, extra: params{}}
	switch {
	case s.draft != 0:
		p.method, p.extra["draft_id"] = "sendMessageDraft", strconv.Itoa(int(s.draft))
	default:
		p.extra["link_preview_options"] = noPreview
		if markup, err := keyboard(s.p.Buttons); err == nil && markup != "" {
			p.extra["reply_markup"] = markup
		}
		if s.id != "" {
			p.method, p.edit = "editMessageText", s.id
		} else if s.p.ReplyTo != "" && !s.to.private() {
			p.extra["reply_parameters"] = reply(s.p.ReplyTo)
		}
	}
	id, err := s.post(ctx, p)
	if err != nil || s.draft != 0 || s.id != "" {
		return err
	}
	s.id = id
	if s.p.Posted != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		return s.p.Posted(ctx, id)
	}
	return nil
}

// post makes the call; with a text that Telegram can't read as markup, once more without any. It is seen through
// although ctx ends: a state that is still under way could otherwise be shown after the answer, and of a new message
// nobody knew whether it is there.
func (s *stream) post(ctx context.Context, p part) (channels.MessageID, error) {
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(postGrace, cancel) })
	defer stop()
	id, err := s.c.deliver(call, p, s.to)
	if f, ok := errors.AsType[*failure](err); ok && f.badMarkup() {
		return s.c.deliver(call, p.plainly(), s.to)
	}
	return id, err
}

// Close implements channels.Stream.
func (s *stream) Close(context.Context) (channels.MessageID, error) { return s.id, nil }

// frame is what a preview shows of a state: its text as far as it fits into one message, and the step.
func frame(d channels.Draft) (chunk, bool) {
	const stepRoom = 200
	var now chunk
	if chunks := format(d.Text, maxTextLen-stepRoom); len(chunks) > 0 {
		now = chunks[0]
		if len(chunks) > 1 && d.Step == "" {
			d.Step = "writing more"
		}
	}
	if d.Step != "" {
		step := note("⏳ %s …", cut(d.Step, stepRoom/2))
		if now.plain != "" {
			now.html, now.plain = now.html+"\n\n", now.plain+"\n\n"
		}
		now = chunk{html: now.html + step.html, plain: now.plain + step.plain}
	}
	return now, now.plain != ""
}
