package discord

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

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
	otherwise := strings.TrimSuffix("Answer to "+channels.OneLine(by), " to ")
	return cut(cmp.Or(channels.OneLine(text), otherwise), maxThreadName)
}

// spot is the channel of Discord in which a conversation is now: the channel around a thread that nothing opened yet.
func (c *Channel) spot(ctx context.Context, conv channels.Conversation) (string, error) {
	channel, err := target(conv)
	if err != nil || conv.Topic == "" {
		return channel, err
	}
	if _, never := c.threads.unopened.get(channel); never {
		return string(conv.Chat), nil
	}
	_, there := c.places.get(channel)
	if _, removed := c.threads.removed.get(channel); there || removed {
		return channel, nil
	}
	if _, heard := c.threads.titles.get(channel); heard {
		return string(conv.Chat), nil
	}
	if _, err := c.place(ctx, channel); asFailure(err).is(unknownChannel) {
		return string(conv.Chat), nil
	}
	return channel, nil
}

// open is the channel of Discord that a conversation's messages go to. A thread that is not there yet is opened; where
// none can be, it is the channel around it. A thread of which this process heard that it was deleted is not opened
// again. Its errors are *failure.
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
// without a message, or rests; or another process may have answered in the channel already, and then all of the answer
// belongs there.
func (c *Channel) begin(ctx context.Context, around, id string) error {
	title, heard := c.threads.titles.get(id)
	if heard {
		return c.openThread(ctx, around, id, title)
	}
	if _, err := c.place(ctx, id); !asFailure(err).is(unknownChannel) {
		if f := asFailure(err); f.passing() {
			return err
		}
		return nil // it is there, or what is sent there shows what is wrong
	}
	var m message
	err := c.api.call(ctx, request{
		op: "look up message", verb: http.MethodGet, url: discordgo.EndpointChannelMessage(around, id), chat: around,
	}, &m)
	switch f := asFailure(err); {
	case f.is(unknownMessage, unknownChannel): // no thread begins with it
		return nil
	case f.passing():
		return err
	case err == nil:
		title = c.titleFor(&m)
	default: // the bot may not read what was before
		title = titleOf("", "")
	}
	answered, err := c.answeredAround(ctx, around, id)
	if answered || err != nil {
		c.threads.unopened.keep(id, struct{}{})
		return err
	}
	return c.openThread(ctx, around, id, title)
}

// titleFor names the thread of a message that was looked up.
func (c *Channel) titleFor(m *message) string {
	me := ""
	if known := c.me.Load(); known != nil {
		me = known.user
	}
	for i := range m.Mentions { // a process that only sends does not know itself
		if me == "" && m.Mentions[i].Bot {
			me = m.Mentions[i].ID
		}
	}
	by := ""
	if m.Author != nil {
		by = m.Author.shown(m.Member)
	}
	return titleOf(c.read(m.Content, me, m.Mentions).text, by)
}

// answeredAround tells whether a bot answered a message in its channel. Where the bot may not read that, it did not.
func (c *Channel) answeredAround(ctx context.Context, around, id string) (bool, error) {
	const newest = 100
	var after []struct {
		Author    user `json:"author"`
		Reference struct {
			ID string `json:"message_id"`
		} `json:"message_reference"`
	}
	err := c.api.call(ctx, request{
		op: "look up answers", verb: http.MethodGet, chat: around,
		url: fmt.Sprintf("%s?after=%s&limit=%d", discordgo.EndpointChannelMessages(around), id, newest),
	}, &after)
	if f := asFailure(err); err != nil && f.passing() {
		return false, err
	}
	me := c.me.Load()
	for _, m := range after {
		mine := me == nil && m.Author.Bot || me != nil && m.Author.ID == me.user
		if mine && m.Reference.ID == id {
			return true, nil
		}
	}
	return false, nil
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
		c.api.limits.reopen(id)
	case f.is(threadExists):
		_, _ = c.place(ctx, id) // only to know it from now on
	case f.is(unknownMessage): // what is sent there shows that it is gone
	case f.code != 0 && f.channelError("").Terminal:
		c.unthreaded(ctx, around, id, f)
	default:
		return err
	}
	return nil
}

// shut tells whether what was refused in a thread belongs into the channel around it from now on: the bot opened the
// thread and may not write there.
func (c *Channel) shut(ctx context.Context, conv channels.Conversation, f *failure) bool {
	id := string(conv.Topic)
	if id == "" || !f.is(missingPermission, missingAccess) {
		return false
	}
	if _, never := c.threads.unopened.get(id); never {
		return false
	}
	_, heard := c.threads.titles.get(id)
	p, _ := c.places.get(id)
	if me := c.me.Load(); !heard && (me == nil || p.Owner != me.user) {
		return false
	}
	c.unthreaded(ctx, string(conv.Chat), id, f)
	return true
}

// unthreaded lets what belongs into a thread stand in the channel around it, and tells once why.
func (c *Channel) unthreaded(ctx context.Context, channel, id string, f *failure) {
	c.threads.unopened.keep(id, struct{}{})
	fix := ""
	switch {
	case f.is(missingPermission, missingAccess):
		fix = ": give the bot's role Create Public Threads and Send Messages in Threads there"
	case f.is(tooManyThreads, tooManyAnnounced):
		fix = ": close or archive some of the open threads of the server"
	}
	c.env.Log.Warn("a thread can't be used: the answer stands in the channel", "chat", channel, "err", f)
	c.notice(ctx, aboutThreads+channel, fmt.Sprintf(
		"Answers in channel %s on %s stand in the channel and not in threads, because Discord lets the bot use none%s.",
		channel, c.name, fix))
}
