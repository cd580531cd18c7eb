package discord_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
)

// TestAddedToAServer: a server that the bot comes into is told once, and those where it has been for long are not.
func TestAddedToAServer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start(nil)
	const server, quiet, room = "1080000000000000900", "1080000000000000901", "1080000000000000902"
	r.fake.AddGuild(discordfake.Guild{ID: server, Name: "New", Channels: []discordfake.Channel{
		{ID: quiet, Name: "posts", Type: discordfake.ForumChannel}, {ID: room, Name: "general"},
	}})
	select {
	case got := <-r.added:
		if !strings.HasPrefix(got, "a:"+server+":") || !strings.HasSuffix(got, " "+at(room, "").String()) {
			t.Errorf("told %q", got)
		}
	case <-time.After(patient):
		t.Fatal("nothing was told")
	}
	if len(r.added) > 0 {
		t.Errorf("told %q too", <-r.added)
	}
}
