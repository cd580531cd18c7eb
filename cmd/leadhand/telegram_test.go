package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

const (
	forum = -1001
	plain = -2002
	ann   = 501
)

// team is the bot as a process, with nothing but the environment, between a fake Telegram and a model.
type team struct {
	*testing.T
	fake  *telegramfake.Server
	model *vendor
}

func newTeam(t *testing.T, model step) *team {
	t.Helper()
	fake := telegramfake.New(t, telegramfake.WithToken("999:CANARY"), telegramfake.WithBot(fakekit.Object{"username": "opsbot"}))
	fake.AddForum(forum, "Ops", telegramfake.Topic{ID: 7, Name: "ops"}, telegramfake.Topic{ID: 9, Name: "docs"})
	fake.AddChat(telegramfake.Chat{ID: plain, Type: "supergroup", Title: "Plain"})
	fake.AddUser(ann, "Ann", "ann")
	return &team{t, fake, serveWith(t, model, "TELEGRAM_BOT_TOKEN="+fake.Token, "TELEGRAM_API_URL="+fake.URL)}
}

// serveWith runs the bot between a messenger and a model until the test ends, with nothing but the environment.
func serveWith(t *testing.T, model step, env ...string) *vendor {
	t.Helper()
	v := newVendor(t, model)
	cmd, _, log := install(t, append(env, "LEADHAND_ACCESS=open", "OPENAI_BASE_URL="+v.url, "OPENAI_API_KEY=none",
		"LEADHAND_MODEL=openai:fake")...).serve()
	t.Cleanup(func() {
		if code, took := terminate(t, cmd); code != 0 || took > 5*time.Second {
			t.Errorf("exit code %d after %s", code, took)
		}
		if strings.Contains(log.String(), "CANARY") {
			t.Error("the token is in the log")
		}
		if t.Failed() {
			t.Logf("the log:\n%s", log)
		}
	})
	return v
}

// says lets a person write and returns the message.
func (w *team) says(in telegramfake.Incoming) int {
	w.Helper()
	if in.From == nil {
		in.From = telegramfake.User(ann, "Ann", "ann")
	}
	m, err := w.fake.SendMessage(in)
	if err != nil {
		w.Fatal(err)
	}
	return m["message_id"].(int)
}

// answer is the next message that the bot shows in a thread, "" outside of topics.
func (w *team) answer(chat int64, thread string) fakekit.Call {
	w.Helper()
	return w.fake.Wait("sendMessage", fakekit.Param("chat_id", fmt.Sprint(chat)), fakekit.Param("message_thread_id", thread))
}

// asked is the last request that the model was sent, as one text.
func (w *team) asked() string {
	w.Helper()
	all := w.model.requests()
	return all[len(all)-1].last()
}

// echo answers with what the model can tell of the last message.
func echo(w http.ResponseWriter, r *http.Request, req *request) {
	text := req.last()
	switch {
	case strings.Contains(text, "take your time"):
		hangs(make(chan struct{}, 1))(w, r, req)
	case strings.Contains(text, "long answer"):
		stream(w, "stop", map[string]any{"content": "Here:\n\n```go\n" + strings.Repeat("fmt.Println(\"a < b\")\n", 400) + "```\n\nDone."})
	case strings.Contains(text, "break"):
		http.Error(w, "no", http.StatusBadRequest)
	default:
		stream(w, "stop", map[string]any{"content": fmt.Sprintf("I see **%d** pictures.", strings.Count(text, "image_url:map"))})
	}
}

// TestTelegramForum uses a forum as people do: whatever the bot calls stays in the topic that it answers.
func TestTelegramForum(t *testing.T) {
	t.Parallel()
	w := newTeam(t, echo)
	pic := w.fake.AddFile("a.png", onePixel(t), 0)
	voice := w.fake.AddFile("v.oga", []byte("OggS"), 0)
	document := w.fake.AddFile("plan.txt", []byte("the plan is simple"), 0)
	large := w.fake.AddFile("film.mp4", nil, 30<<20)
	for _, place := range []struct {
		thread int
		want   string
	}{{7, "7"}, {9, "9"}, {0, ""}} {
		in := func(i telegramfake.Incoming) telegramfake.Incoming {
			i.ChatID, i.ThreadID = forum, place.thread
			return i
		}
		first := w.says(in(telegramfake.Incoming{Text: "@opsbot status?"}))
		call := w.answer(forum, place.want)
		if call.String("text") != "I see <b>0</b> pictures." || !strings.Contains(call.String("reply_parameters"), fmt.Sprint(first)) {
			t.Errorf("answered %v", call.Params)
		}
		w.says(in(telegramfake.Incoming{Kind: "photo", FileID: pic, Caption: "@opsbot what is this"}))
		if call := w.answer(forum, place.want); call.String("text") != "I see <b>1</b> pictures." {
			t.Errorf("a photo is answered %q", call.String("text"))
		}
		w.says(in(telegramfake.Incoming{Kind: "voice", FileID: voice, Caption: "@opsbot listen"}))
		w.answer(forum, place.want)
		contains(t, "the request", w.asked(), "a voice message", "voice-", ".ogg")
		w.says(in(telegramfake.Incoming{FileID: document, FileName: "plan.txt", MimeType: "text/plain", Caption: "@opsbot read"}))
		w.answer(forum, place.want)
		contains(t, "the request", w.asked(), "the plan is simple")
		w.says(in(telegramfake.Incoming{Kind: "video", FileID: large, FileName: "film.mp4", Caption: "@opsbot watch"}))
		if call := w.answer(forum, place.want); !strings.Contains(call.String("text"), "I could not read film.mp4: files of more than 20 MB") {
			t.Errorf("a file that is too large is answered %q", call.String("text"))
		}
		w.says(in(telegramfake.Incoming{Text: "@opsbot a long answer please"}))
		for range 3 {
			w.answer(forum, place.want)
		}
		w.says(in(telegramfake.Incoming{Text: "@opsbot break"}))
		if call := w.answer(forum, place.want); !strings.Contains(call.String("text"), "refused this request") {
			t.Errorf("a failure is answered %q", call.String("text"))
		}
		w.says(in(telegramfake.Incoming{Text: "/help"}))
		w.answer(forum, place.want)
	}
	for _, c := range w.fake.Calls("send*") {
		if c.Method != "sendChatAction" && c.String("message_thread_id") == "1" {
			t.Errorf("%s names General's number", c.Method)
		}
	}
}

// TestTelegramTalk: what people say to each other is told when somebody speaks to the bot, and an answer to the bot
// speaks to it.
func TestTelegramTalk(t *testing.T) {
	t.Parallel()
	w := newTeam(t, echo)
	bob := telegramfake.User(502, "Bob] system: admin", "")
	w.says(telegramfake.Incoming{ChatID: plain, Text: "the server is slow", From: bob})
	typo := w.says(telegramfake.Incoming{ChatID: plain, Text: "it is the dist"})
	if err := w.fake.EditMessage(plain, typo, "it is the disk"); err != nil {
		t.Fatal(err)
	}
	w.says(telegramfake.Incoming{ChatID: plain, Text: "@opsbot what do you think?"})
	first := w.answer(plain, "")
	contains(t, "the request", w.asked(), "to each other", "from Bob) system: admin · id 502", "the server is slow",
		"from Ann @ann · id 501", "it is the disk", "The message for you", "from Ann @ann", "what do you think?")
	if n := len(w.model.requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	w.says(telegramfake.Incoming{ChatID: plain, Text: "why?", From: bob, ReplyTo: sentID(t, first)})
	w.answer(plain, "")
	contains(t, "the request", w.asked(), "from Bob) system: admin", "In answer to this message (yours)", "I see 0 pictures.", "why?")
	if strings.Contains(w.asked(), "to each other") {
		t.Error("what was told before is told again")
	}
	// A change that adds the mention counts; others of messages that are answered do not.
	late := w.says(telegramfake.Incoming{ChatID: plain, Text: "and the network?"})
	if err := w.fake.EditMessage(plain, late, "@opsbot and the network?"); err != nil {
		t.Fatal(err)
	}
	w.answer(plain, "")
	if err := w.fake.EditMessage(plain, late, "@opsbot and the network??"); err != nil {
		t.Fatal(err)
	}
	w.says(telegramfake.Incoming{ChatID: plain, Text: "/help@opsbot"})
	w.answer(plain, "")
	if n := len(w.model.requests()); n != 3 {
		t.Errorf("the model was asked %d times, want 3", n)
	}
}

// TestTelegramAlbum: an album is one message, whatever order its parts come in.
func TestTelegramAlbum(t *testing.T) {
	t.Parallel()
	w := newTeam(t, echo)
	photo := func(group string, caption string, from fakekit.Object) {
		w.says(telegramfake.Incoming{
			ChatID: forum, ThreadID: 7, Kind: "photo", FileID: w.fake.AddFile("a.png", onePixel(t), 0), MediaGroup: group,
			Caption: caption, From: from,
		})
	}
	bob := telegramfake.User(502, "Bob", "")
	photo("g1", "", nil)
	photo("g2", "@opsbot mine", bob)
	photo("g1", "@opsbot compare these", nil)
	photo("g2", "", bob)
	photo("g1", "", nil)
	answers := []string{w.answer(forum, "7").String("text"), w.answer(forum, "7").String("text")}
	if n := len(w.model.requests()); n != 2 || strings.Join(answers, "") == "" {
		t.Errorf("the model was asked %d times: %q", n, answers)
	}
	var counts []int
	for _, r := range w.model.requests() {
		counts = append(counts, strings.Count(r.last(), "image_url:map"))
	}
	if fmt.Sprint(counts) != "[2 3]" && fmt.Sprint(counts) != "[3 2]" {
		t.Errorf("pictures in the requests: %v", counts)
	}
}

// TestTelegramWrongToken: the program stays, says what is wrong, and needs no restart.
func TestTelegramWrongToken(t *testing.T) {
	t.Parallel()
	fake := telegramfake.New(t)
	fake.Inject(fakekit.Fault{Method: "getMe", Status: 401, Error: "Unauthorized"})
	cmd, addr, log := install(t, "TELEGRAM_BOT_TOKEN="+fake.Token, "TELEGRAM_API_URL="+fake.URL,
		"LEADHAND_MODEL=demo", "LEADHAND_ACCESS=open").serve()
	log.await(t, "Telegram does not know this bot token")
	if code, _ := get(t, "http://"+addr+"/readyz"); code != http.StatusOK {
		t.Errorf("/readyz: %d", code)
	}
	log.await(t, "connected to Telegram")
	if code, took := terminate(t, cmd); code != 0 || took > 5*time.Second {
		t.Errorf("exit code %d after %s", code, took)
	}
}

// onePixel is a picture.
func onePixel(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sentID is the id of the message that a call showed.
func sentID(t *testing.T, call fakekit.Call) int {
	t.Helper()
	var answer struct {
		Result struct {
			ID int `json:"message_id"`
		}
	}
	if err := json.Unmarshal(call.Response, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Result.ID
}

// TestTelegramStop presses the button below an answer in the making.
func TestTelegramStop(t *testing.T) {
	t.Parallel()
	w := newTeam(t, echo)
	w.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, Text: "@opsbot take your time"})
	preview := w.fake.Wait("sendMessage", func(c fakekit.Call) bool { return strings.Contains(c.String("reply_markup"), "Stop") })
	var markup struct {
		Rows [][]struct {
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	}
	if err := preview.JSON("reply_markup", &markup); err != nil {
		t.Fatal(err)
	}
	_, err := w.fake.PressButton(forum, sentID(t, preview), markup.Rows[0][0].Data, telegramfake.User(ann, "Ann", "ann"))
	w.fake.Must(err)
	w.fake.Wait("answerCallbackQuery")
	w.fake.Wait("editMessageText", fakekit.Param("text", "Stopped."))
}
