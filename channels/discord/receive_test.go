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

func TestMessagesArriveWithTheirPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	for name, tc := range map[string]struct {
		channel string
		want    channels.Inbound
	}{
		"a room":            {roomID, channels.Inbound{Conversation: at(roomID, "")}},
		"a thread of it":    {threadID, channels.Inbound{Conversation: at(roomID, threadID)}},
		"a post of a forum": {postID, channels.Inbound{Conversation: at(forumID, postID)}},
		"a direct chat":     {directID, channels.Inbound{Conversation: at(directID, ""), Direct: true}},
	} {
		m := r.says(tc.channel, "hello")
		want := tc.want
		want.ID, want.EventKey = channels.MessageID(m["id"].(string)), "m:"+m["id"].(string)
		want.Text, want.Sender = "hello", channels.Sender{ID: annID, Name: "Ann @ann"}
		if tc.channel == roomID {
			want.Thread = channels.TopicID(want.ID)
		}
		if diff := cmp.Diff(&want, r.next(), cmpopts.IgnoreFields(channels.Inbound{}, "SentAt")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"channel/dc"}, r.leases); diff != "" {
		t.Errorf("leases (-want +got):\n%s", diff)
	}
}

func TestAnswersGoWhereTheQuestionCameFrom(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	for _, channel := range []string{roomID, threadID, postID, directID} {
		r.says(channel, "question "+channel)
		in := r.next()
		r.mustSend(&channels.Outbound{
			Key: "k" + channel, Conversation: in.Conversation, ReplyTo: in.ID, Text: "answer " + channel,
		})
		if diff := cmp.Diff([]string{"answer " + channel}, r.shown(channel)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		c := r.fake.Wait(posts)
		ref, _ := c.Params["message_reference"].(fakekit.Object)
		if ref["message_id"] != string(in.ID) || ref["fail_if_not_exists"] != false {
			t.Errorf("the answer refers to %v", ref)
		}
	}
}

func TestWhatSpeaksToTheBot(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	mine := r.mustSend(&channels.Outbound{Key: "mine", Conversation: at(roomID, ""), Text: "I am done"})
	r.joins(threadID)
	for name, tc := range map[string]struct {
		in        discordfake.Incoming
		text      string
		mentioned bool
	}{
		"a mention": {discordfake.Incoming{ChannelID: roomID, Content: r.bot() + ", what is up?"}, "what is up?", true},
		"an old mention": {
			discordfake.Incoming{ChannelID: roomID, Content: "👋🏽 <@!" + r.fake.AppID() + "> hi"}, "👋🏽  hi", true,
		},
		"a mention alone": {discordfake.Incoming{ChannelID: roomID, Content: r.bot()}, "", true},
		"a mention in code": {
			discordfake.Incoming{ChannelID: roomID, Content: "`" + r.bot() + "` x"}, "`" + r.bot() + "` x", false,
		},
		"a mention in a block": {
			discordfake.Incoming{ChannelID: roomID, Content: "```\n" + r.bot() + "\n```"}, "```\n" + r.bot() + "\n```", false,
		},
		"everyone":            {discordfake.Incoming{ChannelID: roomID, Content: "@everyone lunch"}, "@everyone lunch", false},
		"a role":              {discordfake.Incoming{ChannelID: roomID, Content: "<@&77> look"}, "<@&77> look", false},
		"somebody else":       {discordfake.Incoming{ChannelID: roomID, Content: "<@7> <a:party:12>"}, "@user7 :party:", false},
		"an answer to it":     {discordfake.Incoming{ChannelID: roomID, Content: "thanks", ReplyTo: string(mine)}, "thanks", true},
		"a thread it is in":   {discordfake.Incoming{ChannelID: threadID, Content: "and then"}, "and then", true},
		"a thread it is not":  {discordfake.Incoming{ChannelID: postID, Content: "and then"}, "and then", false},
		"a colon is kept":     {discordfake.Incoming{ChannelID: roomID, Content: ": hm"}, ": hm", false},
		"a room with no word": {discordfake.Incoming{ChannelID: otherID, Content: "chat"}, "chat", false},
	} {
		r.sends(tc.in)
		in := r.next()
		if in.Text != tc.text || in.Mentioned != tc.mentioned {
			t.Errorf("%s: text %q, mentioned %v", name, in.Text, in.Mentioned)
		}
	}
}

func TestQuotedMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	bob := r.sends(discordfake.Incoming{
		ChannelID: roomID, Author: discordfake.User("502", "bob"), Content: "the log", Files: map[string]string{"l.txt": "x"},
	})
	r.next()
	r.sends(discordfake.Incoming{ChannelID: roomID, Content: r.bot() + " explain", ReplyTo: bob["id"].(string)})
	got := r.next().ReplyTo
	if got == nil || got.Text != "the log" || got.Sender.ID != "502" || got.Mine || len(got.Attachments) != 1 {
		t.Fatalf("quoted %+v", got)
	}
	r.sends(discordfake.Incoming{ChannelID: roomID, Content: "gone", ReplyTo: "1"})
	if in := r.next(); in.ReplyTo != nil {
		t.Errorf("quoted %+v, which is deleted", in.ReplyTo)
	}
}

func TestFilesArriveAsReferences(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	fetch := func(a channels.Attachment) string {
		data, err := r.ch.(channels.Fetcher).Fetch(t.Context(), &a)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, content := range []string{"", r.bot(), "look"} {
		r.sends(discordfake.Incoming{
			ChannelID: roomID, Content: content, Files: map[string]string{"message.txt": "long text", "a.png": "\x89PNG"},
		})
		in := r.next()
		if len(in.Attachments) != 2 || in.Attachments[0].Name != "a.png" || in.Attachments[1].Size != 9 {
			t.Fatalf("attachments %+v", in.Attachments)
		}
		if got := fetch(in.Attachments[1]); got != "long text" {
			t.Errorf("fetched %q", got)
		}
	}
	for _, c := range r.fake.Calls("downloadAttachment") {
		if c.Header.Get("Authorization") != "" {
			t.Error("the token was sent to the server of files")
		}
	}
	r.sends(discordfake.Incoming{ChannelID: roomID, Content: "  "})
	r.nothingFrom(roomID)
}

func TestExpiredFilesAreAskedForAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	m := r.sends(discordfake.Incoming{ChannelID: threadID, Content: "x", Files: map[string]string{"a.txt": "content"}})
	a := r.next().Attachments[0]
	fetch := r.ch.(channels.Fetcher).Fetch

	expired := a
	expired.Ref = strings.Replace(a.Ref, "a.txt", "old.txt", 1)
	if data, err := fetch(t.Context(), &expired); err != nil || string(data) != "content" {
		t.Errorf("got %q, %v", data, err)
	}
	for name, ref := range map[string]string{
		"another server":   strings.Replace(a.Ref, r.fake.URL, "http://127.0.0.1:1", 1),
		"none":             "x",
		"another file":     strings.Replace(expired.Ref, " "+m["attachments"].([]any)[0].(fakekit.Object)["id"].(string)+" ", " 5 ", 1),
		"a message gone":   strings.Replace(expired.Ref, m["id"].(string), "77", 1),
		"a host in a name": a.Ref[:strings.LastIndex(a.Ref, " ")] + " http://cdn.discordapp.com@127.0.0.1:1/a",
	} {
		_, err := fetch(t.Context(), &channels.Attachment{Ref: ref})
		if err == nil || !refusal(t, err).Terminal {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fetch(t.Context(), &channels.Attachment{Ref: a.Ref, Size: 26 << 20}); err == nil || !refusal(t, err).Terminal {
		t.Errorf("too large: %v", err)
	}
}

func TestEditsRevise(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	m := r.says(roomID, "frist")
	first := r.next()
	id := m["id"].(string)
	r.fake.Must(r.fake.EditMessage(roomID, id, "first "+r.bot()))
	in := r.next()
	if in.Revises != first.EventKey || !strings.HasPrefix(in.EventKey, "e:"+id+":") || in.Text != "first" || !in.Mentioned {
		t.Errorf("revised %+v", in)
	}
	// Pages that links show, pins and the like change messages too.
	r.fake.Must(r.fake.EditMessage(roomID, id, "first "+r.bot()))
	r.fake.Dispatch("MESSAGE_UPDATE", fakekit.Object{"id": id, "channel_id": roomID, "embeds": []any{}})
	r.fake.Dispatch("MESSAGE_UPDATE", m)
	r.nothingFrom(roomID)
}

func TestWhoIsNotListenedTo(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	bot := discordfake.User("7", "otherbot")
	bot["bot"] = true
	r.sends(discordfake.Incoming{ChannelID: roomID, Author: bot, Content: r.bot() + " hello"})
	r.sends(discordfake.Incoming{ChannelID: roomID, Content: r.bot() + " hook", Extra: fakekit.Object{"webhook_id": "9"}})
	r.sends(discordfake.Incoming{ChannelID: roomID, Content: "", Extra: fakekit.Object{"type": 7}})
	r.mustSend(&channels.Outbound{Key: "k", Conversation: at(roomID, ""), Text: "talking to myself " + r.bot()})
	r.nothingFrom(roomID)
}

func TestUnknownAndMalformedEvents(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	for range 3 {
		r.fake.Dispatch("SOMETHING_NEW", fakekit.Object{"x": 1})
		r.fake.Dispatch("MESSAGE_CREATE", fakekit.Object{"id": "../../x", "channel_id": roomID})
		r.fake.Dispatch("MESSAGE_CREATE", []int{1})
		r.fake.Dispatch("INTERACTION_CREATE", fakekit.Object{"id": "1", "token": "a/../b", "channel_id": roomID})
		r.fake.Dispatch("MESSAGE_DELETE", fakekit.Object{"id": "1", "channel_id": "x"})
		r.fake.Dispatch("MESSAGE_DELETE_BULK", fakekit.Object{"ids": []string{"1", "../2"}, "channel_id": roomID})
		r.fake.Dispatch("MESSAGE_CREATE", fakekit.Object{
			"id": "5", "channel_id": roomID, "author": ann(), "content": "", "components": []any{fakekit.Object{"type": 99}},
		})
	}
	r.nothingFrom(roomID)
	if n := strings.Count(r.log.String(), "can't be read"); n != 4 {
		t.Errorf("malformed events were logged %d times", n)
	}
}

func TestForwardedStickersAndPolls(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	for want, extra := range map[string]fakekit.Object{
		"Forwarded:\nthe news": {"message_reference": fakekit.Object{"type": 1, "message_id": "1", "channel_id": "2"},
			"message_snapshots": []any{fakekit.Object{"message": fakekit.Object{"content": "the news", "mentions": []any{}}}}},
		"(a sticker: Wave)": {"sticker_items": []any{fakekit.Object{"id": "1", "name": "Wave", "format_type": 1}}},
		"(a poll: Lunch?; options: Yes; No)": {"poll": fakekit.Object{
			"question": fakekit.Object{"text": "Lunch?"}, "answers": []any{
				fakekit.Object{"poll_media": fakekit.Object{"text": "Yes"}}, fakekit.Object{"poll_media": fakekit.Object{"text": "No"}}},
		}},
	} {
		r.sends(discordfake.Incoming{ChannelID: roomID, Extra: extra})
		if in := r.next(); in.Text != want {
			t.Errorf("got %q, want %q", in.Text, want)
		}
	}
}

func TestThreadsThatNobodyAnnouncedAreLookedUp(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.fake.HandleFunc("GET /channels/{channel_id}", func(c fakekit.Call) (any, error) {
		return fakekit.Object{"id": c.PathParams["channel_id"], "type": discordfake.PrivateThread, "parent_id": roomID}, nil
	})
	r.fake.Inject(fakekit.Fault{Method: "GET /channels/{channel_id}", Status: 500})
	for range 2 {
		r.fake.Dispatch("MESSAGE_CREATE", fakekit.Object{
			"id": r.fake.NewID(), "channel_id": "4242", "author": ann(), "content": "in a private thread",
		})
		if in := r.next(); in.Conversation != at(roomID, "4242") {
			t.Errorf("it is said in %v", in.Conversation)
		}
	}
	if n := len(r.fake.Calls("GET /channels/{channel_id}")); n != 2 { // the one that failed, and one more
		t.Errorf("asked %d times", n)
	}
}
