package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// owned is a bot that Ann owns, on a fake Telegram, with a configuration beside what the environment gives.
func owned(t *testing.T, config string, env ...string) (*program, *telegramfake.Server) {
	t.Helper()
	fake := newTelegram(t)
	p := install(t, append(env, "TELEGRAM_BOT_TOKEN="+fake.Token, "TELEGRAM_API_URL="+fake.URL)...)
	code := claimIn(t, p.run("", "init", "--yes").out)
	if config != "" {
		p.configure(config)
	}
	cmd, _, log := p.serve()
	t.Cleanup(func() {
		if code, _ := terminate(t, cmd); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if t.Failed() {
			for _, m := range fake.Messages(ann) {
				t.Logf("%s", m["text"])
			}
			t.Logf("the log:\n%s", log)
		}
	})
	claim(t, fake, ann, "Ann", code)
	return p, fake
}

// tells lets Ann write to the bot.
func tells(t *testing.T, fake *telegramfake.Server, text string) {
	t.Helper()
	_, err := fake.SendMessage(telegramfake.Incoming{ChatID: ann, From: telegramfake.User(ann, "Ann", "ann"), Text: text})
	fake.Must(err)
}

// shows waits for a message of the bot to Ann with a text in it.
func shows(fake *telegramfake.Server, part string) fakekit.Call {
	return fake.Wait("sendMessage", fakekit.Param("chat_id", fmt.Sprint(ann)), func(c fakekit.Call) bool {
		return strings.Contains(c.String("text"), part)
	})
}

// TestDoctorInChat: what it finds is told whole, however much that is, and the button below shows that buttons work.
func TestDoctorInChat(t *testing.T) {
	t.Parallel()
	p, fake := owned(t, "", "LEADHAND_MODEL=demo")
	const faults = 60
	for i := range faults {
		if err := os.MkdirAll(filepath.Join(p.data, "skills", fmt.Sprintf("empty-%02d", i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tells(t, fake, "/doctor")
	shows(fake, "I look at everything that I depend on")
	fake.Wait("sendMessage", func(c fakekit.Call) bool { return strings.Contains(c.String("reply_markup"), "Press me") })
	var all []string
	var press fakekit.Object
	for _, m := range fake.Messages(ann) {
		all = append(all, fakekit.Text(m["text"]))
		if markup, ok := m["reply_markup"].(fakekit.Object); ok && strings.Contains(fmt.Sprint(markup), "Press me") {
			press = m
		}
	}
	text := strings.Join(all, "\n")
	for i := range faults {
		if want := fmt.Sprintf("the folder empty-%02d is left out", i); !strings.Contains(text, want) {
			t.Errorf("not told: %s", want)
		}
	}
	if press == nil {
		t.Fatalf("no button in\n%s", text)
	}
	button := press["reply_markup"].(fakekit.Object)["inline_keyboard"].([]any)[0].([]any)[0].(fakekit.Object)
	_, err := fake.PressButton(ann, press["message_id"].(int), fakekit.Text(button["callback_data"]), telegramfake.User(ann, "Ann", "ann"))
	fake.Must(err)
	shows(fake, "Buttons work: Ann")
}

// TestAPersonChoosesAModel: for a session, and back. What was chosen answers, and only what the file names can be.
func TestAPersonChoosesAModel(t *testing.T) {
	t.Parallel()
	quick, deep := newVendor(t, says("quick here")), newVendor(t, says("deep here"))
	_, fake := owned(t, fmt.Sprintf("models:\n  quick: {kind: openai, settings: {model: q, base_url: %q}}\n"+
		"  deep: {kind: openai, settings: {model: d, base_url: %q, price: {input: 5, output: 25}}}\n"+
		"agents: {lead: {models: [quick], choices: [deep]}}\n", quick.url, deep.url))
	tells(t, fake, "hello")
	shows(fake, "quick here")
	tells(t, fake, "/model deeep")
	shows(fake, "did you mean")
	tells(t, fake, "/model")
	shows(fake, "$5 in, $25 out")
	tells(t, fake, "/model deep")
	shows(fake, "From the next message on")
	tells(t, fake, "hello again")
	shows(fake, "deep here")
	tells(t, fake, "/new")
	shows(fake, "New session")
	tells(t, fake, "and now?")
	shows(fake, "quick here")
	if len(deep.requests()) != 1 {
		t.Errorf("the chosen model was asked %d times", len(deep.requests()))
	}
}

// TestAuditInChat: what people changed and what agents did is told to those who may know, and as a table.
func TestAuditInChat(t *testing.T) {
	t.Parallel()
	_, fake := owned(t, "", "LEADHAND_MODEL=demo")
	tells(t, fake, "/topic answer always")
	shows(fake, "It counts from the next message on")
	tells(t, fake, "write a haiku to notes.md")
	shows(fake, "notes.md")
	tells(t, fake, "/audit")
	told := shows(fake, "Audit").String("text")
	contains(t, "audit", told, "write_file", "done", "topic answer always", "done", "a code")
	tells(t, fake, "/audit refused")
	shows(fake, "Nothing of that is in the audit.")
	tells(t, fake, "/audit @nobody")
	shows(fake, "I know nobody called")
	tells(t, fake, "/audit week csv")
	file := fake.Wait("sendDocument")
	if len(file.Files) != 1 || !strings.HasPrefix(string(file.Files[0].Data), "time,kind,outcome,what,") ||
		!strings.Contains(string(file.Files[0].Data), ",word,done,topic answer always,telegram:501,Ann,") {
		t.Errorf("sent %+v", file.Params)
	}
}
