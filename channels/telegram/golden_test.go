package telegram_test

import (
	"encoding/json"
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest"
)

func TestCardsLookAsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	for _, m := range channeltest.Cards(topic("7")) {
		r.mustSend(m)
	}
	var shown []map[string]any
	for _, c := range r.fake.Calls("sendMessage") {
		card := map[string]any{"text": c.String("text")}
		var markup any
		if c.Has("reply_markup") {
			if err := json.Unmarshal([]byte(c.String("reply_markup")), &markup); err != nil {
				t.Fatal(err)
			}
			card["reply_markup"] = markup
		}
		shown = append(shown, card)
	}
	channeltest.Golden(t, "cards.json", shown)
}
