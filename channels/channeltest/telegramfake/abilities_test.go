package telegramfake_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// needSpec skips a test that checks something against the API description.
func needSpec(t *testing.T) {
	t.Helper()
	if _, err := specs.Find(specs.Telegram); errors.Is(err, specs.ErrNotFound) {
		t.Skip("needs the description of the Bot API, which was not found")
	}
}

// hasSpec reports whether there is an API description to check against.
func hasSpec() bool {
	_, err := specs.Find(specs.Telegram)
	return err == nil
}

func TestAttachments(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(4242, "Ann", "ann")
	for kind, field := range map[string]string{
		"": "document", "document": "document", "photo": "photo", "voice": "voice", "audio": "audio", "video": "video",
		"video_note": "video_note", "animation": "animation", "sticker": "sticker",
	} {
		id := s.AddFile("a.bin", []byte("largest"), 0)
		m, err := s.SendMessage(telegramfake.Incoming{ChatID: 4242, FileID: id, Kind: kind, Caption: "/look @bob"})
		if err != nil {
			t.Errorf("%q: %v", kind, err)
			continue
		}
		file, _ := m[field].(fakekit.Object)
		if sizes, ok := m[field].([]any); ok {
			file = sizes[len(sizes)-1].(fakekit.Object)
		}
		if file["file_id"] != id {
			t.Errorf("%q: %s is %v", kind, field, m[field])
		}
		if list, _ := m["caption_entities"].([]any); len(list) != 2 || m["entities"] != nil {
			t.Errorf("%q: entities of the caption %v", kind, m["caption_entities"])
		}
		if hasSpec() {
			check(t, "Message", m)
		}
	}
	if _, err := s.SendMessage(telegramfake.Incoming{
		ChatID: 4242, Kind: "hologram", FileID: s.AddFile("a", nil, 0),
	}); err == nil {
		t.Error("an unknown kind was taken")
	}
}

func TestPhotoSizesDiffer(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(4242, "Ann", "ann")
	id := s.AddFile("a.jpg", []byte("largest"), 0)
	m := must(s.SendMessage(telegramfake.Incoming{ChatID: 4242, FileID: id, Kind: "photo"}))
	sizes := m["photo"].([]any)
	width := 0
	for i, size := range sizes {
		photo := size.(fakekit.Object)
		if w := photo["width"].(int); w <= width {
			t.Errorf("size %d is not larger than the one before", i)
		} else {
			width = w
		}
		file := post(t, s, "getFile", "file_id", photo["file_id"].(string))["result"].(fakekit.Object)
		res := must(http.Get(fmt.Sprintf(s.FileEndpoint(), s.Token, file["file_path"])))
		data := must(io.ReadAll(res.Body))
		res.Body.Close()
		if last := i == len(sizes)-1; (string(data) == "largest") != last {
			t.Errorf("size %d of %d holds %q", i, len(sizes), data)
		}
	}
}

func TestEditKeepsTheKindOfText(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(4242, "Ann", "ann")
	text := must(s.SendMessage(telegramfake.Incoming{ChatID: 4242, Text: "/old"}))
	captioned := must(s.SendMessage(telegramfake.Incoming{ChatID: 4242, Caption: "old", FileID: s.AddFile("a", nil, 0)}))
	must(0, s.EditMessage(4242, text["message_id"].(int), "new"))
	must(0, s.EditMessage(4242, captioned["message_id"].(int), "/new"))
	messages := s.Messages(4242)
	if messages[0]["text"] != "new" || messages[0]["entities"] != nil {
		t.Errorf("text %v", messages[0])
	}
	if messages[1]["caption"] != "/new" || messages[1]["text"] != nil || messages[1]["caption_entities"] == nil {
		t.Errorf("caption %v", messages[1])
	}
}

func TestPrivateChatWithTopics(t *testing.T) {
	s := telegramfake.New(t)
	s.AddChat(telegramfake.Chat{
		ID: 4242, Type: "private", FirstName: "Ann", Topics: []telegramfake.Topic{{ID: 7, Name: "Deploys"}},
	})
	in := must(s.SendMessage(telegramfake.Incoming{ChatID: 4242, ThreadID: 7, Text: "hi"}))
	if in["message_thread_id"] != 7 || in["is_topic_message"] != true || in["reply_to_message"] != nil {
		t.Errorf("incoming %v", in)
	}
	created := must(s.CreateTopic(4242, "New", nil))
	for _, tc := range []struct {
		method string
		thread int
		want   string // of the description, "" when the call succeeds
	}{
		{"sendMessage", 7, ""},
		{"sendMessage", created, ""},
		{"sendMessage", 0, ""},
		{"sendMessage", 99, "Bad Request: message thread not found"},
		{"sendChatAction", 99, "Bad Request: message thread not found"},
		{"sendMessageDraft", 99, "Bad Request: message thread not found"},
	} {
		params := []string{"chat_id", "4242", "message_thread_id", strconv.Itoa(tc.thread)}
		switch tc.method {
		case "sendChatAction":
			params = append(params, "action", "typing")
		case "sendMessageDraft":
			params = append(params, "text", "x", "draft_id", "1")
		default:
			params = append(params, "text", "x")
		}
		answer := post(t, s, tc.method, params...)
		if got, _ := answer["description"].(string); got != tc.want {
			t.Errorf("%s in %d: %q, want %q", tc.method, tc.thread, got, tc.want)
		}
		result, _ := answer["result"].(fakekit.Object)
		if tc.want == "" && tc.thread != 0 && (result["message_thread_id"] != float64(tc.thread) || result["is_topic_message"] != true) {
			t.Errorf("%s in %d: %v", tc.method, tc.thread, result)
		}
	}
}

func TestFaultOfOneChat(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(1, "A", "a")
	s.AddUser(2, "B", "b")
	s.Inject(fakekit.Fault{Chat: "2", RetryAfter: fakekit.Duration(time.Second), Times: -1})
	for chat, want := range map[string]bool{"1": true, "2": false} {
		if answer := post(t, s, "sendMessage", "chat_id", chat, "text", "x"); answer["ok"] != want {
			t.Errorf("chat %s: %v", chat, answer)
		}
	}
	if answer := post(t, s, "getMe"); answer["ok"] != true {
		t.Errorf("getMe: %v", answer)
	}
}

func TestDelayAloneOnlyDelays(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(1, "A", "a")
	s.Inject(fakekit.Fault{Delay: fakekit.Duration(30 * time.Millisecond)})
	start := time.Now()
	if answer := post(t, s, "sendMessage", "chat_id", "1", "text", "x"); answer["ok"] != true {
		t.Errorf("answer %v", answer)
	}
	if d := time.Since(start); d < 30*time.Millisecond {
		t.Errorf("answered after %v", d)
	}
}

// TestForcedUpdates covers repeated updates for a bot that polls with an offset.
func TestForcedUpdates(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(1, "A", "a")
	m := must(s.SendMessage(telegramfake.Incoming{ChatID: 1, Text: "x"}))
	first := post(t, s, "getUpdates")["result"].([]any)[0].(fakekit.Object)
	id := int(first["update_id"].(float64))
	next := strconv.Itoa(id + 1)
	must(s.Send(fakekit.Object{"update_id": id, "message": m}))
	if again := post(t, s, "getUpdates", "offset", next)["result"].([]any); len(again) != 1 {
		t.Fatalf("the repetition did not come: %v", again)
	}
	if left := post(t, s, "getUpdates", "offset", next)["result"].([]any); len(left) != 0 {
		t.Errorf("the repetition was not confirmed: %v", left)
	}
}

func TestDrainingManyUpdates(t *testing.T) {
	s := telegramfake.New(t)
	s.Keep(1)
	const total = 20000
	for range total {
		must(s.Send(fakekit.Object{"message": fakekit.Object{"text": "x"}}))
	}
	start, offset, got := time.Now(), "0", 0
	for got < total {
		updates := post(t, s, "getUpdates", "offset", offset)["result"].([]any)
		if len(updates) == 0 {
			t.Fatalf("ended after %d updates", got)
		}
		got += len(updates)
		last := updates[len(updates)-1].(fakekit.Object)["update_id"].(float64)
		offset = strconv.Itoa(int(last) + 1)
	}
	// Work that grows with the square of the number takes minutes.
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
	if n := len(s.Calls("getUpdates")); n != 1 {
		t.Errorf("%d calls were kept", n)
	}
}

// controlClient sends requests to a control API.
type controlClient struct {
	t   *testing.T
	url string
}

func newControl(t *testing.T, s *telegramfake.Server) controlClient {
	srv := httptest.NewServer(s.ControlHandler())
	t.Cleanup(srv.Close)
	return controlClient{t, srv.URL}
}

// post returns the decoded answer; want is the expected status.
func (c controlClient) post(path, body string, want int) any {
	c.t.Helper()
	res, err := http.Post(c.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var out any
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		c.t.Fatalf("%s: %v", path, err)
	}
	if res.StatusCode != want {
		c.t.Fatalf("%s: %s, want %d: %v", path, res.Status, want, out)
	}
	return out
}

func (c controlClient) get(path string) []any {
	c.t.Helper()
	res, err := http.Get(c.url + path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var out []any
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		c.t.Fatalf("%s: %v", path, err)
	}
	return out
}

func TestControlMessages(t *testing.T) {
	s := telegramfake.New(t)
	c := newControl(t, s)
	c.post("/chats", `{"id":1,"type":"private","first_name":"Ann"}`, 200)
	data := base64.StdEncoding.EncodeToString([]byte{0xff, 0x00, 0x01})
	file := c.post("/files", `{"name":"v.ogg","data":"`+data+`"}`, 200).(fakekit.Object)
	sent := c.post("/messages", `[
		{"chat_id":1,"text":"/one","from":{"id":6000000000,"is_bot":false,"first_name":"Big"}},
		{"chat_id":1,"kind":"voice","file_id":"`+file["file_id"].(string)+`","caption":"two"}]`, 200).([]any)
	if len(sent) != 2 || sent[1].(fakekit.Object)["voice"] == nil {
		t.Errorf("sent %v", sent)
	}
	if got := s.Messages(1)[0]["from"].(fakekit.Object)["id"]; got != json.Number("6000000000") {
		t.Errorf("id of the sender: %v", got)
	}
	one := c.post("/messages", `{"chat_id":1,"text":"three"}`, 200).(fakekit.Object)
	c.post("/edits", fmt.Sprintf(`{"chat_id":1,"message_id":%v,"text":"edited"}`, one["message_id"]), 200)
	bot := post(t, s, "sendMessage", "chat_id", "1", "text", "x",
		"reply_markup", `{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}`)["result"].(fakekit.Object)
	press := `{"chat_id":1,"message_id":%v,"data":"%s"}`
	if q := c.post("/presses", fmt.Sprintf(press, bot["message_id"], "b"), 200).(fakekit.Object); q["callback_query_id"] == "" {
		t.Errorf("press: %v", q)
	}
	c.post("/presses", fmt.Sprintf(press, bot["message_id"], "other"), 422)
	c.post("/messages", `[{"chat_id":9,"text":"x"}]`, 422)
	if list := c.get("/messages?chat_id=1"); len(list) != 4 || list[2].(fakekit.Object)["text"] != "edited" {
		t.Errorf("messages %v", list)
	}
	if n := s.Pending(); n != 5 {
		t.Errorf("%d updates, want 5", n)
	}
}

func TestControlChats(t *testing.T) {
	s := telegramfake.New(t)
	c := newControl(t, s)
	c.post("/chats", `{"id":-100,"type":"supergroup","title":"Ops","forum":true,"topics":[{"id":7,"name":"A"}]}`, 200)
	c.post("/chats", `{"id":-5,"type":"group","title":"Old"}`, 200)
	send := func(chat, thread string) string {
		t.Helper()
		answer := post(t, s, "sendMessage", "chat_id", chat, "message_thread_id", thread, "text", "x")
		description, _ := answer["description"].(string)
		return strings.TrimPrefix(description, "Bad Request: ")
	}
	steps := []struct {
		path, body   string
		chat, thread string
		want         string
	}{
		{"/topics/close", `{"chat_id":-100,"thread_id":7}`, "-100", "7", "TOPIC_CLOSED"},
		{"/topics/reopen", `{"chat_id":-100,"thread_id":7}`, "-100", "7", ""},
		{"/topics/delete", `{"chat_id":-100,"thread_id":7}`, "-100", "7", "message thread not found"},
		{"/blocks", `{"chat_id":-100,"blocked":true}`, "-100", "0", "Forbidden: bot was kicked from the supergroup chat"},
		{"/blocks", `{"chat_id":-100,"blocked":false}`, "-100", "0", ""},
		{"/migrations", `{"from":-5,"to":-1005}`, "-5", "0", "group chat was upgraded to a supergroup chat"},
	}
	for _, step := range steps {
		c.post(step.path, step.body, 200)
		if got := send(step.chat, step.thread); got != step.want {
			t.Errorf("after %s %s: %q, want %q", step.path, step.body, got, step.want)
		}
	}
	if got := send("-1005", "0"); got != "" {
		t.Errorf("new chat: %q", got)
	}
	for _, path := range []string{"/topics/close", "/topics/delete", "/blocks"} {
		c.post(path, `{"chat_id":1,"thread_id":1}`, 422)
	}
	c.post("/migrations", `{"from":1,"to":2}`, 422)
	if list := c.get("/topics?chat_id=-100"); len(list) != 1 {
		t.Errorf("topics %v", list)
	}
}

func TestControlPagesCalls(t *testing.T) {
	s := telegramfake.New(t)
	c := newControl(t, s)
	for range 5 {
		post(t, s, "getMe")
	}
	var seqs []string
	after := "0"
	for {
		page := c.get("/calls?" + url.Values{"after": {after}, "limit": {"2"}}.Encode())
		if len(page) == 0 {
			break
		}
		for _, call := range page {
			after = fakekit.Text(call.(fakekit.Object)["seq"])
			seqs = append(seqs, after)
		}
	}
	if got := strings.Join(seqs, " "); got != "1 2 3 4 5" {
		t.Errorf("paged %q", got)
	}
	c.post("/keep", `{"calls":2}`, 200)
	if list := c.get("/calls"); len(list) != 2 {
		t.Errorf("kept %v", list)
	}
}

func TestNamedDirectoryWithoutDescription(t *testing.T) {
	t.Setenv(specs.EnvDir, t.TempDir())
	if _, err := telegramfake.Start(); err == nil || !strings.Contains(err.Error(), specs.EnvDir) {
		t.Errorf("got %v, want an error that names %s", err, specs.EnvDir)
	}
}

func TestWithoutDescription(t *testing.T) {
	t.Setenv(specs.EnvDir, "")
	t.Chdir("/")
	s := telegramfake.New(t, telegramfake.Lenient())
	s.AddUser(4242, "Ann", "ann")
	s.HandleFunc("getMyStarBalance", func(fakekit.Call) (any, error) { return fakekit.Object{"amount": 1}, nil })
	for _, step := range []struct {
		method string
		ok     bool
		result string // field of the result, "" when it is no object
	}{
		{"sendMessage", true, "message_id"}, {"SENDMESSAGE", true, "message_id"}, {"sendLocation", true, "message_id"},
		{"leaveChat", true, ""}, {"getMyStarBalance", true, "amount"}, {"getMe", true, "username"},
		{"sendMessages", false, ""},
	} {
		answer := post(t, s, step.method, "chat_id", "4242", "text", "x", "latitude", "1", "longitude", "1")
		result, _ := answer["result"].(fakekit.Object)
		if answer["ok"] != step.ok || step.result != "" && result[step.result] == nil {
			t.Errorf("%s: %v", step.method, answer)
		}
	}
	if v := s.Violations(); len(v) != 1 {
		t.Errorf("violations %v, want only the unknown method", v)
	}
	member := post(t, s, "getChatMember", "chat_id", "4242", "user_id", "110201543")["result"].(fakekit.Object)
	if member["can_delete_messages"] != true {
		t.Errorf("member %v", member)
	}
	if _, err := telegramfake.CheckObject("Update", fakekit.Object{}); !errors.Is(err, specs.ErrNotFound) {
		t.Errorf("CheckObject: %v", err)
	}
}
