package place_test

import (
	"testing"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
)

func TestTheNarrowestSettingCounts(t *testing.T) {
	t.Parallel()
	at := func(channel, chat, topic string) channels.Conversation {
		return channels.Conversation{Channel: channel, Chat: channels.ChatID(chat), Topic: channels.TopicID(topic)}
	}
	var settings place.Settings
	settings.Set([]place.Place{
		{at("tg", "-1", "7"), place.Mention},
		{at("tg", "-1", ""), place.Always},
		{at("tg", "-1", "9"), ""},
		{at("slack", "", ""), place.Always},
		{at("slack", "C1", ""), place.Mention},
	})
	if !settings.Move("tg", "-1", "-1001") || settings.Move("tg", "-9", "-10") {
		t.Error("a move is told by whether something was set")
	}
	tests := map[string]struct {
		c    channels.Conversation
		want place.Answer
	}{
		"a topic before its chat":                  {at("tg", "-1", "7"), place.Mention},
		"a topic without a setting has its chat's": {at("tg", "-1", "9"), place.Always},
		"the chat outside of topics":               {at("tg", "-1", ""), place.Always},
		"another chat":                             {at("tg", "-2", "7"), place.Mention},
		"a chat before its channel":                {at("slack", "C1", "1.2"), place.Mention},
		"a channel":                                {at("slack", "C2", "1.2"), place.Always},
		"a chat that moved":                        {at("tg", "-1001", ""), place.Always},
		"another channel":                          {at("discord", "C1", ""), place.Mention},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := settings.Answer(tt.c); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
