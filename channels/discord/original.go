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

// claim takes the place of a first response; known is false when this process did not see it.
func (o *originals) claim(token, key string) (ok, known bool) {
	ok = o.byToken.change(token, func(old string, was bool) (string, bool) {
		known = was
		return key, was && (old == "" || old == key)
	})
	return ok, known
}

// take tells whether a message may take the place of the first response, and lets no other do so. A process that did
// not see the interaction looks at what stands there.
func (c *Channel) take(ctx context.Context, v *via, key string, unsure bool) bool {
	ok, known := c.originals.claim(v.token, key)
	if known {
		return ok
	}
	if !unsure && !c.untouched(ctx, v) {
		return false
	}
	c.originals.byToken.keep(v.token, key)
	return true
}

// untouched tells whether the first word stands there still.
func (c *Channel) untouched(ctx context.Context, v *via) bool {
	var m struct {
		Content string `json:"content"`
	}
	err := c.api.call(ctx, request{
		op: "read response", verb: http.MethodGet, answers: true,
		url: discordgo.EndpointWebhookMessage(v.application, v.token, original),
	}, &m)
	return err == nil && m.Content == firstWord
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
