package telegram_test

import (
	"strconv"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// TestTopicsAreCalledByTheirNewestName: a message tells how its topic was called in the beginning, a change how it is
// called now.
func TestTopicsAreCalledByTheirNewestName(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	topic := at(forum, "7")
	called := func(c channels.Conversation, want string) {
		t.Helper()
		name, err := r.ch.(channels.Namer).NameOf(t.Context(), c)
		if name != want || err != nil {
			t.Errorf("%s is called %q (%v), want %q", c, name, err, want)
		}
	}
	hello := func() {
		r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, Text: "@opsbot hello"})
		r.next()
	}
	called(topic, "")
	hello()
	called(topic, "ops")
	called(at(forum, ""), "Ops")
	if err := r.fake.RenameTopic(forum, 7, "on\n call"); err != nil {
		t.Fatal(err)
	}
	hello()
	called(topic, "on call")
	id, err := r.fake.CreateTopic(forum, "Release", nil)
	if err != nil {
		t.Fatal(err)
	}
	hello()
	called(at(forum, strconv.Itoa(id)), "Release")
}
