package slack

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// live is a message that grows: Slack's stream. What is shown can't be taken back.
type live struct {
	c   *Channel
	to  spot
	who asker
	id  channels.MessageID // empty until it is started

	text  string // shown so far
	step  string // shown as under way
	steps int
}

// errRewritten says that a text no longer starts with what the stream shows.
var errRewritten = errors.New("the text was written anew")

// errStopped says that a person stopped the stream.
var errStopped = errors.New("a person stopped it")

// maxStep is how long the title of a step may be, in characters.
const maxStep = 250

// show appends what is new in a state; false when there is nothing.
func (l *live) show(ctx context.Context, d channels.Draft) (bool, error) {
	text := settled(neutral(d.Text))
	if utf8.RuneCountInString(text) > maxMarkdown {
		text = l.text // the rest comes with the answer
	}
	added, ok := strings.CutPrefix(text, l.text)
	if !ok {
		return false, errRewritten
	}
	var chunks []slackgo.StreamChunk
	if d.Step != l.step {
		chunks = l.turn(cut(d.Step, maxStep))
	}
	if added != "" && (l.text != "" || strings.TrimSpace(added) != "") {
		chunks = append(chunks, slackgo.NewMarkdownTextChunk(added))
	}
	if len(chunks) == 0 {
		return false, nil
	}
	if err := l.send(ctx, chunks); err != nil {
		return false, err
	}
	if d.Step != l.step && d.Step != "" {
		l.steps++
	}
	l.step = d.Step
	if added != "" && (l.text != "" || strings.TrimSpace(added) != "") {
		l.text = text
	}
	return true, nil
}

// turn ends the step under way and starts the next.
func (l *live) turn(next string) []slackgo.StreamChunk {
	var chunks []slackgo.StreamChunk
	if l.step != "" {
		chunks = append(chunks, task(l.steps, cut(l.step, maxStep), slackgo.TaskCardStatusComplete))
	}
	if next != "" {
		chunks = append(chunks, task(l.steps+1, next, slackgo.TaskCardStatusInProgress))
	}
	return chunks
}

func task(number int, title string, status slackgo.TaskCardStatus) slackgo.TaskUpdateChunk {
	chunk := slackgo.NewTaskUpdateChunk("step-"+strconv.Itoa(number), neutral(title))
	chunk.Status = status
	return chunk
}

// send starts the stream, or appends to it.
func (l *live) send(ctx context.Context, chunks []slackgo.StreamChunk) error {
	if l.id != "" {
		return l.c.api.call(ctx, "chat.appendStream", l.to.chat, func(ctx context.Context) error {
			_, _, err := l.c.api.AppendStreamContext(ctx, l.to.chat, string(l.id), slackgo.MsgOptionChunks(chunks...))
			return err
		})
	}
	return l.c.api.call(ctx, "chat.startStream", l.to.chat, func(ctx context.Context) error {
		_, ts, err := l.c.api.StartStreamContext(ctx, l.to.chat, inThread(l.to.thread),
			slackgo.MsgOptionRecipientUserID(l.who.user), slackgo.MsgOptionRecipientTeamID(l.who.team),
			slackgo.MsgOptionChunks(chunks...))
		if err == nil {
			l.id = channels.MessageID(ts)
			l.c.posted.keep(messageKey(l.to.chat, l.id), true)
		}
		return err
	})
}

// stop ends the stream; without one it does nothing.
func (l *live) stop(ctx context.Context) error {
	if l.id == "" {
		return nil
	}
	return l.c.stopStream(ctx, l.to, l.id, l.turn("")...)
}

// stopStream ends a stream, if it is one that is still open.
func (c *Channel) stopStream(
	ctx context.Context, to spot, id channels.MessageID, last ...slackgo.StreamChunk,
) error {
	var options []slackgo.MsgOption
	if len(last) > 0 {
		options = append(options, slackgo.MsgOptionChunks(last...))
	}
	err := c.api.call(ctx, "chat.stopStream", to.chat, func(ctx context.Context) error {
		_, _, err := c.api.StopStreamContext(ctx, to.chat, string(id), options...)
		return err
	})
	f, failed := errors.AsType[*failure](err)
	switch {
	case failed && f.is("stopped_by_user"):
		return errStopped
	case failed && f.is("message_not_in_streaming_state", "message_not_found"):
		return nil
	}
	return err
}

// settled is a text without what at its end may become one of Slack's signs.
func settled(text string) string {
	const longest = 32 // bytes of a sign
	if i := strings.LastIndexByte(text, '<'); i >= 0 && len(text)-i < longest &&
		!strings.ContainsAny(text[i:], "> \n\u200b") {
		return text[:i]
	}
	return text
}
