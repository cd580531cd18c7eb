package main_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
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
