package main_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// TestSlack uses a workspace as people do: a mention opens a thread, and everything about it stays there.
func TestSlack(t *testing.T) {
	t.Parallel()
	const room, direct, ann = "C0ROOM00001", "D0ANN000001", "U0ANN000001"
	fake := slackfake.New(t)
	fake.AddUser(ann, "ann")
	fake.AddChannel(room, "room")
	fake.AddDM(direct, ann)
	model := serveWith(t, echo, "SLACK_BOT_TOKEN="+slackfake.BotToken, "SLACK_APP_TOKEN="+slackfake.AppToken, "SLACK_API_URL="+fake.URL)
	fake.Wait("socket")
	say := func(thread, text string, files ...string) string {
		t.Helper()
		ts, err := fake.SendMessage(slackfake.Incoming{Channel: room, ThreadTS: thread, User: ann, Text: text, Files: files})
		fake.Must(err)
		return ts
	}
	answer := func(thread, want string) {
		t.Helper()
		c := fake.Wait("chat.postMessage", fakekit.Param("channel", room), fakekit.Param("thread_ts", thread))
		if text := c.String("markdown_text") + c.String("text"); !strings.Contains(text, want) {
			t.Errorf("answered %.200q, want %q", text, want)
		}
	}
	say("", "the server is slow")
	thread := say("", "<@"+slackfake.BotUserID+"> status?")
	answer(thread, "I see **0** pictures.")
	contains(t, "the request", model.requests()[0].last(), "to each other", "the server is slow", "status?")
	say(thread, "and now?") // needs no mention
	answer(thread, "I see **0** pictures.")
	say(thread, "look", fake.AddFile("a.png", "image/png", onePixel(t)))
	answer(thread, "I see **1** pictures.")
	say(thread, "a long answer please")
	answer(thread, "Here:")
	say(thread, "break")
	answer(thread, "refused this request")
	say(thread, "take your time")
	fake.Wait("chat.startStream")
	fake.Must(fake.StopSession(room, thread, ann))       // Slack's own button
	fake.Wait("chat.update", func(c fakekit.Call) bool { // in the place of what was shown
		return strings.Contains(c.String("markdown_text")+c.String("text"), "Stopped.")
	})
	_, err := fake.UseCommand(slackfake.Command{Channel: room, Command: "/lead", Text: "help", User: ann})
	fake.Must(err)
	fake.Wait("response_url", func(c fakekit.Call) bool { return strings.Contains(c.String("text"), "start a new session") })
	if seen := fake.Whispers(room, ann); len(seen) != 1 {
		t.Errorf("ann alone sees %v", seen)
	}
	fake.Never(200*time.Millisecond, "chat.postMessage")
}
