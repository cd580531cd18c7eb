package discord_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func TestTasksOfMessages(t *testing.T) {
	t.Parallel()
	r := commands(t)
	for _, by := range []fakekit.Object{bob(), ann()} {
		m := r.sends(discordfake.Incoming{
			ChannelID: threadID, Author: by, Content: r.bot() + " the login is broken <@502>", Files: map[string]string{"log.txt": "x"},
		})
		r.next()
		before := len(r.fake.Messages(threadID))
		use, err := r.fake.UseMessageCommand(threadID, m["id"].(string), "Make a task", ann())
		r.fake.Must(err)
		in := r.next()
		want := &channels.Inbound{
			ID: channels.MessageID(m["id"].(string)), EventKey: "i:" + use, Conversation: at(roomID, threadID), Mentioned: true,
			Sender: channels.Sender{ID: annID, Name: "Ann @ann"},
			Text:   "Make a task of this message of Bob:\n\nthe login is broken @user502",
		}
		if by["id"] == annID {
			want.Text = strings.Replace(want.Text, " of Bob", "", 1)
		}
		if diff := cmp.Diff(want, in, cmpopts.IgnoreFields(channels.Inbound{}, "SentAt", "Via", "Attachments")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(in.Attachments) != 1 {
			t.Fatalf("attachments %v", in.Attachments)
		}
		data, err := r.ch.(channels.Fetcher).Fetch(t.Context(), &in.Attachments[0])
		if err != nil || string(data) != "x" {
			t.Errorf("the file holds %q, %v", data, err)
		}
		r.mustSend(answer(in, use, "It is task 42."))
		if got := r.fake.Messages(threadID); len(got) != before+1 || got[before]["content"] != "It is task 42." {
			t.Errorf("%d messages", len(got))
		}
	}
}
