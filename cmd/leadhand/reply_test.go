package main_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// serving runs a bot with a configuration that anybody may talk to.
func serving(t *testing.T, config string, env ...string) {
	t.Helper()
	p := install(t, append(env, "LEADHAND_MODEL=demo", "LEADHAND_ACCESS=open")...)
	p.run("", "init", "--yes")
	p.configure(config)
	cmd, _, log := p.serve()
	t.Cleanup(func() {
		if code, _ := terminate(t, cmd); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if t.Failed() {
			t.Logf("the log:\n%s", log)
		}
	})
}

// TestAnswersThatOpenThreadsOnDiscord: where a place says so, the answer to a mention stands in a thread of its own, what
// is said there needs no mention, and what is said around it goes on around it.
func TestAnswersThatOpenThreadsOnDiscord(t *testing.T) {
	t.Parallel()
	const room, opens = "1080000000000000101", "POST /channels/{channel_id}/messages/{message_id}/threads"
	fake := discordfake.New(t)
	fake.AddGuild(discordfake.Guild{ID: "1080000000000000100", Name: "Ops", Channels: []discordfake.Channel{{ID: room, Name: "general"}}})
	serving(t, "places: [{channel: discord, chat: \""+room+"\", reply: thread}]\n",
		"DISCORD_BOT_TOKEN="+fake.Token, "DISCORD_API_URL="+fake.URL)
	fake.Wait("GATEWAY identify")
	fake.Wait("PUT /applications/{application_id}/commands")
	say := func(channel, text string) string {
		t.Helper()
		m, err := fake.SendMessage(discordfake.Incoming{ChannelID: channel, Author: discordfake.User("501", "ann"), Content: text})
		fake.Must(err)
		return fakekit.Text(m["id"])
	}
	answered := func(channel string) {
		t.Helper()
		fake.Wait("POST /channels/{channel_id}/messages", func(c fakekit.Call) bool { return c.PathParams["channel_id"] == channel })
	}
	bot := "<@" + fake.AppID() + "> "
	first := say(room, bot+"what is in my workspace?")
	if name := fake.Wait(opens).String("name"); name != "what is in my workspace?" {
		t.Errorf("the thread is called %q", name)
	}
	answered(first)
	say(first, "and now?") // needs no mention
	answered(first)
	second := say(room, bot+"something else")
	answered(second)
	say(room, bot+"topic")
	answered(room)
	if n := len(fake.Calls(opens)); n != 2 {
		t.Errorf("%d threads were opened", n)
	}
}

// TestAnswersThatOpenNoThreadsOnSlack: where a place says so, the answer to a mention stands in the channel.
func TestAnswersThatOpenNoThreadsOnSlack(t *testing.T) {
	t.Parallel()
	const room, ann = "C0GENERAL01", "U0ANN000001"
	fake := slackfake.New(t)
	fake.AddUser(ann, "ann")
	fake.AddChannel(room, "general")
	serving(t, "places: [{channel: slack, chat: "+room+", reply: plain}]\n",
		"SLACK_BOT_TOKEN="+slackfake.BotToken, "SLACK_APP_TOKEN="+slackfake.AppToken, "SLACK_API_URL="+fake.URL)
	fake.Wait("socket")
	for _, text := range []string{"<@" + slackfake.BotUserID + "> what is in my workspace?", "<@" + slackfake.BotUserID + "> and now?"} {
		_, err := fake.SendMessage(slackfake.Incoming{Channel: room, User: ann, Text: text})
		fake.Must(err)
		if c := fake.Wait("chat.postMessage"); c.Has("thread_ts") || c.String("channel") != room {
			t.Errorf("posted %v", c.Params)
		}
	}
	for _, m := range fake.Messages(room) {
		if ts := fakekit.Text(m["thread_ts"]); ts != "" && !strings.HasPrefix(fakekit.Text(m["text"]), "<@") {
			t.Errorf("in a thread: %v", m)
		}
	}
}
