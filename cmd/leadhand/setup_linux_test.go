package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

func TestAPersonAnswersTheQuestionsOfInit(t *testing.T) {
	t.Parallel()
	p := install(t, "TERM=dumb")
	who := p.atTerminal("init", "--owner", "Ann")
	who.sees("Team name [Team]: ", "Web team\n")
	who.sees("Time zone [UTC]: ", "Berlin\n")
	who.sees(`"Berlin" is not a time zone such as Europe/Berlin.`, "")
	who.seesAgain(2, "Time zone [UTC]: ", "Europe/Berlin\n")
	who.sees("claim ", "")
	if code := who.left(); code != 0 {
		t.Errorf("exit code %d, screen:\n%s", code, who.screen)
	}
	contains(t, "leadhand.yaml", p.config(), "name: Web team", "owner: Ann", "time_zone: Europe/Berlin")
}

func TestAPersonLeavesInit(t *testing.T) {
	t.Parallel()
	p := install(t, "TERM=dumb")
	who := p.atTerminal("init")
	who.sees("Team name [Team]: ", "\x04")
	who.screen.await(t, "nothing is saved")
	if code := who.left(); code != 1 {
		t.Errorf("exit code %d, screen:\n%s", code, who.screen)
	}
	if _, err := os.Stat(p.data); err == nil {
		t.Error("something is saved")
	}
}

func TestAPersonConnectsSlack(t *testing.T) {
	t.Parallel()
	fake := slackfake.New(t)
	p := install(t, "TERM=dumb", "SLACK_API_URL="+fake.URL)
	who := p.atTerminal("connect", "slack")
	const bot, app = "Bot User OAuth Token, xoxb-… (hidden): ", "App-level token, xapp-… (hidden): "
	who.sees("manifest_json=%7B", "")
	for i, attempt := range [][2]string{
		{slackfake.AppToken, slackfake.BotToken}, {"xoxb-1-CANARY", slackfake.AppToken},
		{slackfake.BotToken, slackfake.AppToken},
	} {
		who.seesAgain(i+1, bot, attempt[0]+"\n")
		who.seesAgain(i+1, app, attempt[1]+"\n")
	}
	who.sees("Bot_token and app_token are swapped", "")
	who.sees("FAIL  slack: bot token: Slack does not take it", "")
	who.sees("Saved in", "")
	if code := who.left(); code != 0 {
		t.Errorf("exit code %d, screen:\n%s", code, who.screen)
	}
	for _, secret := range []string{"CANARY", slackfake.BotToken, slackfake.AppToken} {
		if strings.Contains(who.screen.String(), secret) {
			t.Errorf("the screen shows a token:\n%s", who.screen)
		}
	}
	contains(t, "leadhand.yaml", p.config(), "file:slack.app_token", "file:slack.bot_token")
	for file, want := range map[string]string{"slack.bot_token": slackfake.BotToken, "slack.app_token": slackfake.AppToken} {
		if raw, err := os.ReadFile(filepath.Join(p.data, file)); err != nil || string(raw) != want+"\n" {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// seesAgain waits until text is on the screen n times, and then types.
func (w *person) seesAgain(n int, text, then string) {
	w.t.Helper()
	late := time.After(patience)
	for strings.Count(w.screen.String(), text) < n {
		select {
		case <-w.screen.more:
		case <-late:
			w.t.Fatalf("%q does not come %d times:\n%s", text, n, w.screen)
		}
	}
	w.sees(text, then)
}

func TestAPersonLeavesConnect(t *testing.T) {
	t.Parallel()
	p := install(t, "TERM=dumb")
	who := p.atTerminal("connect", "telegram")
	who.sees("Bot token of @BotFather (hidden): ", "\x04")
	who.screen.await(t, "nothing is saved")
	if code := who.left(); code != 1 {
		t.Errorf("exit code %d, screen:\n%s", code, who.screen)
	}
	if _, err := os.Stat(p.data); err == nil {
		t.Error("something is saved")
	}
}

func TestSetupOnEitherDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		p := install(t, "LEADHAND_MODEL=demo", "LEADHAND_DATABASE_URL="+url)
		claimIn(t, p.run("", "init", "--yes").out)
		r := p.run("", "doctor")
		want := "disk: "
		if strings.HasPrefix(url, "postgres") {
			want = "OK    clock: this machine and the database agree"
		}
		if contains(t, "doctor", r.out, "OK    schema: up to date", want, "FAIL  owners: there is none"); r.code != 2 {
			t.Errorf("%+v", r)
		}
	})
}

// TestConnectWaitsUntilItWorks: somebody writes to the bot and presses the button that it shows, and the terminal tells.
func TestConnectWaitsUntilItWorks(t *testing.T) {
	t.Parallel()
	fake := newTelegram(t)
	p := install(t, "TERM=dumb", "TOKEN="+fake.Token)
	if r := p.run("", "init", "--yes"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	who := p.atTerminal("connect", "telegram", "--bot-token-env", "TOKEN", "--api-url", fake.URL)
	who.sees("to see that it works? [Y/n] ", "\n")
	who.sees("Write to the bot in a direct message now.", "")
	claim(t, fake, ann, "Ann", claimIn(t, strings.ReplaceAll(who.screen.String(), "\r", "")))
	who.sees("The bot hears you. Press the button", "")
	card := fake.Wait("sendMessage", fakekit.Param("chat_id", "501"), func(c fakekit.Call) bool {
		return strings.Contains(c.String("text"), "I am connected")
	})
	var markup struct {
		Rows [][]struct {
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	}
	if err := json.Unmarshal([]byte(card.String("reply_markup")), &markup); err != nil || len(markup.Rows) != 1 {
		t.Fatalf("%v: %s", err, card.String("reply_markup"))
	}
	if _, err := fake.PressButton(ann, sentID(t, card), markup.Rows[0][0].Data, telegramfake.User(ann, "Ann", "ann")); err != nil {
		t.Fatal(err)
	}
	who.sees("Ann pressed the button: messages, answers and buttons work.", "")
	if code := who.left(); code != 0 {
		t.Errorf("exit code %d, screen:\n%s", code, who.screen)
	}
	fake.Wait("sendMessage", func(c fakekit.Call) bool { return strings.Contains(c.String("text"), "Buttons work: Ann pressed") })

	again := p.atTerminal("connect", "telegram", "--bot-token-env", "TOKEN", "--api-url", fake.URL)
	again.sees("to see that it works? [Y/n] ", "n\n")
	again.sees("Later `doctor`", "")
	if code := again.left(); code != 0 {
		t.Errorf("exit code %d, screen:\n%s", code, again.screen)
	}

	p.env = append(p.env, "LEADHAND_MODEL=demo")
	cmd, _, _ := p.serve()
	third := p.atTerminal("connect", "telegram", "--bot-token-env", "TOKEN", "--api-url", fake.URL)
	third.sees("to see that it works? [Y/n] ", "y\n")
	third.sees("`leadhand serve` runs already", "")
	if code := third.left(); code != 0 {
		t.Errorf("exit code %d, screen:\n%s", code, third.screen)
	}
	if code, _ := terminate(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestAPersonTypesASecret(t *testing.T) {
	t.Parallel()
	p := install(t, "TERM=dumb")
	p.run("", "init", "--yes")
	who := p.atTerminal("secret", "set", "token")
	who.sees("Value, which is not shown: ", "CANARY-1\n")
	who.sees("token is kept", "")
	if code := who.left(); code != 0 || strings.Contains(who.screen.String(), "CANARY") {
		t.Errorf("exit code %d, screen:\n%s", code, who.screen)
	}
	who = p.atTerminal("secret", "set", "other")
	who.sees("Value, which is not shown: ", "\x04")
	who.screen.await(t, "nothing is kept")
	if code := who.left(); code != 1 {
		t.Errorf("exit code %d, screen:\n%s", code, who.screen)
	}
	if out := p.run("", "secret", "list").out; !strings.Contains(out, "token") || strings.Contains(out, "other") {
		t.Errorf("list: %s", out)
	}
}
