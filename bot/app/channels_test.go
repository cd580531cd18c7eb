package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/app"
)

func TestChannelsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	load := func(file string, more ...string) (*app.Config, error) {
		env := home(t)
		for _, pair := range more {
			k, v, _ := strings.Cut(pair, "=")
			env[k] = v
		}
		flags := app.Flags{}
		if file != "" {
			flags.Config = write(t, "leadhand.yaml", file)
		}
		return app.Load(t.Context(), flags, env)
	}
	names := func(cfg *app.Config) (names []string) {
		for name := range cfg.Channels {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	own := `channels: {tg: {kind: telegram, settings: {bot_token: "1:a"}}}`
	tests := map[string]struct {
		file string
		env  []string
		want []string
	}{
		"a token is enough":            {"", []string{"TELEGRAM_BOT_TOKEN=1:a"}, []string{"telegram"}},
		"a server alone is no channel": {"", []string{"TELEGRAM_API_URL=http://127.0.0.1:1"}, nil},
		"the file speaks for its kind": {own, []string{"TELEGRAM_BOT_TOKEN=2:b"}, []string{"tg"}},
	}
	for name, tt := range tests {
		cfg, err := load(tt.file, tt.env...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := names(cfg); !slices.Equal(got, tt.want) {
			t.Errorf("%s: channels %v, want %v", name, got, tt.want)
		}
	}
	for name, tt := range map[string]struct{ file, want string }{
		"an unknown kind":          {`channels: {tg: {kind: telegrm}}`, `"telegram"`},
		"a place elsewhere":        {own + "\nplaces: [{channel: tgg, answer: always}]", `places[0].channel`},
		"an answer that is none":   {own + "\nplaces: [{channel: tg, answer: sometimes}]", `places[0].answer`},
		"a reply that is none":     {own + "\nplaces: [{channel: tg, reply: threads}]", `did you mean "thread"?`},
		"people without channel":   {own + "\nplaces: [{channel: tg, people: [U1]}]", `"U1" is no id such as tg:501`},
		"people and who":           {own + "\nplaces: [{channel: tg, people: [\"tg:1\"], who: everyone}]", "there is who, too"},
		"a topic without its chat": {own + "\nplaces: [{channel: tg, topic: \"7\", answer: always}]", "places[0].topic: a topic needs its chat"},
		"a queue of nothing":       {own + "\nlimits: {waiting: -1}", "limits.waiting"},
	} {
		if _, err := load(tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
