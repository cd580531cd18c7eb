package discord_test

import (
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest"
)

func TestCardsLookAsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	for _, m := range channeltest.Cards(at(roomID, "")) {
		r.mustSend(m)
	}
	var shown []map[string]any
	for _, c := range r.fake.Calls(posts) {
		shown = append(shown, map[string]any{
			"content": c.Params["content"], "flags": c.Params["flags"], "components": c.Params["components"],
		})
	}
	channeltest.Golden(t, "cards.json", shown)
}
