package discord_test

import (
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
)

// TestAnEditOfAPrivateMessageIsPrivate: what takes the place of words for one person is not for all.
func TestAnEditOfAPrivateMessageIsPrivate(t *testing.T) {
	t.Parallel()
	r := commands(t)
	in := r.gives(roomID, "new", "")
	m := answer(in, "k", "Only you. Sure?")
	m.To, m.Buttons = annID, [][]channels.Button{{{Text: "Yes", Token: channeltest.Token(1)}}}
	id := r.mustSend(m)
	e := answer(in, "k2", "Yes, it is.")
	e.Edit = id
	r.mustSend(e)
	r.wantShown(roomID)
	r.wantPrivate(roomID, "Only you. Sure?", "Yes, it is.")
}
