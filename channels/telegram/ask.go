package telegram

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// A button that asks for a text makes the bot post a question, which Telegram's clients open an answer to. The question
// holds the button's token in a link, so that an answer to it is understood whenever it comes; only links in messages
// of the bot itself count.

// askLink begins the link.
const askLink = "https://t.me/"

// ask posts the question of a pressed button.
func (c *Channel) ask(ctx context.Context, q *callbackQuery, pressed *channels.Action) error {
	to, err := c.spot(c.conversation(q.Message))
	if err != nil {
		return err
	}
	link := fmt.Sprintf("%s%s?start=%s", askLink, c.me.Load().Username, pressed.Token)
	what := cmp.Or(q.pressed(), "Your answer")
	p := part{
		method: "sendMessage", field: "text",
		chunk: chunk{
			html:  fmt.Sprintf(`<a href="%s">✍️</a> <b>%s</b>: please answer to this message.`, escape(link), escape(what)),
			plain: what + ": please answer to this message.",
		},
		extra: params{
			"reply_markup":         `{"force_reply":true,"selective":true}`,
			"reply_parameters":     reply(messageID(q.Message.ID)),
			"link_preview_options": noPreview,
		},
	}
	_, err = (&sending{c: c, to: to}).send(ctx, p)
	return err
}

// pressed is the text of the pressed button.
func (q *callbackQuery) pressed() string {
	for _, row := range q.Message.ReplyMarkup.Rows {
		for _, b := range row {
			if b.Data == q.Data {
				return b.Text
			}
		}
	}
	return ""
}

// answered is the press of the button to whose question a message is the answer; nil when it is none.
func (c *Channel) answered(m *message, text string) *channels.Action {
	r, me := m.ReplyTo, c.me.Load()
	if r == nil || r.From == nil || r.From.ID != me.ID || text == "" {
		return nil
	}
	for _, e := range r.Entities {
		u, err := url.Parse(e.URL)
		if e.Type != "text_link" || err != nil || !strings.HasPrefix(e.URL, askLink+me.Username+"?") {
			continue
		}
		if a, ok := channels.Pressed(u.Query().Get("start")); ok {
			a.Answer = text
			return a
		}
	}
	return nil
}
