package terminal_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
)

func TestCardsLookAsKept(t *testing.T) {
	t.Parallel()
	p := newPipe(strings.NewReader(""), nil)
	for _, m := range channeltest.Cards(channels.Conversation{}) {
		say(t, p.term, m)
	}
	channeltest.Golden(t, "cards.json", strings.Split(p.out.String(), "\n"))
}
