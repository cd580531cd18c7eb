package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"
)

// firstWord is what a command is answered with at once. It is a message (response type 4) and not the sign that Discord
// shows while it waits (type 5): Discord reports that one as failed after a quarter of an hour, which long runs take,
// and for good when the bot ends meanwhile. The word holds whatever happens, and may stand above an answer that comes
// later.
const firstWord = "On it."

// originals is which message took the place of which first response, so that a second one does not take it away. The
// zero value is ready to use.
type originals struct {
	byToken ring[string] // the key of the message; empty while the first word stands there
}

// free remembers that an interaction was answered with the first word.
func (o *originals) free(token string) {
	o.byToken.change(token, func(_ string, known bool) (string, bool) { return "", !known })
}

// claim takes the place of a first response for a message; first is true when this process had not given it away.
func (o *originals) claim(token, key string) (ok, first bool) {
	ok = o.byToken.change(token, func(old string, _ bool) (string, bool) {
		first = old == ""
		return key, first || old == key || old == givenBack
	})
	return ok, first
}

// release gives a place back that a message claimed and does not use.
func (o *originals) release(token, key string) {
	o.byToken.change(token, func(old string, _ bool) (string, bool) { return givenBack, old == key })
}

// givenBack is who has a place in which nothing but a preview may stand that this process is done with.
const givenBack = "given back"

// elsewhere is who has a place that another process gave away.
const elsewhere = "elsewhere"

// take tells whether a message, which begins with some text, may take the place of the first response, and lets no
// other do so. Another process may have given it away: what stands there is looked at.
func (c *Channel) take(ctx context.Context, v *via, key, shows string, unsure bool) bool {
	ok, first := c.originals.claim(v.token, key)
	if !ok || !first {
		return ok
	}
	now, err := c.standing(ctx, v)
	switch {
	case err != nil:
		c.originals.byToken.keep(v.token, "")
		return false
	case now == firstWord, unsure && shows != "" && now == shows:
		return true
	}
	c.originals.byToken.keep(v.token, elsewhere)
	return false
}

// standing is the text of the first response.
func (c *Channel) standing(ctx context.Context, v *via) (string, error) {
	var m struct {
		Content string `json:"content"`
	}
	err := c.api.call(ctx, request{
		op: "read response", verb: http.MethodGet, answers: true,
		url: discordgo.EndpointWebhookMessage(v.application, v.token, original),
	}, &m)
	return m.Content, err
}

// clear deletes a first response that nothing takes the place of.
func (c *Channel) clear(ctx context.Context, v *via) {
	err := c.api.call(ctx, request{
		op: "delete response", verb: http.MethodDelete, answers: true,
		url: discordgo.EndpointWebhookMessage(v.application, v.token, original),
	}, nil)
	if err != nil {
		c.env.Log.Debug("delete a first response", "err", err)
	}
}
