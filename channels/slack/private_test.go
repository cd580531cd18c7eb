package slack_test

import (
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// TestPrivateWordsTakeAPlace: what all saw in the place of words for one person is taken away.
func TestPrivateWordsTakeAPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	to := at(general, r.thread(general))
	id := r.mustSend(&channels.Outbound{Key: "a", Conversation: to, Text: "so far"})
	r.mustSend(&channels.Outbound{Key: "b", Conversation: to, To: bob, Edit: id, Text: "for Bob"})
	if got := r.whispered(general); len(got) != 1 || got[0] != "for Bob" {
		t.Errorf("Bob sees %q", got)
	}
	for _, m := range r.shown(general) {
		if m["ts"] == string(id) {
			t.Errorf("all see %v", m)
		}
	}
}

// TestPrivateWordsForSomebodyElsewhere: who is not in the channel can't see them, and nobody else is to.
func TestPrivateWordsForSomebodyElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	r.mustSend(&channels.Outbound{Key: "a", Conversation: at(general, ""), To: "U0STRANGER1", Text: "for nobody here"})
	r.waitFor("the person is not in the channel")
	if got := r.shown(general); len(got) != 0 {
		t.Errorf("all see %v", got)
	}
}
