package discord_test

import (
	"errors"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
)

func TestWhatWasMissedInDirectChats(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const quiet, gone = "1080000000000000201", "1080000000000000999"
	r.fake.AddDM(quiet, discordfake.User("503", "cem"))
	r.make(nil)
	stop := r.run()
	r.waitFor("connected to Discord")
	stop()
	r.says(directID, "meanwhile")
	r.says(roomID, "in the room")
	r.talked = []channels.Conversation{
		at(gone, ""), at(roomID, ""), at(directID, ""), at(quiet, ""), {Channel: "other", Chat: "../x"}, at("../x", ""),
	}
	r.make(nil)
	r.run()
	got := map[string]int{}
	for len(got) < 2 {
		got[r.next().Text]++
	}
	if got["meanwhile"] != 1 || got["in the room"] == 0 {
		t.Errorf("received %v", got)
	}
	r.until("what is there is asked for", func() bool {
		return len(r.fake.Calls("GET /channels/{channel_id}")) >= 3
	})
	for _, c := range r.fake.Calls("GET /channels/{channel_id}/messages") {
		if id := c.PathParams["channel_id"]; id != directID && id != roomID {
			t.Errorf("asked for the messages of %s", id)
		}
	}
	if told := r.notices(); len(told) != 0 {
		t.Errorf("told %q", told)
	}
}

func TestTalkedThatFails(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.talkedErr = errors.New("no database")
	r.start(nil)
	r.waitFor("is not caught up on")
	r.says(roomID, "hello")
	if in := r.next(); in.Text != "hello" {
		t.Errorf("received %+v", in)
	}
}
