package telegramfake_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// The types below show how to use tgbotapi, which predates forum topics, with
// the current Bot API: embed its structs, shadow the fields that need more,
// and decode updates from the raw result of getUpdates.

type chat struct {
	tgbotapi.Chat
	IsForum bool `json:"is_forum"`
}

type message struct {
	tgbotapi.Message
	Chat              *chat    `json:"chat"`
	ReplyToMessage    *message `json:"reply_to_message"`
	MessageThreadID   int      `json:"message_thread_id"`
	IsTopicMessage    bool     `json:"is_topic_message"`
	ForumTopicCreated *struct {
		Name string `json:"name"`
	} `json:"forum_topic_created"`
}

type callbackQuery struct {
	tgbotapi.CallbackQuery
	Message *message `json:"message"`
}

type update struct {
	tgbotapi.Update
	Message       *message       `json:"message"`
	EditedMessage *message       `json:"edited_message"`
	CallbackQuery *callbackQuery `json:"callback_query"`
}

// UnmarshalJSON also fills the shadowed fields of the embedded structs, so
// that the library's helper methods keep working.
func (u *update) UnmarshalJSON(data []byte) error {
	type plain update
	if err := json.Unmarshal(data, (*plain)(u)); err != nil {
		return err
	}
	link := func(m *message) *tgbotapi.Message {
		if m == nil {
			return nil
		}
		if m.Chat != nil {
			m.Message.Chat = &m.Chat.Chat
		}
		return &m.Message
	}
	u.Update.Message = link(u.Message)
	u.Update.EditedMessage = link(u.EditedMessage)
	if q := u.CallbackQuery; q != nil {
		q.CallbackQuery.Message = link(q.Message)
		u.Update.CallbackQuery = &q.CallbackQuery
	}
	return nil
}

// topic returns the forum topic of a message: 0 outside of forums and of
// topics in private chats, 1 for General.
func (m *message) topic() int {
	switch {
	case m.IsTopicMessage:
		return m.MessageThreadID
	case m.Chat != nil && m.Chat.IsForum:
		return telegramfake.GeneralTopic
	default:
		return 0
	}
}

// contextClient lets one call of the library be cancelled.
type contextClient struct {
	ctx  context.Context
	next tgbotapi.HTTPClient
}

func (c contextClient) Do(req *http.Request) (*http.Response, error) {
	return c.next.Do(req.WithContext(c.ctx))
}

func withContext(ctx context.Context, bot *tgbotapi.BotAPI) *tgbotapi.BotAPI {
	b := *bot
	b.Client = contextClient{ctx, bot.Client}
	return &b
}

func poll(ctx context.Context, bot *tgbotapi.BotAPI, offset int) ([]update, error) {
	params := tgbotapi.Params{"timeout": "2", "offset": strconv.Itoa(offset)}
	if err := params.AddInterface("allowed_updates", []string{"message", "edited_message", "callback_query", "message_reaction"}); err != nil {
		return nil, err
	}
	resp, err := withContext(ctx, bot).MakeRequest("getUpdates", params)
	if err != nil {
		return nil, err
	}
	var updates []update
	return updates, json.Unmarshal(resp.Result, &updates)
}

func newBot(t *testing.T, s *telegramfake.Server) *tgbotapi.BotAPI {
	t.Helper()
	bot, err := tgbotapi.NewBotAPIWithAPIEndpoint(s.Token, s.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	return bot
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const forumID = -1001234567890

func TestForumTopics(t *testing.T) {
	s := telegramfake.New(t)
	s.AddForum(forumID, "Ops", telegramfake.Topic{ID: 7, Name: "Deploys"})
	bot := newBot(t, s)

	must(s.SendMessage(telegramfake.Incoming{ChatID: forumID, Text: "in general"}))
	must(s.SendMessage(telegramfake.Incoming{ChatID: forumID, ThreadID: 7, Text: "/deploy@fake_bot api 🚀"}))
	must(s.SendMessage(telegramfake.Incoming{ChatID: forumID, CommentThread: 3, Text: "reply thread"}))
	updates := must(poll(t.Context(), bot, 0))
	if len(updates) != 3 {
		t.Fatalf("got %d updates", len(updates))
	}
	if got := updates[0].Message.topic(); got != telegramfake.GeneralTopic {
		t.Errorf("General: topic %d", got)
	}
	m := updates[1].Message
	if m.topic() != 7 || m.MessageThreadID != 7 {
		t.Errorf("Deploys: topic %d, thread %d", m.topic(), m.MessageThreadID)
	}
	if m.Command() != "deploy" || m.CommandArguments() != "api 🚀" {
		t.Errorf("command %q, arguments %q", m.Command(), m.CommandArguments())
	}
	if updates[1].FromChat().ID != forumID || updates[1].SentFrom().UserName != "ann" {
		t.Error("helper methods of the embedded update do not work")
	}
	// A message in a topic refers to the topic's first message.
	if m.ReplyToMessage == nil || m.ReplyToMessage.ForumTopicCreated == nil || m.ReplyToMessage.MessageID != 7 {
		t.Errorf("implicit reply: %+v", m.ReplyToMessage)
	}
	if r := updates[2].Message; r.IsTopicMessage || r.MessageThreadID != 3 {
		t.Errorf("reply thread: %+v", r)
	}

	// Create a topic and answer in it.
	resp := must(bot.MakeRequest("createForumTopic", tgbotapi.Params{"chat_id": strconv.Itoa(forumID), "name": "Incident 12"}))
	var created struct {
		MessageThreadID int `json:"message_thread_id"`
	}
	if err := json.Unmarshal(resp.Result, &created); err != nil || created.MessageThreadID == 0 {
		t.Fatalf("createForumTopic: %s, %v", resp.Result, err)
	}
	params := tgbotapi.Params{"chat_id": strconv.Itoa(forumID), "text": "<b>on it</b>", "parse_mode": "HTML"}
	params.AddNonZero("message_thread_id", created.MessageThreadID)
	must(0, params.AddInterface("reply_markup", tgbotapi.NewInlineKeyboardMarkup(tgbotapi.NewInlineKeyboardRow(tgbotapi.NewInlineKeyboardButtonData("Ack", "ack:12")))))
	must(bot.MakeRequest("sendMessage", params))
	sent := s.Wait("sendMessage", fakekit.Param("text", "<b>on it</b>"))
	if sent.Int("message_thread_id") != int64(created.MessageThreadID) {
		t.Errorf("sent to thread %d", sent.Int("message_thread_id"))
	}

	// Upload into the topic.
	uploaded := must(bot.UploadFiles("sendDocument", tgbotapi.Params{
		"chat_id": strconv.Itoa(forumID), "message_thread_id": strconv.Itoa(created.MessageThreadID), "caption": "log",
	}, []tgbotapi.RequestFile{{Name: "document", Data: tgbotapi.FileBytes{Name: "log.txt", Bytes: []byte("hello")}}}))
	var doc message
	must(0, json.Unmarshal(uploaded.Result, &doc))
	if doc.MessageThreadID != created.MessageThreadID || doc.Document == nil {
		t.Fatalf("document: %s", uploaded.Result)
	}

	// The file can be sent again by its id and downloaded; File.Link has a
	// fixed host, so the URL is built from the endpoint.
	must(bot.MakeRequest("sendDocument", tgbotapi.Params{"chat_id": strconv.Itoa(forumID), "document": doc.Document.FileID}))
	file := must(bot.GetFile(tgbotapi.FileConfig{FileID: doc.Document.FileID}))
	res := must(http.Get(s.URL + "/file/bot" + s.Token + "/" + file.FilePath))
	defer res.Body.Close()
	if data := must(io.ReadAll(res.Body)); string(data) != "hello" {
		t.Errorf("downloaded %q", data)
	}

	// Press the button and answer.
	var buttonMessage int
	for _, m := range s.Messages(forumID) {
		if m["reply_markup"] != nil {
			buttonMessage = m["message_id"].(int)
		}
	}
	id := must(s.PressButton(forumID, buttonMessage, "ack:12", nil))
	updates = must(poll(t.Context(), bot, updates[2].UpdateID+1))
	q := updates[0].CallbackQuery
	if q == nil || q.ID != id || q.Data != "ack:12" || q.Message.MessageThreadID != created.MessageThreadID {
		t.Fatalf("callback: %+v", updates[0])
	}
	must(bot.Request(tgbotapi.NewCallback(q.ID, "done")))
	if left := s.UnansweredCallbacks(); len(left) != 0 {
		t.Errorf("unanswered callbacks: %v", left)
	}
	must(bot.Request(tgbotapi.NewSetMyCommands(tgbotapi.BotCommand{Command: "deploy", Description: "Deploy a service"})))
}

func TestGeneralTopic(t *testing.T) {
	s := telegramfake.New(t)
	s.AddForum(forumID, "Ops")
	bot := newBot(t, s)
	_, err := bot.MakeRequest("sendMessage", tgbotapi.Params{"chat_id": strconv.Itoa(forumID), "message_thread_id": "1", "text": "x"})
	if err == nil || err.Error() != "Bad Request: message thread not found" {
		t.Errorf("sendMessage with thread 1: %v", err)
	}
	must(bot.MakeRequest("sendChatAction", tgbotapi.Params{"chat_id": strconv.Itoa(forumID), "message_thread_id": "1", "action": "typing"}))
	must(bot.MakeRequest("sendMessage", tgbotapi.Params{"chat_id": strconv.Itoa(forumID), "text": "x"}))
}

func TestErrors(t *testing.T) {
	s := telegramfake.New(t)
	s.AddUser(4242, "Ann", "ann")
	s.AddChat(telegramfake.Chat{ID: -50, Type: "group", Title: "Old"})
	bot := newBot(t, s)
	send := func(chat int64) error {
		_, err := bot.Send(tgbotapi.NewMessage(chat, "hi"))
		return err
	}

	s.Inject(fakekit.Fault{Method: "sendMessage", RetryAfter: fakekit.Duration(7 * time.Second)})
	var apiErr *tgbotapi.Error
	if err := send(4242); !errors.As(err, &apiErr) || apiErr.Code != 429 || apiErr.RetryAfter != 7 {
		t.Errorf("429: %#v", err)
	}
	// The library loses the code of a failed upload and keeps retry_after.
	s.Inject(fakekit.Fault{Method: "sendDocument", RetryAfter: fakekit.Duration(3 * time.Second)})
	_, err := bot.Send(tgbotapi.NewDocument(4242, tgbotapi.FileBytes{Name: "a", Bytes: []byte("x")}))
	if !errors.As(err, &apiErr) || apiErr.Code != 0 || apiErr.RetryAfter != 3 {
		t.Errorf("429 on upload: %#v", err)
	}
	must(0, s.Migrate(-50, -10050))
	if err := send(-50); !errors.As(err, &apiErr) || apiErr.MigrateToChatID != -10050 {
		t.Errorf("migration: %#v", err)
	}
	must(0, s.Block(4242, true))
	if err := send(4242); !errors.As(err, &apiErr) || apiErr.Code != 403 {
		t.Errorf("blocked: %#v", err)
	}
	must(0, s.Block(4242, false))
	// An HTML error page leaves only a JSON syntax error.
	s.Inject(fakekit.Fault{Method: "sendMessage", Status: 502})
	var syntax *json.SyntaxError
	if err := send(4242); !errors.As(err, &syntax) {
		t.Errorf("502: %#v", err)
	}
	// The message is stored although the client sees a broken connection.
	s.Inject(fakekit.Fault{Method: "sendMessage", DropResponse: true})
	if err := send(4242); err == nil {
		t.Error("lost response: no error")
	}
	if got := len(s.Messages(4242)); got != 1 {
		t.Errorf("%d messages after a lost response", got)
	}
}

func TestConflict(t *testing.T) {
	s := telegramfake.New(t)
	bot := newBot(t, s)
	first := make(chan error, 1)
	go func() {
		_, err := poll(t.Context(), bot, 0)
		first <- err
	}()
	// A poll is logged when it ends, so give the first one a head start.
	time.Sleep(100 * time.Millisecond)
	go poll(t.Context(), bot, 0) //nolint:errcheck // ends with the server
	var apiErr *tgbotapi.Error
	if err := <-first; !errors.As(err, &apiErr) || apiErr.Code != http.StatusConflict {
		t.Errorf("first poller: %v", err)
	}
}

func TestCancelledPoll(t *testing.T) {
	s := telegramfake.New(t)
	bot := newBot(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := poll(ctx, bot, 0); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Errorf("poll: %v after %v", err, time.Since(start))
	}
}
