package discord_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func TestDeletions(t *testing.T) {
	t.Parallel()
	r := commands(t)
	m := r.says(threadID, "never mind")
	was := r.next()
	id := m["id"].(string)
	r.fake.Must(r.fake.DeleteMessage(threadID, id))
	want := &channels.Inbound{
		ID: was.ID, EventKey: "d:" + id, Revises: was.EventKey, Deleted: true, Conversation: at(roomID, threadID),
	}
	if diff := cmp.Diff(want, r.next(), cmpopts.IgnoreFields(channels.Inbound{}, "SentAt")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Several at once, of which this process may know none.
	r.fake.Dispatch("MESSAGE_DELETE_BULK", fakekit.Object{"ids": []string{"7", "8"}, "channel_id": directID})
	for _, key := range []string{"d:7", "d:8"} {
		if in := r.next(); in.EventKey != key || !in.Deleted || !in.Direct {
			t.Errorf("received %+v", in)
		}
	}
	// Not the bot's own, whether it took them away itself or not, and be they answers to commands.
	own := r.mustSend(&channels.Outbound{Key: "k", Conversation: at(roomID, ""), Text: "mine"})
	r.fake.Must(r.fake.DeleteMessage(roomID, string(own)))
	r.command(roomID, "ask", "why?")
	r.next()
	r.until("the answer is there", func() bool { return len(r.shown(roomID)) == 1 })
	r.fake.Must(r.fake.DeleteMessage(roomID, fakekit.Text(r.fake.Messages(roomID)[0]["id"])))
	r.nothingFrom(roomID)
}

func TestBotsThatAreTrusted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start(settings{"bots": []string{"7", r.fake.AppID()}})
	says := func(id string, extra fakekit.Object) fakekit.Object {
		bot := discordfake.User(id, "bot"+id)
		bot["bot"] = true
		return r.sends(discordfake.Incoming{ChannelID: roomID, Author: bot, Content: "beep", Extra: extra})
	}
	m := says("7", nil)
	if in := r.next(); in.Sender != (channels.Sender{ID: "7", Name: "bot7", Bot: true}) {
		t.Errorf("received %+v", in.Sender)
	}
	r.fake.Must(r.fake.EditMessage(roomID, m["id"].(string), "boop"))
	if in := r.next(); in.Text != "boop" || !in.Sender.Bot {
		t.Errorf("received %+v", in)
	}
	says("8", nil)
	says("7", fakekit.Object{"webhook_id": "9"})
	r.mustSend(&channels.Outbound{Key: "k", Conversation: at(roomID, ""), Text: "talking to myself " + r.bot()})
	r.nothingFrom(roomID)
}

func TestChannelsThatAreNotSeen(t *testing.T) {
	t.Parallel()
	const lookUp = "GET /channels/{channel_id}"
	for name, refusal := range map[string]*discordfake.Error{
		"hidden": {Status: http.StatusForbidden, Code: 50001, Message: "Missing Access"},
		"gone":   {Status: http.StatusNotFound, Code: 10003, Message: "Unknown Channel"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t).start(nil)
			r.fake.HandleFunc(lookUp, func(fakekit.Call) (any, error) { return nil, refusal })
			says := func(channel, text string) {
				r.fake.Dispatch("MESSAGE_CREATE", fakekit.Object{"id": r.fake.NewID(), "channel_id": channel, "author": ann(), "content": text})
			}
			for range 3 { // it may be a thread, and what its channel forbids would not hold
				says("4242", "in the dark")
			}
			r.until("it is looked up", func() bool { return len(r.fake.Calls(lookUp)) == 3 })
			r.nothingFrom(roomID)
			if told := r.notices(); len(told) != 1 || !strings.Contains(told[0], "4242") || !strings.Contains(told[0], "View Channel") {
				t.Errorf("told %q", told)
			}
			if n := strings.Count(r.log.String(), "level=ERROR"); n != 1 {
				t.Errorf("%d errors were logged", n)
			}
			r.fake.HandleFunc(lookUp, func(c fakekit.Call) (any, error) {
				return fakekit.Object{"id": c.PathParams["channel_id"], "type": discordfake.PrivateThread, "parent_id": roomID}, nil
			})
			says("4242", "in the light")
			if in := r.next(); in.Text != "in the light" || in.Conversation != at(roomID, "4242") {
				t.Errorf("received %+v", in)
			}
		})
	}
}
