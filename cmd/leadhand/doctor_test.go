package main_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
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
)

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

// TestDoctorLooksAtSkills: those that are none, and those that are named and not there.
func TestDoctorLooksAtSkills(t *testing.T) {
	t.Parallel()
	p := install(t, "LEADHAND_MODEL=demo")
	p.run("", "init", "--yes")
	for name, text := range map[string]string{"deploy": "---\nname: deploy\ndescription: ship\n---\n", "broken": "x"} {
		dir := filepath.Join(p.data, "skills", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.configure("agents: {lead: {skills: [deploi]}}\n")
	contains(t, "doctor", p.run("", "doctor").out, "OK    skills: 1 in ",
		"WARN  skills: the folder broken is left out: SKILL.md: it must begin with front matter",
		"WARN  skills: agents.lead.skills names deploi, which is not installed – did you mean deploy?")
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
