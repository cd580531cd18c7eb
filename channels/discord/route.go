package discord

import (
	"context"
	"net/http"

	"github.com/leadhand/leadhand/channels"
)

// route is how the parts of a message go out: as ordinary messages of the channel, or as answers to the interaction
// that asked for them.
type route struct {
	channel string
	via     *via // nil when there is none, or it can't be used any more
	alone   bool // only one person is to see the message
	placed  bool // the first response stands there still, and is this message's
	shut    bool // the bot may not write into the channel
	begun   bool // some of the message is shown
}

// takesPlace tells whether a message would take the place of the first response to an interaction. It depends on
// nothing but the message, so that each attempt at it is divided into the same parts.
func takesPlace(m *channels.Outbound) bool {
	v := viaOf(m.Via)
	switch {
	case v == nil:
		return false
	case m.To != "":
		return v.kind == quietWord && v.user == string(m.To)
	}
	return v.kind == openWord
}

// routeOf chooses how a message goes out of which some parts may be delivered.
func (c *Channel) routeOf(ctx context.Context, m *channels.Outbound, channel, shows string) *route {
	r := &route{channel: channel, via: c.via(m.Via, channel)}
	if r.via == nil {
		return r
	}
	r.alone = m.To != "" && r.via.user == string(m.To)
	if r.via.kind != noWord && (m.Edit == "" || r.alone) && m.Attempt.Parts == 0 {
		r.placed = c.take(ctx, r.via, m.Key, shows, m.Attempt.Unsure)
	}
	return r
}

// choose lets a part take the route.
func (r *route) choose(p part) part {
	switch {
	case r.via == nil:
		return p.ordinary()
	case p.edit == original && r.placed:
		p.via, r.placed = r.via, false
		return p
	case p.edit == original:
		p = p.ordinary()
	case p.edit != "" && r.via.kind == openWord: // a preview may have taken the place of the first response
		p.via = r.via
		return p
	}
	if p.edit == "" && (r.alone || r.shut) {
		return r.answering(p)
	}
	return p
}

// answering makes a part an answer to the interaction.
func (r *route) answering(p part) part {
	p.via, p.private = r.via, r.alone || r.via.kind == quietWord
	return p
}

// past is what becomes of a part that could not be an answer to the interaction; over tells that none can.
func (r *route) past(p part, over bool) part {
	if over {
		r.via, r.alone, r.placed = nil, false, false
	}
	p = p.ordinary()
	if p.edit == "" && (r.alone || r.shut) {
		return r.answering(p)
	}
	return p
}

// anew is what becomes of a part whose place is gone. What was pressed may have been shown to one person alone, whom
// nobody can edit anything for: then so is what comes in its place.
func (r *route) anew(p part) part {
	p = p.anew()
	if r.via == nil || r.via.kind == openWord {
		return p
	}
	p = r.answering(p)
	p.private = true
	return p
}

// around is what becomes of a part that the bot may not write into the channel. It goes into the place of the first
// response if it can, because that may be repeated.
func (r *route) around(p part) part {
	r.shut = true
	p.edit = ""
	if r.placed {
		p.edit, r.placed = original, false
	}
	return r.answering(p)
}

// over tells whether an interaction can't be answered any more.
func (f *failure) over() bool {
	return f.status == http.StatusUnauthorized || f.code != 0 && f.code != unknownMessage &&
		(f.status == http.StatusForbidden || f.status == http.StatusNotFound)
}

// tidy takes away what the message did not take the place of although it stands for it: the first response, and a
// preview that everybody sees of what is one person's alone. Who reads on would miss nothing but be misled.
func (c *Channel) tidy(ctx context.Context, r *route, m *channels.Outbound, first *part) {
	if r.via != nil && r.placed {
		c.clear(ctx, r.via)
	}
	if m.Edit == "" || first.edit == m.Edit {
		return
	}
	if _, err := c.deliver(ctx, r.channel, part{edit: m.Edit, remove: true}); err != nil {
		c.env.Log.Debug("delete a preview", "chat", r.channel, "err", err)
	}
}
