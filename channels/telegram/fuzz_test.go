package telegram_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
	"github.com/leadhand/leadhand/channels/telegram"
)

// FuzzUpdates: whatever is delivered, the program is handed a usable message or nothing, and never panics.
func FuzzUpdates(f *testing.F) {
	for _, seed := range []string{
		`{"update_id":1,"message":{"message_id":5,"date":1,"chat":{"id":-1001,"type":"supergroup","is_forum":true},"from":{"id":5,"first_name":"A"},"text":"👋 @opsbot hi","entities":[{"type":"mention","offset":3,"length":7}]}}`,
		`{"update_id":2,"edited_message":{"message_id":5,"chat":{"id":5,"type":"private"},"caption":"/stop@opsbot","caption_entities":[{"type":"bot_command","offset":0,"length":12}],"photo":[{"file_id":"x"}]}}`,
		`{"update_id":3,"callback_query":{"id":"1","from":{"id":5},"data":"l1:stop all","message":{"message_id":3,"chat":{"id":5,"type":"private"}}}}`,
		`{"update_id":4,"channel_post":{"message_id":1,"chat":{"id":-3,"type":"channel"},"reply_to_message":{"message_id":0},"poll":{"question":"?"}}}`,
		`{"update_id":5,"message":{"message_id":1,"chat":{"id":-3},"migrate_to_chat_id":-100}}`,
		`{"update_id":6,"my_chat_member":{"chat":{"id":1}}}`, `{"update_id":"7"}`, `[]`, `null`, `{}`,
	} {
		f.Add(seed)
	}
	fake, err := telegramfake.Start(telegramfake.Lenient(), telegramfake.WithToken("999:CANARY"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(fake.Close)
	s := settings{"bot_token": fake.Token, "api_url": fake.URL, "webhook": settings{"url": "http://127.0.0.1:1/hooks/tg", "secret": "s"}}
	log := &logged{}
	ch, err := telegram.New("tg", s.decode, channels.Env{
		Log:   slog.New(slog.NewTextHandler(log, nil)),
		Own:   func(ctx context.Context, _ string, _ func(context.Context) error) error { <-ctx.Done(); return nil },
		Moved: func(context.Context, channels.ChatID, channels.ChatID) error { return nil },
	})
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.Cleanup(cancel)
	var last *channels.Inbound
	go func() {
		_ = ch.Run(ctx, func(_ context.Context, in *channels.Inbound) error { last = in; return nil })
	}()
	fake.Wait("getMe")
	hook := ch.(channels.Webhook).Webhook()
	deliver := func(body string) int {
		req := httptest.NewRequest(http.MethodPost, "/hooks/tg", strings.NewReader(body))
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", "s")
		w := httptest.NewRecorder()
		hook.ServeHTTP(w, req)
		return w.Code
	}
	for deliver("{}") == 503 { // until it runs
	}
	f.Fuzz(func(t *testing.T, body string) {
		last = nil
		if code := deliver(body); code != 200 {
			t.Errorf("status %d", code)
		}
		if last != nil && (last.EventKey == "" || last.ID == "" || last.Conversation.Chat == "" || last.Sender.ID == "") {
			t.Errorf("handed %+v", last)
		}
		if strings.Contains(log.String(), "it broke the program") {
			t.Errorf("panicked:\n%s", log)
		}
	})
}
