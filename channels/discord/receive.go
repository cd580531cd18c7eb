package discord

import (
	"context"
	"fmt"
)

// event takes what the gateway delivers. It only queues: until it returns, nothing else is read, not even the answers
// to heartbeats.
func (in *intake) event(ctx context.Context, kind string, raw []byte) {
	defer func() {
		if v := recover(); v != nil {
			in.c.env.Log.Error("an event is left out: it broke the program", "event", kind, "err", fmt.Sprint(v))
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
	case *place:
		in.c.places.learn(*e)
	case *message:
		in.c.recent.note(e.ChannelID, e.ID)
		in.newest = max(in.newest, number(e.ID))
		if e.written() {
			in.add(ctx, e.ChannelID, job{e.ID, func(ctx context.Context) error { return in.store(ctx, e) }})
		}
	case *edit:
		if e.written() && e.Edited != nil {
			in.add(ctx, e.ChannelID, job{e.ID, func(ctx context.Context) error { return in.revise(ctx, &e.message) }})
		}
	case *interaction:
		in.used(ctx, e)
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
		in.add(ctx, channel, job{channel, func(ctx context.Context) error { return in.catchUp(ctx, channel, after) }})
	}
	in.spawn(func() { in.c.registerCommands(ctx, me.application) })
}

// quiet catches up on channels in which nothing was written that this process knows of, if there is something newer in
// them than all that it knows.
func (in *intake) quiet(ctx context.Context, places []place) {
	since := in.since
	for _, p := range places {
		if _, asked := in.asked[p.ID]; asked || !isID(p.ID) || number(p.Last) <= in.since {
			continue
		}
		in.add(ctx, p.ID, job{p.Last, func(ctx context.Context) error { return in.catchUp(ctx, p.ID, since) }})
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

// used takes the use of a command, a button or a form. It is acknowledged at once, whatever else waits: Discord gives
// three seconds for that.
func (in *intake) used(ctx context.Context, i *interaction) {
	if i.Channel != nil && i.Channel.ID == i.ChannelID {
		in.c.places.learn(*i.Channel)
	}
	meant, ok := i.meant()
	acknowledged := make(chan struct{})
	in.spawn(func() {
		defer close(acknowledged)
		work, stop := linger(ctx, lastWord)
		defer stop()
		in.c.acknowledge(work, i, i.answer(meant, ok))
	})
	if !ok || meant.question != "" { // a question comes first: what is answered comes with the form
		return
	}
	in.add(ctx, i.ChannelID, job{i.ID, func(ctx context.Context) error {
		select {
		case <-acknowledged:
		case <-ctx.Done():
		}
		got, err := in.c.pressed(ctx, i, meant)
		if err != nil {
			return err
		}
		return in.handle(ctx, got)
	}})
}
