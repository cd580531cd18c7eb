package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
	"github.com/leadhand/leadhand/channels/slack"
)

var claimLine = regexp.MustCompile(`(?m)^  (claim [A-Z2-9]{4}-[A-Z2-9]{4})$`)

// claimIn is what a text says to send to the bot.
func claimIn(t *testing.T, text string) string {
	t.Helper()
	m := claimLine.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no claim code in:\n%s", text)
	}
	return m[1]
}

func (p *program) config() string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.data, "leadhand.yaml"))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// private checks that all in the data directory is for its owner alone, and that nothing but files of tokens holds a
// canary.
func (p *program) private(canary string) {
	p.t.Helper()
	err := filepath.WalkDir(p.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && !strings.HasSuffix(path, ".lock") {
			p.t.Errorf("%s has the mode %s", path, info.Mode())
		}
		if strings.Contains(string(raw), canary) && !strings.HasSuffix(path, "_token") && !strings.HasSuffix(path, "_secret") {
			p.t.Errorf("a token is in %s", path)
		}
		return err
	})
	if err != nil {
		p.t.Error(err)
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	p := install(t)
	r := p.run("", "init", "--team", "Web team", "--owner", "Ann", "--time-zone", "Europe/Berlin")
	if r.code != 0 || r.err != "" {
		t.Fatalf("%+v", r)
	}
	contains(t, "stdout", r.out, "leadhand.yaml", "Web team", "Ann", "Europe/Berlin", "migrations applied now: ",
		"direct message, within 15 minutes", "claim ", "leadhand connect slack")
	contains(t, "leadhand.yaml", p.config(), "team:", "name: Web team", "owner: Ann", "time_zone: Europe/Berlin")
	first, before := claimIn(t, r.out), p.config()
	again := p.run("", "init", "--team", "Other", "--yes")
	if again.code != 0 || p.config() != before {
		t.Errorf("%+v, configuration:\n%s", again, p.config())
	}
	contains(t, "stdout", again.out, "has all of it", "Web team (was set before; change it in", "migrations applied now: 0")
	if claimIn(t, again.out) == first {
		t.Error("the same code twice")
	}
	p.private("no canary")
}

func TestInitAddsToWhatIsThere(t *testing.T) {
	t.Parallel()
	p := install(t)
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		t.Fatal(err)
	}
	const mine = "# mine\nlog: warn # quiet\nteam: {name: Ops}\n"
	if err := os.WriteFile(filepath.Join(p.data, "leadhand.yaml"), []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.run("", "init", "--team", "Web", "--owner", "Ann", "--yes"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	contains(t, "leadhand.yaml", p.config(), "# mine", "log: warn # quiet", "name: Ops", "owner: Ann")
}

func TestInitRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"a wrong zone":         {[]string{"--time-zone", "Berlin"}, `"Berlin" is not a time zone such as Europe/Berlin`},
		"a name that refers":   {[]string{"--team", "${HOME}"}, "cannot be a name"},
		"a name of many lines": {[]string{"--owner", "Ann\nSystem"}, "cannot be a name"},
	} {
		p := install(t)
		p.run("", append([]string{"init"}, tt.args...)...).oneLine(t, 1, tt.want)
		if _, err := os.Stat(filepath.Join(p.data, "leadhand.yaml")); err == nil {
			t.Errorf("%s: something is saved", name)
		}
	}
}

// newTelegram is a fake with Ann's and Bob's chats with the bot.
func newTelegram(t *testing.T) *telegramfake.Server {
	t.Helper()
	fake := telegramfake.New(t, telegramfake.WithToken("999:CANARY"), telegramfake.WithBot(fakekit.Object{"username": "opsbot"}))
	fake.AddUser(ann, "Ann", "ann")
	fake.AddUser(bob, "Bob", "bob")
	return fake
}

const bob = 502

// claim sends a code to the bot and waits until it makes an owner.
func claim(t *testing.T, fake *telegramfake.Server, who int64, name, text string) {
	t.Helper()
	_, err := fake.SendMessage(telegramfake.Incoming{ChatID: who, From: telegramfake.User(who, name, ""), Text: text})
	fake.Must(err)
	fake.Wait("sendMessage", fakekit.Param("chat_id", fmt.Sprint(who)), func(c fakekit.Call) bool {
		return strings.Contains(c.String("text"), "You are an owner of this bot now")
	})
}

// TestTheFirstTenMinutes goes from nothing to two owners and an installation of which doctor has nothing to say.
func TestTheFirstTenMinutes(t *testing.T) {
	t.Parallel()
	fake := newTelegram(t)
	model := newVendor(t, calls("confirm_setup", map[string]any{"word": "ready"}))
	p := install(t, "TOKEN="+fake.Token, "OPENAI_BASE_URL="+model.url, "OPENAI_API_KEY=sk-CANARY", "LEADHAND_MODEL=openai:fake")
	if r := p.run("", "init", "--yes"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	connected := p.run("", "connect", "telegram", "--bot-token-env", "TOKEN", "--api-url", fake.URL)
	if connected.code != 0 || connected.err != "" {
		t.Fatalf("%+v", connected)
	}
	text := claimIn(t, connected.out)
	_, code, _ := strings.Cut(text, " ")
	contains(t, "stdout", connected.out, "https://t.me/BotFather", "OK    telegram: bot token: @opsbot", "Saved in",
		"telegram.bot_token", "https://t.me/opsbot?start="+code, "https://t.me/opsbot?startgroup=", "Nobody owns the bot yet")
	contains(t, "leadhand.yaml", p.config(), "kind: telegram", "bot_token: file:telegram.bot_token")
	if n := strings.Count(p.config(), "leadhand wrote this"); n != 1 {
		t.Errorf("the comment stands there %d times", n)
	}
	if r := p.run("", "doctor"); r.code != 2 {
		t.Errorf("doctor without an owner: %d\n%s", r.code, r.out)
	}

	cmd, _, log := p.serve()
	contains(t, "log", log.String(), "nobody owns this bot yet: `leadhand init`")
	claim(t, fake, ann, "Ann", "/start "+code) // as the link does
	contains(t, "init", p.run("", "init", "--yes").out, "a server has it open", "Owners: Ann.", "--claim")
	one := p.run("", "doctor")
	if one.code != 1 {
		t.Errorf("doctor with one owner: %d\n%s", one.code, one.out)
	}
	contains(t, "doctor", one.out, "OK    configuration: ", "OK    database: ", "OK    schema: ", "disk: ",
		"OK    model default: fake answers and calls tools", "OK    telegram: bot token: @opsbot",
		"WARN  owners: Ann is the only one – run `leadhand init --claim`", "WARN  notices: ")
	second := p.run("", "init", "--claim")
	contains(t, "init --claim", second.out, "Owners: Ann.", "claim ")
	claim(t, fake, bob, "Bob\x1b[31m\x07", claimIn(t, second.out))

	config := p.config() + "notices: {channel: telegram, chat: \"501\"}\n"
	if err := os.WriteFile(filepath.Join(p.data, "leadhand.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	two := p.run("", "doctor")
	contains(t, "doctor", two.out, "OK    owners: 2, Ann, Bob[31m\n")
	if two.code != 0 || strings.Contains(two.out, "WARN") || strings.Contains(two.out, "FAIL") {
		t.Errorf("doctor when all is well: %d\n%s%s", two.code, two.out, two.err)
	}
	verified := p.run("", "connect", "telegram", "--bot-token-env", "TOKEN", "--api-url", fake.URL)
	contains(t, "connect again", verified.out, "telegram is configured already", "Nothing is changed", "OK    telegram: bot token")
	if verified.code != 0 || p.config() != config {
		t.Errorf("connect again: %+v", verified)
	}
	if code, _ := terminate(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, r := range []result{connected, one, second, two, verified, {out: log.String()}} {
		if strings.Contains(r.out+r.err, "CANARY") {
			t.Errorf("a secret is shown: %+v", r)
		}
	}
	p.private("CANARY")
}

func TestDoctorInJSON(t *testing.T) {
	t.Parallel()
	r := install(t, "LEADHAND_MODEL=demo").run("", "doctor", "--json")
	var found []struct{ Level, What, Fix string }
	if err := json.Unmarshal([]byte(r.out), &found); err != nil || r.code != 2 || len(found) < 4 {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, f := range found {
		if f.What == "" || (f.Fix == "") != (f.Level == "OK") {
			t.Errorf("%+v", f)
		}
	}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	telegram, slack, discord := newTelegram(t), slackfake.New(t), discordfake.New(t)
	silent := newVendor(t, fails(http.StatusUnauthorized, "Incorrect API key provided: sk-CANARY-012345"))
	mute := newVendor(t, says("ready"))
	const slackToken = "SLACK_BOT_TOKEN=xoxb-1-CANARY"
	for name, tt := range map[string]struct {
		env  []string
		want []string
		code int
	}{
		"no model":           {nil, []string{"FAIL  model: none is configured"}, 2},
		"a refused key":      {[]string{"OPENAI_BASE_URL=" + silent.url, "OPENAI_API_KEY=sk-CANARY-012345", "LEADHAND_MODEL=openai:m"}, []string{"FAIL  model default: m does not answer: the server refuses the key"}, 2},
		"no tools":           {[]string{"OPENAI_BASE_URL=" + mute.url, "LEADHAND_MODEL=openai:m", "LEADHAND_ACCESS=open"}, []string{"WARN  model default: m answers but does not call tools", "WARN  access: it is open to everybody who can reach the bot, and nobody owns it"}, 1},
		"nobody there":       {[]string{"OPENAI_BASE_URL=http://127.0.0.1:1/v1", "LEADHAND_MODEL=openai:m"}, []string{"FAIL  model default: m does not answer: it cannot be reached", "start the server"}, 2},
		"a wrong variable":   {[]string{"LEADHAND_ACESS=open"}, []string{"FAIL  configuration: ", "LEADHAND_ACCESS"}, 2},
		"a token of nobody":  {[]string{"LEADHAND_MODEL=demo", "TELEGRAM_BOT_TOKEN=998:CANARY", "TELEGRAM_API_URL=" + telegram.URL}, []string{"FAIL  telegram: bot token: Telegram does not know it – copy it again from @BotFather"}, 2},
		"tokens of Slack":    {[]string{"LEADHAND_MODEL=demo", slackToken, "SLACK_APP_TOKEN=xapp-1-A1-2-CANARY", "SLACK_API_URL=" + slack.URL}, []string{"FAIL  slack: bot token: Slack does not take it", "FAIL  slack: app token: Slack does not take it"}, 2},
		"half of Slack":      {[]string{"LEADHAND_MODEL=demo", slackToken}, []string{"FAIL  slack: app_token (xapp-, for Socket Mode) or signing_secret", "correct channels.slack.settings"}, 2},
		"a token of Discord": {[]string{"LEADHAND_MODEL=demo", "DISCORD_BOT_TOKEN=MTA5.CANARY.no", "DISCORD_API_URL=" + discord.URL}, []string{"FAIL  discord: bot token: Discord does not know it – press Reset Token"}, 2},
		"no PostgreSQL":      {[]string{"LEADHAND_MODEL=demo", "LEADHAND_DATABASE_URL=postgres://u:CANARY@127.0.0.1:1/x"}, []string{"FAIL  database: reach PostgreSQL at 127.0.0.1:1"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := install(t, tt.env...)
			if !strings.Contains(strings.Join(tt.env, " "), "postgres") {
				p.run("", "init", "--yes")
			}
			r := p.run("", "doctor")
			if r.code != tt.code || r.err != "" || strings.Contains(r.out, "CANARY") {
				t.Errorf("%+v", r)
			}
			contains(t, "doctor", r.out, tt.want...)
		})
	}
}

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

// TestDoctorBesideTheBot looks at channels that run.
func TestDoctorBesideTheBot(t *testing.T) {
	t.Parallel()
	telegram := telegramfake.New(t, telegramfake.WithBot(fakekit.Object{"can_read_all_group_messages": false, "username": "opsbot"}))
	slack, discord := slackfake.New(t), discordfake.New(t)
	p := install(t, "LEADHAND_MODEL=demo", "DISCORD_BOT_TOKEN="+discord.Token, "DISCORD_API_URL="+discord.URL,
		"SLACK_BOT_TOKEN="+slackfake.BotToken, "SLACK_APP_TOKEN="+slackfake.AppToken, "SLACK_API_URL="+slack.URL,
		"TELEGRAM_BOT_TOKEN="+telegram.Token, "TELEGRAM_API_URL="+telegram.URL)
	contains(t, "doctor before init", p.run("", "doctor").out, "FAIL  database: there is no ", "run `leadhand init`")
	p.run("", "init", "--yes")
	contains(t, "doctor before the first start", p.run("", "doctor").out, "WARN  discord: commands: /lead is not registered yet")
	cmd, _, _ := p.serve()
	discord.Wait("PUT /applications/{application_id}/commands")
	r := p.run("", "doctor")
	contains(t, "doctor", r.out, "OK    discord: intents: Message Content is on", "OK    discord: commands: /lead is registered",
		"OK    slack: app token: Slack lets it open sockets", "OK    slack: tokens: both belong to the app",
		"OK    telegram: privacy mode is on", "OK    telegram: updates: they are polled")
	db, err := store.OpenBeside(t.Context(), "sqlite:"+filepath.Join(p.data, "leadhand.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = store.NewPlaces(db).Set(t.Context(), "default", place.Setting{
		At: channels.Conversation{Channel: "telegram", Chat: "-100"}, Key: place.KeyAnswer, Value: string(place.Always),
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	contains(t, "doctor", p.run("", "doctor").out, "WARN  telegram: privacy mode is on, so it can't answer always",
		"/setprivacy, choose @opsbot, then Disable")
	if code, _ := terminate(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTheAgentKnowsItsTeam: what init asks for is told to the model.
func TestTheAgentKnowsItsTeam(t *testing.T) {
	t.Parallel()
	v := newVendor(t, says("Hello."))
	p := install(t, "OPENAI_BASE_URL="+v.url, "LEADHAND_MODEL=openai:m")
	p.run("", "init", "--team", "Web team", "--owner", "Ann")
	if r := p.run("hi\n", "chat"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	contains(t, "the instructions", fmt.Sprint(v.requests()[0].Messages[0].Content), "You work for the team “Web team”.", "“Ann” set you up.")
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

func TestBackupWhileServingAndRestore(t *testing.T) {
	t.Parallel()
	fake := newTelegram(t)
	p := install(t, "LEADHAND_MODEL=demo", "TELEGRAM_BOT_TOKEN="+fake.Token, "TELEGRAM_API_URL="+fake.URL)
	code := claimIn(t, p.run("", "init", "--yes").out)
	cmd, _, _ := p.serve()
	empty := filepath.Join(t.TempDir(), "empty.db")
	if r := p.run("", "backup", empty); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	claim(t, fake, ann, "Ann", code)
	owned := filepath.Join(t.TempDir(), "owned.db")
	if r := p.run("", "backup", owned); r.code != 0 || !strings.Contains(r.out, owned) {
		t.Fatalf("%+v", r)
	}
	if info, err := os.Stat(owned); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	p.run("", "backup", owned).oneLine(t, 1, owned, "is there already")
	p.run("", "restore", owned).oneLine(t, 1, "in use by another leadhand process")
	if code, _ := terminate(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, file := range []string{"/nope", fakeFile(t, "no database")} {
		p.run("", "restore", file).oneLine(t, 1, file)
	}
	contains(t, "init", p.run("", "init", "--yes").out, "Owners: Ann.")
	r := p.run("", "restore", empty)
	if r.code != 0 || !strings.Contains(r.out, "is kept as") {
		t.Errorf("%+v", r)
	}
	claimIn(t, p.run("", "init", "--yes").out) // nobody owns it
	if r := p.run("", "restore", owned); r.code != 0 {
		t.Errorf("%+v", r)
	}
	contains(t, "init", p.run("", "init", "--yes").out, "Owners: Ann.")
	kept, err := filepath.Glob(filepath.Join(p.data, "leadhand.db.2*"))
	if err != nil || len(kept) < 2 {
		t.Errorf("kept: %v, %v", kept, err)
	}
	pg := install(t, "LEADHAND_DATABASE_URL=postgres://u:CANARY@h/x")
	pg.run("", "backup", "x").oneLine(t, 1, "pg_dump")
	pg.run("", "restore", "x").oneLine(t, 1, "pg_restore")
	none := install(t)
	none.run("", "backup", "x").oneLine(t, 1, "no database file yet", none.data)
}

func fakeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat(text, 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// patienceOfDoctor bounds a run of doctor when nothing answers.
const patienceOfDoctor = 20 * time.Second

func TestDoctorIsSoonDone(t *testing.T) {
	t.Parallel()
	r := install(t, "LEADHAND_MODEL=demo", "TELEGRAM_BOT_TOKEN=1:x", "TELEGRAM_API_URL=http://127.0.0.1:1").run("", "doctor")
	if r.code != 2 || r.took > patienceOfDoctor {
		t.Errorf("%+v", r)
	}
}
