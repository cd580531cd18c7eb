package slack_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/slack"
)

// FuzzDeliveries: whatever is delivered, the program is handed a usable message or nothing, and never panics.
func FuzzDeliveries(f *testing.F) {
	for _, seed := range []string{
		`{"type":"event_callback","team_id":"T1","event":{"type":"message","channel":"C1","user":"U1","text":"<@U0FAKEBOT01> hi ` + "`" + `<!here>","ts":"1.2","thread_ts":"1.1","files":[{"id":"F1"}]}}`,
		`{"type":"event_callback","event":{"type":"message","subtype":"message_changed","channel":"D1","message":{"user":"U1","text":"a","ts":"1.2","edited":{"ts":"3.4"}},"previous_message":{"text":"b"}}}`,
		`{"type":"event_callback","event":{"type":"app_mention","channel":"C1","user":"U1","text":"<@U0FAKEBOT01>","ts":"1.2","attachments":[{"is_share":true,"ts":1}]}}`,
		`{"type":"event_callback","event_id":"Ev1","event":{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"1.2","ts":"1.3","previous_message":{"user":"U1","text":"<@U0FAKEBOT01> a","ts":"1.2","thread_ts":"1.1"}}}`,
		`{"type":"event_callback","event":{"type":"message","subtype":"message_changed","channel":"C1","message":{"subtype":"tombstone","user":"USLACKBOT","ts":"1.2"},"previous_message":{"user":"U1","text":"a","ts":"1.2"}}}`,
		`{"type":"event_callback","event":{"type":"message","subtype":"bot_message","channel":"C1","bot_id":"B0DEPLOYS01","username":"d","text":"a","ts":"1.2"}}`,
		`{"type":"event_callback","event_id":"Ev2","event":{"type":"agent_session_stopped","channel":"C1","thread_ts":"1.2","user":"U1","streaming_message_ts":["1.3"]}}`,
		`{"type":"event_callback","event_id":"Ev3","event":{"type":"agent_session_stopped","channel":"D1","user":"U1"}}`,
		`{"type":"event_callback","event":{"type":"app_context_changed"}}`,
		`{"type":"event_callback","event":{"type":"app_home_opened","user":"U1","tab":"home"}}`,
		`{"type":"event_callback","event":{"type":"assistant_thread_started"}}`,
		`{"type":"block_actions","trigger_id":"1","user":{"id":"U1"},"channel":{"id":"C1"},"response_url":"https://hooks.slack.com/x","actions":[{"value":"l2:TOKEN00001.2"}],"message":{"ts":"1.2"}}`,
		`{"type":"block_actions","trigger_id":"1","user":{"id":"U1"},"channel":{"id":"C1"},"actions":[{"value":"l2?TOKEN00001\nWhy?"}]}`,
		`{"type":"block_actions","trigger_id":"1","user":{"id":"U1"},"channel":{"id":"C1"},"actions":[{"value":"l1:stop"}]}`,
		`{"type":"view_submission","user":{"id":"U1"},"view":{"id":"V1","callback_id":"lead_ask","private_metadata":"{\"token\":\"TOKEN00001\",\"chat\":\"C1\"}","state":{"values":{"answer":{"text":{"value":"x"}}}}}}`,
		`{"type":"message_action","callback_id":"lead_make_task","trigger_id":"1","user":{"id":"U1"},"channel":{"id":"C1"},"message":{"ts":"1.2"}}`,
		`{"channel_id":"C1","user_id":"U1","command":"/lead","text":"stop","trigger_id":"1","response_url":"https://hooks.slack.com/x"}`, `[]`, `null`, `{}`,
	} {
		f.Add(seed)
	}
	fake, err := slackfake.Start(slackfake.Lenient())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(fake.Close)
	s := settings{"bot_token": slackfake.BotToken, "signing_secret": slackfake.SigningSecret, "api_url": fake.URL, "bots": []string{"B0DEPLOYS01"}}
	log := &logged{}
	ch, err := slack.New("sl", s.decode, channels.Env{
		Log:    slog.New(slog.NewTextHandler(log, nil)),
		Joined: func(context.Context, channels.Conversation) (bool, error) { return true, nil },
	})
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.Cleanup(cancel)
	var last atomic.Pointer[channels.Inbound]
	go func() {
		_ = ch.Run(ctx, func(_ context.Context, in *channels.Inbound) error { last.Store(in); return nil })
	}()
	fake.Wait("auth.test")
	deliver := func(contentType, body string) int {
		req := httptest.NewRequest(http.MethodPost, "/hooks/sl", strings.NewReader(body))
		req.Header.Set("Content-Type", contentType)
		slackfake.Sign(req.Header, []byte(body), time.Now())
		w := httptest.NewRecorder()
		ch.(channels.Webhook).Webhook().ServeHTTP(w, req)
		return w.Code
	}
	const form = "application/x-www-form-urlencoded"
	for deliver("application/json", "{}") == http.StatusServiceUnavailable { // until it runs
	}
	f.Fuzz(func(t *testing.T, body string) {
		for contentType, sent := range map[string]string{"application/json": body, form: url.Values{"payload": {body}}.Encode()} {
			last.Store(nil)
			if code := deliver(contentType, sent); code != http.StatusOK {
				t.Errorf("status %d", code)
			}
			in := last.Load()
			if in != nil && (len(in.EventKey) < 3 || in.Conversation.Chat == "" || in.Sender.ID == "" ||
				in.Deleted && in.Revises == "" || in.Action != nil && len(in.Action.Token) != channels.TokenLength) {
				t.Errorf("handed %+v", in)
			}
		}
		if code := deliver(form, body); code != http.StatusOK {
			t.Errorf("status %d", code)
		}
		if strings.Contains(log.String(), "broke the program") {
			t.Errorf("panicked:\n%s", log)
		}
	})
}
