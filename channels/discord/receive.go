package discord

import (
	"context"
	"fmt"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// event takes what the gateway delivers. It only queues: until it returns, nothing else is read, not even the answers
// to heartbeats.
func (in *intake) event(ctx context.Context, kind string, raw []byte) {
	defer func() {
		if v := recover(); v != nil {
			in.c.env.Log.Error("an event is left out: it broke the program", "event", kind,
				"err", in.c.api.hide(fmt.Sprint(v)))
		}
	}()
	got, err := decode(kind, raw)
	if err != nil {
		if in.c.told.first("event " + kind) {
			in.c.env.Log.Warn("an event that can't be read is left out, as will be others of its kind", "event", kind,
				"err", in.c.api.hide(err.Error()))
		}
		return
	}
	switch e := got.(type) {
	case *readyEvent:
		in.ready(ctx, e)
	case *guildEvent:
		in.c.places.learn(e.Channels...)
		in.c.places.learn(e.Threads...)
		in.quiet(ctx, append(e.Channels, e.Threads...))
		in.added(ctx, e)
	case *place:
		in.c.places.learn(*e)
	case *removal:
		in.c.places.forget(e.ID)
		in.c.threads.removed.keep(e.ID, struct{}{})
	case *message:
		in.written(ctx, e)
	case *edit:
		if in.c.heard(&e.message) && e.Edited != nil {
			in.add(ctx, e.ChannelID, job{id: e.ID, said: true, do: func(ctx context.Context) error {
				return in.revise(ctx, &e.message)
			}})
		}
	case *deletion:
		for _, id := range e.all() {
			in.add(ctx, e.ChannelID, job{id: id, do: func(ctx context.Context) error {
				return in.deleted(ctx, e.ChannelID, id)
			}})
		}
	case *interaction:
		in.used(ctx, e)
	}
}

// written takes a new message, which may be one of the bot.
func (in *intake) written(ctx context.Context, m *message) {
	in.c.recent.note(m.ChannelID, m.ID)
	in.newest = max(in.newest, number(m.ID))
	if in.c.heard(m) {
		in.add(ctx, m.ChannelID, job{id: m.ID, said: true, do: func(ctx context.Context) error { return in.store(ctx, m) }})
	}
	if in.c.wrote(m) {
		in.c.mine.keep(m.ID, struct{}{})
	}
}

// ready begins a session: who the bot is, and what was missed since the last one.
func (in *intake) ready(ctx context.Context, e *readyEvent) {
	me := identity{user: e.User.ID, application: e.Application.ID}
	if !isID(me.application) {
		me.application = me.user
	}
	in.c.me.Store(&me)
	in.since, in.asked = in.newest-slack<<idTime, in.c.recent.active()
	for channel, after := range in.asked {
		in.add(ctx, channel, job{id: channel, do: func(ctx context.Context) error { return in.catchUp(ctx, channel, after) }})
	}
	in.spawn(func() { in.c.registerCommands(ctx, me.application) })
	since, asked := in.since, in.asked
	in.spawn(func() { in.talked(ctx, since, asked) })
}

// quiet catches up on channels in which nothing was written that this process knows of, if there is something newer in
// them than all that it knows.
func (in *intake) quiet(ctx context.Context, places []place) {
	since := in.since
	for _, p := range places {
		if _, asked := in.asked[p.ID]; asked || !isID(p.ID) || number(p.Last) <= in.since {
			continue
		}
		in.add(ctx, p.ID, job{id: p.Last, do: func(ctx context.Context) error { return in.catchUp(ctx, p.ID, since) }})
	}
}

// store hands a message to the program.
func (in *intake) store(ctx context.Context, m *message) error {
	got, err := in.c.incoming(ctx, m)
	if err != nil || got == nil {
		return err
	}
	if err := in.handle(ctx, got); err != nil {
		return err
	}
	in.c.texts.keep(m.ID, m.Content)
	return nil
}

// revise hands a changed message to the program, unless its text is the same: pins, and pages that links show, change
// messages too.
func (in *intake) revise(ctx context.Context, m *message) error {
	if in.c.texts.same(m.ID, m.Content) {
		return nil
	}
	got, err := in.c.incoming(ctx, m)
	if err != nil || got == nil {
		return err
	}
	got.Revises = got.EventKey
	got.EventKey = fmt.Sprintf("e:%s:%d", m.ID, m.Edited.UnixMicro())
	if err := in.handle(ctx, got); err != nil {
		return err
	}
	in.c.texts.keep(m.ID, m.Content)
	return nil
}

// deleted tells the program that a message was taken back. It is not told of the bot's own, which it may have taken
// away itself. Those of others that were never stored it does not know.
func (in *intake) deleted(ctx context.Context, channel, id string) error {
	if _, mine := in.c.mine.get(id); mine {
		return nil
	}
	conv, at, err := in.c.conversation(ctx, channel)
	if err != nil {
		return err
	}
	return in.handle(ctx, &channels.Inbound{
		ID: channels.MessageID(id), EventKey: "d:" + id, Revises: "m:" + id, Deleted: true,
		Conversation: conv, Direct: at.direct(), SentAt: time.Now().UTC(),
	})
}

// used takes the use of a command, a button or a form. It is acknowledged at once, whatever else waits: Discord gives
// three seconds for that.
func (in *intake) used(ctx context.Context, i *interaction) {
	if i.Channel != nil && i.Channel.ID == i.ChannelID {
		in.c.places.learn(*i.Channel)
	}
	in.c.api.secrets.keep(i.Token, struct{}{})
	if i.Type == typedSoFar {
		in.suggest(ctx, i)
		return
	}
	meant, ok := i.meant()
	var via string
	received, acknowledged := time.Now(), make(chan struct{})
	in.spawn(func() {
		defer close(acknowledged)
		work, stop := linger(ctx, lastWord)
		defer stop()
		if in.c.acknowledge(work, i, meant.answer(ok)) {
			via = in.c.viaFor(i, meant.word, received)
		}
	})
	if !ok || meant.question != "" { // a question comes first: what is answered comes with the form
		return
	}
	in.add(ctx, i.ChannelID, job{id: i.ID, said: true, do: func(ctx context.Context) error {
		got, err := in.c.pressed(ctx, i, meant)
		if err != nil {
			return err
		}
		select {
		case <-acknowledged:
			got.Via = via
		case <-ctx.Done():
		}
		return in.handle(ctx, got)
	}})
}
