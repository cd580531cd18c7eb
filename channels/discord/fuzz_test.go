package discord_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/discord"
)

// FuzzEvents: whatever is delivered, the program is handed a usable message or nothing, and never panics.
func FuzzEvents(f *testing.F) {
	for kind, seeds := range map[string][]string{
		"MESSAGE_CREATE": {
			`{"id":"5","channel_id":"7","author":{"id":"501","username":"a"},"content":"<@1> hi <@501>","mentions":[{"id":"501"}]}`,
			`{"id":"5","channel_id":"7","type":19,"author":{"id":"5"},"referenced_message":{"id":"4","author":{"id":"1"}},"attachments":[{"url":"http://x"}]}`,
			`{"id":"5","channel_id":"7","author":{"id":"5"},"message_snapshots":[{"message":{"content":"x"}}],"poll":{}}`,
		},
		"MESSAGE_UPDATE": {`{"id":"5","channel_id":"7","edited_timestamp":"2026-01-02T03:04:05.678000+00:00","author":{"id":"5"},"content":"y"}`, `{"id":"5"}`},
		"INTERACTION_CREATE": {
			`{"id":"6","token":"t","type":3,"channel_id":"7","member":{"user":{"id":"5"}},"data":{"custom_id":"TOKEN00001","values":["TOKEN00001.2"]},"message":{"id":"5"}}`,
			`{"id":"6","token":"t","type":2,"channel_id":"7","user":{"id":"5"},"data":{"name":"lead","options":[{"name":"ask","options":[{"name":"text","value":"x"}]}]}}`,
			`{"id":"6","token":"t","type":5,"channel_id":"7","user":{"id":"5"},"data":{"custom_id":"TOKEN00001","components":[{"components":[{"custom_id":"answer","value":"x"}]}]}}`,
		},
		"INTERACTION_CREATE ": {
			`{"id":"6","token":"t","type":3,"channel_id":"7","user":{"id":"5"},"data":{"custom_id":"TOKEN00001?why"}}`,
			`{"id":"6","token":"t","type":4,"channel_id":"7","user":{"id":"5"},"data":{"name":"lead","options":[{"name":"stop","options":[{"name":"text","value":"x"}]}]}}`,
			`{"id":"6","token":"t","type":2,"channel_id":"7","user":{"id":"5"},"data":{"type":3,"name":"Make a task","target_id":"9","resolved":{"messages":{"9":{"id":"9","content":"x","author":{"id":"5"}}}}}}`,
		},
		"MESSAGE_DELETE":      {`{"id":"5","channel_id":"7","guild_id":"1"}`, `{"channel_id":"7"}`},
		"MESSAGE_DELETE_BULK": {`{"ids":["5","6"],"channel_id":"7"}`, `{"ids":[null],"channel_id":"7"}`},
		"GUILD_CREATE":        {`{"id":"1","channels":[{"id":"7","type":0}],"threads":[{"id":"8","type":11,"parent_id":"7"}]}`, `null`, `[]`},
	} {
		for _, seed := range seeds {
			f.Add(strings.TrimSpace(kind), seed)
		}
	}
	fake, err := discordfake.Start(discordfake.WithToken("a.CANARY"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(fake.Close)
	fake.Keep(10)
	log := &logged{}
	ch, err := discord.New("dc", settings{"bot_token": fake.Token, "api_url": fake.URL}.decode, channels.Env{
		Log:      slog.New(slog.NewTextHandler(log, nil)),
		Complete: func(context.Context, *channels.Inbound) []channels.Option { return []channels.Option{{Value: "x"}} },
	})
	if err != nil {
		f.Fatal(err)
	}
	discord.Hurry(ch)
	discord.Deliver(f.Context(), ch, "READY", []byte(`{"user":{"id":"1"},"application":{"id":"1"}}`), nil)
	discord.Deliver(f.Context(), ch, "GUILD_CREATE", []byte(`{"id":"1","channels":[{"id":"7","type":0}]}`), nil)
	f.Fuzz(func(t *testing.T, kind, body string) {
		if kind == "READY" {
			return
		}
		var last *channels.Inbound
		discord.Deliver(t.Context(), ch, kind, []byte(body), func(_ context.Context, in *channels.Inbound) error { last = in; return nil })
		if last != nil && (last.EventKey == "" || last.ID == "" || last.Conversation.Chat == "" ||
			last.Deleted != (last.Sender.ID == "") || last.Deleted && last.Revises == "") {
			t.Errorf("handed %+v", last)
		}
		if strings.Contains(log.String(), "broke the program") {
			t.Errorf("panicked:\n%s", log)
		}
	})
}
