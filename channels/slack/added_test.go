package slack_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// TestAddedToAChannel: the bot's own coming is told, with who brought it; that of others is not.
func TestAddedToAChannel(t *testing.T) {
	modes(t, []slackfake.Option{slackfake.WithEvents("none")}, func(r *rig) {
		for _, user := range []string{ann, slackfake.BotUserID} {
			_, err := r.fake.Event(fakekit.Object{
				"type": "member_joined_channel", "user": user, "channel": general, "channel_type": "C", "team": "T0FAKETEAM1",
				"inviter": bob, "event_ts": "1700.0001",
			})
			if err != nil {
				r.Fatal(err)
			}
		}
		r.until(func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			return len(r.added) > 0
		}, "the bot is added")
		r.mu.Lock()
		defer r.mu.Unlock()
		if want := []string{at(general, "").String() + " by bob"}; !cmp.Equal(r.added, want) {
			r.Errorf("told %q, want %q", r.added, want)
		}
	})
}
