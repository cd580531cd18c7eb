package telegramfake_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// post calls a method with form parameters and returns the answer.
func post(t *testing.T, s *telegramfake.Server, method string, params ...string) fakekit.Object {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(params); i += 2 {
		form.Set(params[i], params[i+1])
	}
	resp, err := http.PostForm(s.URL+"/bot"+s.Token+"/"+method, form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out fakekit.Object
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestViolations(t *testing.T) {
	long := strings.Repeat("a", 4097)
	// Other rules stand in the API description only.
	builtin := []string{
		"fine", "limit counts plain text", "unknown method", "wrong type", "too long", "bad HTML", "bad MarkdownV2",
		"long callback data", "bad command", "long topic name", "edit without target", "null draft",
	}
	for _, tc := range []struct {
		name, method string
		params       []string
		want         string // "" for no violation
	}{
		{"fine", "sendMessage", []string{"chat_id", "4242", "text", "hi"}, ""},
		{"limit counts plain text", "sendMessage", []string{"chat_id", "4242", "text", "<b>" + strings.Repeat("a", 4096) + "</b>", "parse_mode", "HTML"}, ""},
		{"unknown method", "sendMessages", nil, "unknown method"},
		{"unknown parameter", "sendMessage", []string{"chat_id", "4242", "text", "hi", "thread_id", "3"}, `unknown parameter "thread_id"`},
		{"missing parameter", "sendMessage", []string{"chat_id", "4242"}, `missing required parameter "text"`},
		{"wrong type", "sendMessage", []string{"chat_id", "4242", "text", "hi", "message_thread_id", "abc"}, "is not an Integer"},
		{"too long", "sendMessage", []string{"chat_id", "4242", "text", long}, "4097 characters, allowed are 1-4096"},
		{"bad HTML", "sendMessage", []string{"chat_id", "4242", "text", "a < b", "parse_mode", "HTML"}, "can't parse entities"},
		{"bad MarkdownV2", "sendMessage", []string{"chat_id", "4242", "text", "1.5", "parse_mode", "MarkdownV2"}, "Character '.' is reserved"},
		{"bad markup", "sendMessage", []string{"chat_id", "4242", "text", "x", "reply_markup", `{"inline_keyboard":[[{"text":"a","callback":"b"}]]}`}, `has no field "callback"`},
		{"long callback data", "sendMessage", []string{"chat_id", "4242", "text", "x", "reply_markup", `{"inline_keyboard":[[{"text":"a","callback_data":"` + strings.Repeat("x", 65) + `"}]]}`}, "65 bytes, allowed are 1-64"},
		{"bad command", "setMyCommands", []string{"commands", `[{"command":"Deploy","description":"d"}]`}, "only lowercase"},
		{"bad reaction", "setMessageReaction", []string{"chat_id", "4242", "message_id", "1", "reaction", `[{"type":"smile"}]`}, "must be"},
		{"long topic name", "createForumTopic", []string{"chat_id", "4242", "name", strings.Repeat("n", 129)}, "129 characters, allowed are 1-128"},
		{"edit without target", "editMessageText", []string{"text", "x"}, "needs chat_id and message_id"},
		{"null draft", "sendMessageDraft", []string{"chat_id", "4242", "draft_id", "0"}, "draft_id must be non-zero"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !slices.Contains(builtin, tc.name) {
				needSpec(t)
			}
			s := telegramfake.New(t, telegramfake.Lenient())
			s.AddUser(4242, "Ann", "ann")
			post(t, s, tc.method, tc.params...)
			got := s.Violations()
			if tc.want == "" {
				if len(got) > 0 {
					t.Errorf("violations: %v", got)
				}
				return
			}
			if len(got) == 0 || !strings.Contains(got[0].Message, tc.want) {
				t.Errorf("violations %v, want %q", got, tc.want)
			}
		})
	}
}

func TestParseText(t *testing.T) {
	for _, tc := range []struct{ mode, in, text, entities, err string }{
		{"HTML", `<b>bold</b> &lt;x&gt; &amp; 🚀<i>it</i>`, `bold <x> & 🚀it`, "bold 0+4, italic 13+2", ""},
		{"HTML", `<pre><code class="language-go">x := 1</code></pre>`, "x := 1", "pre 0+6", ""},
		{"HTML", `<a href="https://e.x/?a=1&amp;b=2">l</a>`, "l", "text_link 0+1", ""},
		{"HTML", `<blockquote expandable>q</blockquote>`, "q", "expandable_blockquote 0+1", ""},
		{"HTML", `<b><i>x</b></i>`, "", "", "Unmatched end tag"},
		{"HTML", `<div>x</div>`, "", "", `Unsupported start tag "div"`},
		{"HTML", `<b>x`, "", "", "Can't find end tag"},
		{"MarkdownV2", `*b* _i_ __u__ ~s~ ||p|| \.`, "b i u s p .", "bold 0+1, italic 2+1, underline 4+1, strikethrough 6+1, spoiler 8+1", ""},
		{"MarkdownV2", "```go\nx.y()\n```", "x.y()\n", "pre 0+6", ""},
		{"MarkdownV2", "[a\\.b](https://e.x/)", "a.b", "text_link 0+3", ""},
		{"MarkdownV2", ">q1\n>q2\nafter", "q1\nq2\nafter", "blockquote 0+6", ""},
		{"MarkdownV2", "*b", "", "", "Can't find end of Bold entity at byte offset 0"},
		{"Markdown", "*b* _i_ `c` [l](http://e.x)", "b i c l", "bold 0+1, italic 2+1, code 4+1, text_link 6+1", ""},
		{"Markdown", "snake_case", "", "", "Can't find end of the entity starting at byte offset 5"},
	} {
		text, entities, err := telegramfake.ParseText(tc.mode, tc.in)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%q: error %v, want %q", tc.in, err, tc.err)
			}
			continue
		}
		var list []string
		for _, e := range entities {
			list = append(list, fakekit.Text(e["type"])+" "+fakekit.Text(e["offset"])+"+"+fakekit.Text(e["length"]))
		}
		if got := strings.Join(list, ", "); err != nil || text != tc.text || got != tc.entities {
			t.Errorf("%q: got %q [%s] %v, want %q [%s]", tc.in, text, got, err, tc.text, tc.entities)
		}
	}
}

// TestUpdatesConform checks what the fake itself sends against the spec.
func TestUpdatesConform(t *testing.T) {
	needSpec(t)
	s := telegramfake.New(t)
	s.AddForum(forumID, "Ops", telegramfake.Topic{ID: 7, Name: "Deploys"})
	s.AddChat(telegramfake.Chat{ID: -1002, Type: "channel", Title: "News"})
	s.AddChat(telegramfake.Chat{ID: -50, Type: "group", Title: "Old"})
	file := s.AddFile("a.txt", []byte("a"), 0)
	post(t, s, "getUpdates", "allowed_updates", `["message","edited_message","channel_post","callback_query","message_reaction"]`)
	must(s.SendMessage(telegramfake.Incoming{ChatID: forumID, Text: "hi @ann"}))
	m := must(s.SendMessage(telegramfake.Incoming{ChatID: forumID, ThreadID: 7, Caption: "doc", FileID: file, FileName: "a.txt", MimeType: "text/plain", MediaGroup: "g"}))
	must(s.SendMessage(telegramfake.Incoming{ChatID: forumID, ThreadID: 7, Text: "re", ReplyTo: m["message_id"].(int)}))
	must(s.SendMessage(telegramfake.Incoming{ChatID: -1002, Text: "post"}))
	must(0, s.EditMessage(forumID, m["message_id"].(int), "new"))
	must(0, s.React(forumID, m["message_id"].(int), "👍", nil))
	must(s.CreateTopic(forumID, "New", nil))
	must(0, s.Migrate(-50, -10050))
	sent := post(t, s, "sendMessage", "chat_id", "-1001234567890", "message_thread_id", "7", "text", "x", "reply_markup", `{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}`)
	id := int(sent["result"].(fakekit.Object)["message_id"].(float64))
	must(s.PressButton(forumID, id, "b", nil))
	for method, typ := range map[string]string{"getMe": "User", "getWebhookInfo": "WebhookInfo"} {
		check(t, typ, post(t, s, method)["result"])
	}
	check(t, "ChatFullInfo", post(t, s, "getChat", "chat_id", "-1001234567890")["result"])
	check(t, "ChatMember", post(t, s, "getChatMember", "chat_id", "-1001234567890", "user_id", "110201543")["result"])
	check(t, "ForumTopic", post(t, s, "createForumTopic", "chat_id", "-1001234567890", "name", "T")["result"])
	updates := post(t, s, "getUpdates")["result"].([]any)
	if len(updates) != 10 {
		t.Errorf("%d updates", len(updates))
	}
	for _, u := range updates {
		check(t, "Update", u)
	}
	for _, m := range s.Messages(forumID) {
		check(t, "Message", m)
	}
}

func check(t *testing.T, typ string, v any) {
	t.Helper()
	problems, err := telegramfake.CheckObject(typ, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s", p)
	}
}

func TestWebhook(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(4242, "Ann", "ann")
	got := make(chan update, 10)
	fail := true
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Telegram-Bot-Api-Secret-Token") != "s3cret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if fail {
			fail = false
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		data, _ := io.ReadAll(r.Body)
		var u update
		if err := json.Unmarshal(data, &u); err != nil {
			t.Error(err)
		}
		got <- u
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"method":"sendMessage","chat_id":4242,"text":"by reply"}`) //nolint:errcheck // the server sees it as a broken answer
	}))
	defer hook.Close()
	post(t, s, "setWebhook", "url", hook.URL, "secret_token", "s3cret")
	must(s.SendMessage(telegramfake.Incoming{ChatID: 4242, Text: "hi"}))
	select {
	case u := <-got:
		if u.Message.Text != "hi" {
			t.Errorf("update %+v", u)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("no webhook call")
	}
	s.Wait("sendMessage", fakekit.Param("text", "by reply"))
	if answer := post(t, s, "getUpdates"); answer["error_code"] != 409.0 {
		t.Errorf("getUpdates with a webhook: %v", answer)
	}
	post(t, s, "deleteWebhook")
	if s.Pending() != 0 {
		t.Error("update was not confirmed")
	}
}

func TestRedeliveryUntilConfirmed(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(4242, "Ann", "ann")
	must(s.SendMessage(telegramfake.Incoming{ChatID: 4242, Text: "hi"}))
	first := post(t, s, "getUpdates")["result"].([]any)
	again := post(t, s, "getUpdates")["result"].([]any)
	if len(first) != 1 || len(again) != 1 {
		t.Fatalf("%d then %d updates", len(first), len(again))
	}
	id := int(first[0].(fakekit.Object)["update_id"].(float64))
	if left := post(t, s, "getUpdates", "offset", strconv.Itoa(id+1))["result"].([]any); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	// An old update can come again, and out of order.
	must(s.Send(fakekit.Object{"update_id": id, "message": s.Messages(4242)[0]}))
	if again = post(t, s, "getUpdates", "offset", "0")["result"].([]any); len(again) != 1 {
		t.Errorf("duplicate: %v", again)
	}
}

func TestLimitsAndEdits(t *testing.T) {
	s := telegramfake.New(t, telegramfake.Lenient())
	s.AddUser(4242, "Ann", "ann")
	bot := newBot(t, s)
	big := s.AddFile("big.iso", nil, telegramfake.MaxDownload+1)
	if _, err := bot.GetFile(tgbotapi.FileConfig{FileID: big}); err == nil || err.Error() != "Bad Request: file is too big" {
		t.Errorf("big file: %v", err)
	}
	m := must(bot.Send(tgbotapi.NewMessage(4242, "one")))
	if _, err := bot.Send(tgbotapi.NewEditMessageText(4242, m.MessageID, "one")); err == nil || !strings.Contains(err.Error(), "message is not modified") {
		t.Errorf("unmodified: %v", err)
	}
	must(bot.Send(tgbotapi.NewEditMessageText(4242, m.MessageID, "two")))
	must(bot.MakeRequest("sendMessageDraft", tgbotapi.Params{"chat_id": "4242", "draft_id": "1", "text": ""}))
	must(bot.MakeRequest("sendRichMessage", tgbotapi.Params{"chat_id": "4242", "rich_message": `{"markdown":"# T"}`}))
	if len(s.Messages(4242)) != 2 {
		t.Errorf("messages: %v", s.Messages(4242))
	}
}
