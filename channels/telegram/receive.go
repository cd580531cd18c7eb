package telegram

import (
	"context"
	"fmt"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// receive does everything about one update; when it returns nil the update may be confirmed. A panic is an error of
// this update alone.
func (c *Channel) receive(ctx context.Context, u *update, h channels.Handler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			c.env.Log.Error("an update is left out: it broke the program", "update", u.ID,
				"err", c.api.hide(fmt.Sprint(v)))
			err = nil
		}
	}()
	if m := u.content(); m != nil && (m.MigrateToChat != 0 || m.MigrateFromChat != 0) {
		from, to := m.Chat.ID, m.MigrateToChat
		if m.MigrateFromChat != 0 {
			from, to = m.MigrateFromChat, m.Chat.ID
		}
		return c.follow(ctx, from, to)
	}
	if ch := u.MyChatMember; ch != nil {
		c.env.Log.Info("the bot's membership changed", "chat", ch.Chat.ID, "status", ch.NewMember.Status)
		return c.added(ctx, u.ID, ch)
	}
	if m := u.content(); m != nil {
		c.learn(m)
	}
	if in := c.incoming(u); in != nil {
		err = h(ctx, in)
	}
	if q := u.CallbackQuery; q != nil && err == nil {
		c.behind.Go(func() { c.answerPress(context.WithoutCancel(ctx), q) }) // others must not wait for it
	}
	return err
}

// added tells the program that the bot was added to a group. In a forum it says hello in General.
func (c *Channel) added(ctx context.Context, id int, ch *memberChange) error {
	group := ch.Chat.Type == "group" || ch.Chat.Type == "supergroup"
	if c.env.Added == nil || !group || ch.OldMember.in() || !ch.NewMember.in() {
		return nil
	}
	at := channels.Conversation{Channel: c.name, Chat: chatID(ch.Chat.ID)}
	if ch.Chat.IsForum {
		at.Topic = General
	}
	return c.env.Added(ctx, fmt.Sprintf("a:%d", id), at, person(&ch.From))
}

// answerPress ends the sign on a pressed button, and posts its question if it asks one. Too late is no harm.
func (c *Channel) answerPress(ctx context.Context, q *callbackQuery) {
	ctx, cancel := context.WithTimeout(ctx, pressTimeout)
	defer cancel()
	p := params{"callback_query_id": q.ID}
	pressed, ask, ok := unpack(q.Data)
	switch ok = ok && q.Message != nil && !q.unplaced(); {
	case !ok:
		p["text"] = "This button does not work any more."
	case ask:
		if err := c.ask(ctx, q, pressed); err != nil {
			c.env.Log.Warn("ask the question of a button", "err", err)
			p["text"] = "I could not ask my question. Please press the button again."
		}
	}
	if err := c.api.call(ctx, "answerCallbackQuery", p, nil); err != nil {
		c.env.Log.Debug("answer the press of a button", "err", err)
	}
}

// pressTimeout is for what is done about a press besides its command; the end waits for it.
const pressTimeout = 3 * time.Second

// introduce asks who the bot is until Telegram tells.
func (c *Channel) introduce(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; failures++ {
		var me user
		if err := c.brief(ctx, "getMe", nil, &me); err != nil {
			if ctx.Err() == nil {
				channels.Sleep(ctx, c.complain(err, failures))
			}
			continue
		}
		c.me.Store(&me)
		c.env.Log.Info("connected to Telegram", "bot", "@"+me.Username, "reads_all_group_messages", me.ReadsAll)
		return
	}
}

// brief is a call that must end soon.
func (c *Channel) brief(ctx context.Context, method string, p params, into any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.api.call(ctx, method, p, into)
}

// Typing implements channels.Typer. In General the sign needs the topic's number, other than messages.
func (c *Channel) Typing(ctx context.Context, to channels.Conversation) error {
	s, err := c.spot(to)
	if err != nil {
		return err
	}
	p := s.params()
	p["action"] = "typing"
	if s.thread == generalThread {
		p["message_thread_id"] = "1"
	}
	return c.brief(ctx, "sendChatAction", p, nil)
}

// MarkSeen implements channels.Marker with a reaction; where reactions are not allowed, with the typing sign.
func (c *Channel) MarkSeen(ctx context.Context, to channels.Conversation, id channels.MessageID) error {
	s, err := c.spot(to)
	if err != nil {
		return err
	}
	if s.moved {
		return c.Typing(ctx, to)
	}
	p := params{"chat_id": s.params()["chat_id"], "message_id": string(id), "reaction": `[{"type":"emoji","emoji":"👀"}]`}
	if err := c.brief(ctx, "setMessageReaction", p, nil); err != nil {
		c.env.Log.Debug("mark a message as seen", "err", err)
		return c.Typing(ctx, to)
	}
	return nil
}
