package main_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// TestDiscord uses a server as people do: what is asked in a thread is answered there.
func TestDiscord(t *testing.T) {
	t.Parallel()
	const guild, room, thread = "1080000000000000100", "1080000000000000101", "1080000000000000102"
	const posts = "POST /channels/{channel_id}/messages"
	fake := discordfake.New(t)
	fake.AddGuild(discordfake.Guild{ID: guild, Name: "Ops", Channels: []discordfake.Channel{{ID: room, Name: "general"}}})
	fake.Must(fake.AddThread(room, thread, "slow"))
	model := serveWith(t, echo, "DISCORD_BOT_TOKEN="+fake.Token, "DISCORD_API_URL="+fake.URL)
	fake.Wait("GATEWAY identify")
	fake.Wait("PUT /applications/{application_id}/commands")
	say := func(channel, text string, files map[string]string) {
		t.Helper()
		_, err := fake.SendMessage(discordfake.Incoming{ChannelID: channel, Author: discordfake.User("501", "ann"), Content: text, Files: files})
		fake.Must(err)
	}
	answer := func(channel, want string) {
		t.Helper()
		c := fake.Wait(posts, func(c fakekit.Call) bool { return c.PathParams["channel_id"] == channel })
		if text := c.String("content"); !strings.Contains(text, want) {
			t.Errorf("answered %.200q, want %q", text, want)
		}
	}
	bot := "<@" + fake.AppID() + "> "
	say(room, "the server is slow", nil)
	say(room, bot+"status?", nil)
	answer(room, "I see **0** pictures.")
	contains(t, "the request", model.requests()[0].last(), "to each other", "the server is slow", "status?")
	say(thread, bot+"and here?", nil)
	answer(thread, "I see **0** pictures.")
	say(thread, "and now?", nil) // needs no mention
	answer(thread, "I see **0** pictures.")
	say(thread, "look", map[string]string{"a.png": string(onePixel(t))})
	answer(thread, "I see **1** pictures.")
	say(thread, "a long answer please", nil)
	answer(thread, "Here:")
	fake.Wait(posts, func(c fakekit.Call) bool { return strings.Contains(c.String("content"), "Done.") || len(c.Files) > 0 })
	say(thread, "break", nil)
	fake.Wait(posts, func(c fakekit.Call) bool { return strings.Contains(c.String("content"), "refused this request") })
	say(thread, "take your time", nil)
	preview := fake.Wait(posts, func(c fakekit.Call) bool { return strings.Contains(c.String("content"), "Half an") })
	var shown struct {
		ID         string
		Components []struct {
			Components []struct {
				ID string `json:"custom_id"`
			}
		}
	}
	if err := json.Unmarshal(preview.Response, &shown); err != nil {
		t.Fatal(err)
	}
	_, err := fake.PressComponent(thread, shown.ID, shown.Components[0].Components[0].ID, discordfake.User("501", "ann"))
	fake.Must(err)
	fake.Wait("PATCH /channels/{channel_id}/messages/{message_id}", func(c fakekit.Call) bool {
		return strings.Contains(c.String("content"), "Stopped.")
	})
	_, err = fake.UseCommand(discordfake.Command{
		ChannelID: room, Name: "lead", User: discordfake.User("501", "ann"), Options: []fakekit.Object{{"name": "help", "type": 1}},
	})
	fake.Must(err)
	fake.Wait("PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original", func(c fakekit.Call) bool {
		return strings.Contains(c.String("content"), "start a new session")
	})
	fake.Never(200*time.Millisecond, posts, func(c fakekit.Call) bool { return !strings.Contains(c.String("content"), "Println") })
}
