package slack_test

import (
	"encoding/json"
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest"
)

func TestCardsLookAsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	for _, m := range channeltest.Cards(at(dm, "")) {
		r.mustSend(m)
	}
	var shown []map[string]any
	for _, c := range r.fake.Calls("chat.postMessage") {
		var blocks any
		if err := json.Unmarshal([]byte(c.String("blocks")), &blocks); err != nil {
			t.Fatal(err)
		}
		shown = append(shown, map[string]any{"text": c.String("text"), "blocks": blocks})
	}
	channeltest.Golden(t, "cards.json", shown)
}
