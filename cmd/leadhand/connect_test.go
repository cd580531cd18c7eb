package main_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/slack"
)

func TestConnect(t *testing.T) {
	t.Parallel()
	telegram, slack, discord := newTelegram(t), slackfake.New(t), discordfake.New(t)
	env := []string{
		"TG=" + telegram.Token, "BOT=" + slackfake.BotToken, "APP=" + slackfake.AppToken, "DC=" + discord.Token,
		"WRONG=MTA5.CANARY.no", "WRONGBOT=xoxb-1-CANARY", "EMPTY=", "SECRET=" + slackfake.SigningSecret,
	}
	tests := map[string]struct {
		args  string
		url   string
		saved []string // nil: nothing is saved
		want  []string // on standard output, or on standard error
		code  int
	}{
		"Telegram":           {"telegram --bot-token-env TG", telegram.URL, []string{"telegram:", "bot_token: file:telegram.bot_token"}, []string{"@opsbot"}, 0},
		"Telegram by name":   {"telegram --bot-token-env TG --name ops", telegram.URL, []string{"ops:", "file:ops.bot_token"}, []string{"@opsbot"}, 0},
		"Telegram, wrong":    {"telegram --bot-token-env WRONG", telegram.URL, nil, []string{"no token has"}, 1},
		"Telegram, unknown":  {"telegram --bot-token-env DC", telegram.URL, nil, []string{"no token has"}, 1},
		"Telegram, of Slack": {"telegram --bot-token-env BOT", telegram.URL, nil, []string{"nothing is saved"}, 1},
		"Slack": {"slack --bot-token-env BOT --app-token-env APP", slack.URL,
			[]string{"slack:", "app_token: file:slack.app_token", "bot_token: file:slack.bot_token"},
			[]string{"new_app=1&manifest_json=%7B", "@fakebot in Fake", slackfake.AppID}, 0},
		"Slack over HTTP": {"slack --bot-token-env BOT --signing-secret-env SECRET", slack.URL,
			[]string{"signing_secret: file:slack.signing_secret"}, []string{"/hooks/slack"}, 0},
		"Slack, swapped":      {"slack --bot-token-env APP --app-token-env BOT", slack.URL, nil, []string{"bot_token and app_token are swapped"}, 1},
		"Slack, wrong":        {"slack --bot-token-env WRONGBOT --app-token-env APP", slack.URL, nil, []string{"nothing is saved"}, 1},
		"Slack, half":         {"slack --bot-token-env BOT", slack.URL, nil, []string{"app_token is missing", "--app-token-env"}, 1},
		"Discord":             {"discord --bot-token-env DC", discord.URL, []string{"discord:", "file:discord.bot_token"}, []string{"Message Content is on", "permissions=309237763136"}, 0},
		"Discord, wrong":      {"discord --bot-token-env WRONG", discord.URL, nil, []string{"nothing is saved"}, 1},
		"no token":            {"telegram", telegram.URL, nil, []string{"bot_token is missing", "--bot-token-env NAME or --bot-token-file FILE"}, 1},
		"an empty variable":   {"telegram --bot-token-env EMPTY", telegram.URL, nil, []string{"the environment has nothing"}, 1},
		"a token as a name":   {"telegram --bot-token-env MTA5.CANARY.no", telegram.URL, nil, []string{"the environment has nothing"}, 1},
		"a missing file":      {"telegram --bot-token-file /nope", telegram.URL, nil, []string{"can't be read: no such file"}, 1},
		"a token as a file":   {"telegram --bot-token-file 999:CANARY", telegram.URL, nil, []string{"can't be read"}, 1},
		"a name with a path":  {"telegram --bot-token-env TG --name ../x", telegram.URL, nil, []string{"cannot be the name of a channel"}, 1},
		"nobody at the other": {"telegram --bot-token-env TG", "http://127.0.0.1:1", nil, []string{"nothing is saved"}, 1},
		"both":                {"telegram --bot-token-env TG --bot-token-file /x", telegram.URL, nil, []string{"take one of them"}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := install(t, env...)
			r := p.run("", append(append([]string{"connect"}, strings.Fields(tt.args)...), "--api-url", tt.url)...)
			all := r.out + r.err
			for _, secret := range []string{"CANARY", slackfake.BotToken, slackfake.AppToken, slackfake.SigningSecret, discord.Token} {
				if strings.Contains(all, secret) {
					t.Errorf("a secret is shown:\n%s", all)
				}
			}
			if r.code != tt.code {
				t.Errorf("exit code %d:\n%s", r.code, all)
			}
			contains(t, "output", all, tt.want...)
			if tt.saved == nil {
				if entries, err := os.ReadDir(p.data); err == nil && len(entries) > 0 {
					t.Errorf("saved: %v", entries)
				}
				return
			}
			contains(t, "leadhand.yaml", p.config(), tt.saved...)
			contains(t, "connect", r.out, "leadhand init")
			p.private("CANARY")
			again := p.run("", append([]string{"connect"}, strings.Fields(tt.args)...)...)
			if again.code != 0 || !strings.Contains(again.out, "configured already") {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// TestTheManifestOfSlack reads the app from the link that people open.
func TestTheManifestOfSlack(t *testing.T) {
	t.Parallel()
	for args, files := range map[string]bool{"connect slack": true, "connect slack --minimal": false} {
		r := install(t).run("", strings.Fields(args)...)
		var link *url.URL
		for _, word := range strings.Fields(r.out) {
			if u, err := url.Parse(word); err == nil && u.Host == "api.slack.com" {
				link = u
			}
		}
		if link == nil || len(link.String()) > 4000 {
			t.Fatalf("link %v in:\n%s", link, r.out)
		}
		var manifest struct {
			OAuth struct {
				Scopes struct{ Bot []string }
			} `json:"oauth_config"`
			Settings struct {
				Sockets bool `json:"socket_mode_enabled"`
				Events  struct {
					Bot []string `json:"bot_events"`
				} `json:"event_subscriptions"`
			}
		}
		if err := json.Unmarshal([]byte(link.Query().Get("manifest_json")), &manifest); err != nil || !manifest.Settings.Sockets {
			t.Fatalf("%v: %+v", err, manifest)
		}
		for _, scope := range slack.NeededScopes() {
			optional := strings.HasPrefix(scope, "files:") || strings.HasPrefix(scope, "mpim:")
			if slices.Contains(manifest.OAuth.Scopes.Bot, scope) != (files || !optional) {
				t.Errorf("%s: scope %s", args, scope)
			}
		}
		for _, event := range []string{"app_mention", "message.channels", "message.im", "member_joined_channel", "agent_session_stopped"} {
			if !slices.Contains(manifest.Settings.Events.Bot, event) {
				t.Errorf("%s: no event %s", args, event)
			}
		}
	}
}

func TestConnectTriesWhatTheEnvironmentConfigures(t *testing.T) {
	t.Parallel()
	fake := newTelegram(t)
	for token, code := range map[string]int{fake.Token: 0, "998:CANARY": 1} {
		p := install(t, "TELEGRAM_BOT_TOKEN="+token, "TELEGRAM_API_URL="+fake.URL)
		r := p.run("", "connect", "telegram")
		contains(t, "stdout", r.out, "telegram is configured already, in the environment. Nothing is changed.", "telegram: bot token")
		if r.code != code || strings.Contains(r.out+r.err, "CANARY") {
			t.Errorf("%+v", r)
		}
		if code != 0 {
			contains(t, "stderr", r.err, "telegram does not work as it is configured")
			continue
		}
		saved := p.run("", "connect", "telegram", "--bot-token-env", "TELEGRAM_BOT_TOKEN")
		if contains(t, "leadhand.yaml", p.config(), fake.URL, "file:telegram.bot_token"); saved.code != 0 {
			t.Errorf("%+v", saved)
		}
	}
}

func TestATokenInTheWrongPlaceIsNotRepeated(t *testing.T) {
	t.Parallel()
	const token = "xoxb-1234567890-1234567890-CANARYCANARYCANARY"
	p := install(t)
	for args, want := range map[string]string{
		"connect slack " + token: "unexpected argument xoxb-1…", "connect slack --bot-token " + token: "--bot-token-file",
		"connect slack --bot-token=" + token: "--bot-token-file", token: "unexpected argument xoxb-1…",
	} {
		r := p.run("", strings.Fields(args)...)
		if r.oneLine(t, 2, want); strings.Contains(r.err, "CANARY") {
			t.Errorf("%q", r.err)
		}
	}
}

func TestConnectLeavesAFileOfSomebodyAlone(t *testing.T) {
	t.Parallel()
	fake := newTelegram(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(fake.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(mine, []byte("log: warn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := install(t)
	r := p.run("", "connect", "telegram", "--bot-token-file", token, "--api-url", fake.URL, "--config", mine)
	contains(t, "stdout", r.out, "nothing is written there", "channels:", "telegram:", "bot_token: ${TELEGRAM_BOT_TOKEN}")
	if raw, err := os.ReadFile(mine); err != nil || string(raw) != "log: warn\n" || r.code != 0 {
		t.Errorf("%q, %v, %+v", raw, err, r)
	}
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.data, "telegram.bot_token"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = p.run("", "connect", "telegram", "--bot-token-file", token, "--api-url", fake.URL)
	if r.code != 1 || !strings.Contains(r.err, "is there already") {
		t.Errorf("over a file that is there: %+v", r)
	}
}
