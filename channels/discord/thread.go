package discord

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/sync/singleflight"

	"github.com/leadhand/leadhand/channels"
)

// threads is what is known of the threads that answers open. A thread has the id of the message that it begins with, so
// that it has a name before it exists. The zero value is ready to use.
type threads struct {
	titles   ring[string]   // of the threads that messages can begin, by their id
	removed  ring[struct{}] // threads that somebody deleted
	unopened ring[struct{}] // threads that can't be opened: what belongs there stands in the channel around them
	opening  singleflight.Group
}

// maxThreadName is in characters; Discord takes 100.
const maxThreadName = 80

// titleOf names a thread by the message that it begins with.
func titleOf(text, by string) string {
	return cut(cmp.Or(channels.OneLine(text), "Answer to "+channels.OneLine(by)), maxThreadName)
}

// spot is the channel of Discord in which a conversation is now: the channel around a thread that nothing opened yet.
func (c *Channel) spot(conv channels.Conversation) (string, error) {
	channel, err := target(conv)
	if err != nil || conv.Topic == "" {
		return channel, err
	}
	_, open := c.places.get(channel)
	_, can := c.threads.titles.get(channel)
	if _, never := c.threads.unopened.get(channel); never || can && !open {
		return string(conv.Chat), nil
	}
	return channel, nil
}

// open is the channel of Discord that a conversation's messages go to. A thread that is not there yet is opened; where
// none can be, it is the channel around it. A thread that was deleted stays deleted. Its errors are *failure.
func (c *Channel) open(ctx context.Context, conv channels.Conversation) (string, error) {
	channel, err := target(conv)
	if err != nil || conv.Topic == "" {
		return channel, err
	}
	if _, never := c.threads.unopened.get(channel); never {
		return string(conv.Chat), nil
	}
	_, known := c.places.get(channel)
	if _, removed := c.threads.removed.get(channel); known || removed || !isID(string(conv.Chat)) {
		return channel, nil
	}
	done := c.threads.opening.DoChan(channel, func() (any, error) {
		through, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		return nil, c.begin(through, string(conv.Chat), channel)
	})
	select {
	case r := <-done:
		err = r.Err
	case <-ctx.Done():
		err = &failure{op: openThread, text: ctx.Err().Error(), err: context.Cause(ctx)}
	}
	if err != nil {
		return "", err
	}
	if _, never := c.threads.unopened.get(channel); never {
		return string(conv.Chat), nil
	}
	return channel, nil
}

const openThread = "open thread"

// begin opens the thread of a message, unless it is there. What this process did not hear of may be a thread that began
// without a message, or rests.
func (c *Channel) begin(ctx context.Context, around, id string) error {
	title, heard := c.threads.titles.get(id)
	if !heard {
		_, err := c.place(ctx, id)
		switch f := asFailure(err); {
		case err == nil, f.code != 0 && f.code != unknownChannel: // what is sent there shows what is wrong
			return nil
		case f.code == 0:
			return err
		}
		var m message
		err = c.api.call(ctx, request{
			op: "look up message", verb: http.MethodGet, url: discordgo.EndpointChannelMessage(around, id), chat: around,
		}, &m)
		if f := asFailure(err); f.code != 0 { // no thread begins with it
			return nil
		} else if err != nil {
			return err
		}
		by := ""
		if m.Author != nil {
			by = m.Author.shown(m.Member)
		}
		title = titleOf(c.read(m.Content, c.self(), m.Mentions).text, by)
	}
	return c.openThread(ctx, around, id, title)
}

func (c *Channel) openThread(ctx context.Context, around, id, title string) error {
	var opened place
	err := c.api.call(ctx, request{
		op: openThread, verb: http.MethodPost, url: discordgo.EndpointChannelMessageThread(around, id), chat: around,
		body: struct {
			Name string `json:"name"`
		}{title},
	}, &opened)
	switch f := asFailure(err); {
	case err == nil:
		c.places.learn(opened)
		c.told.over(aboutThreads + around)
	case f.is(threadExists):
		_, _ = c.place(ctx, id) // only to know it from now on
	case f.is(unknownMessage): // what is sent there shows that it is gone
	case f.unthreaded():
		c.threads.unopened.keep(id, struct{}{})
		c.unthreaded(ctx, around, f)
	default:
		return err
	}
	return nil
}

// unthreaded tells whether no thread can begin there, so that the channel is where the answer belongs.
func (f *failure) unthreaded() bool {
	return f.is(
		missingPermission, missingAccess, wrongChannel, wrongMessage, tooManyThreads, tooManyAnnounced, invalidForm)
}

// unthreaded tells once why answers stand in a channel and not in threads.
func (c *Channel) unthreaded(ctx context.Context, channel string, f *failure) {
	fix := ""
	switch {
	case f.is(missingPermission, missingAccess):
		fix = ": give the bot's role Create Public Threads and Send Messages in Threads there"
	case f.is(tooManyThreads, tooManyAnnounced):
		fix = ": close or archive some of the open threads of the server"
	}
	c.env.Log.Warn("a thread can't be opened: the answer stands in the channel", "chat", channel, "err", f)
	c.notice(ctx, aboutThreads+channel, fmt.Sprintf(
		"Answers in channel %s on %s stand in the channel and not in threads, because Discord lets the bot open none%s.",
		channel, c.name, fix))
}

// self is the bot's own id; empty until the gateway told it.
func (c *Channel) self() string {
	if me := c.me.Load(); me != nil {
		return me.user
	}
	return ""
}
