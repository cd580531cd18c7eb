package telegram_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
	"github.com/leadhand/leadhand/channels/telegram"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		s    settings
		want string
	}{
		"no token":            {settings{}, "bot_token is missing"},
		"a strange token":     {settings{"bot_token": "1:CANARY/../x"}, "characters that no token has"},
		"a strange server":    {settings{"bot_token": "1:CANARY", "api_url": "localhost:8081"}, "api_url: it must be the base"},
		"a webhook elsewhere": {settings{"bot_token": "1:CANARY", "webhook": settings{"url": "https://a.example/x"}}, "webhook: url must end in /hooks/tg"},
		"no URL":              {settings{"bot_token": "1:CANARY", "webhook": settings{"url": "a.example/hooks/tg"}}, "webhook: url must be where"},
		"a strange secret": {settings{"bot_token": "1:CANARY", "webhook": settings{"url": "https://a.example/hooks/tg", "secret": "a b"}},
			"webhook: secret must have"},
	}
	for name, tt := range tests {
		_, err := telegram.New("tg", tt.s.decode, channels.Env{Log: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFaultsAtTheStart(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault fakekit.Fault
		says  string
	}{
		"a wrong token":         {fakekit.Fault{Method: "getMe", Status: 401, Error: "Unauthorized"}, "does not know this bot token"},
		"an unreachable server": {fakekit.Fault{Method: "getMe", Drop: true}, "can't be reached"},
		"a page instead":        {fakekit.Fault{Method: "getMe", Status: 502}, "can't be reached"},
		"another poller":        {fakekit.Fault{Method: "getUpdates", Status: 409, Error: "Conflict: terminated by other getUpdates request"}, "another program receives"},
		"a webhook": {fakekit.Fault{Method: "getUpdates", Status: 409, Error: "Conflict: can't use getUpdates method while webhook is active"},
			"a webhook is set"},
		"asked to wait": {fakekit.Fault{Method: "getUpdates", RetryAfter: fakekit.Duration(1)}, "asked to wait"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.fake.Inject(tt.fault)
			r.start(nil)
			r.waitFor(tt.says)
			r.says(telegramfake.Incoming{ChatID: ann, Text: "hi"})
			if in := r.next(); in.Text != "hi" { // it recovers by itself
				t.Errorf("received %q", in.Text)
			}
		})
	}
}

func TestMenu(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	for scope, want := range map[string][]string{
		"default": {"new", "stop"}, "all_chat_administrators": {"new", "stop", "topic"},
	} {
		var menu []struct{ Command string }
		c := r.fake.Wait("setMyCommands", func(c fakekit.Call) bool { return strings.Contains(c.String("scope"), scope) })
		if err := c.JSON("commands", &menu); err != nil {
			t.Error(err)
		}
		var names []string
		for _, e := range menu {
			names = append(names, e.Command)
		}
		if !cmp.Equal(names, want) {
			t.Errorf("%s: menu %q, want %q", scope, names, want)
		}
	}
	again := newRig(t, telegramfake.Lenient())
	again.fake.HandleFunc("getMyCommands", func(c fakekit.Call) (any, error) {
		menu := []fakekit.Object{{"command": "new", "description": "start anew"}, {"command": "stop", "description": "stop"}}
		if strings.Contains(c.String("scope"), "admin") {
			menu = append(menu, fakekit.Object{"command": "topic", "description": "how I work here"})
		}
		return menu, nil
	})
	again.start(nil)
	again.fake.Wait("getWebhookInfo")
	if len(again.fake.Calls("setMyCommands")) > 0 {
		t.Error("an equal menu was written")
	}
}

// TestTheEndConfirms: what was stored is not delivered again at the next start.
func TestTheEndConfirms(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	stop := r.run()
	r.says(telegramfake.Incoming{ChatID: ann, Text: "hi"})
	r.next()
	stop()
	if n := r.fake.Pending(); n != 0 {
		t.Errorf("%d updates are not confirmed", n)
	}
}

// hooked runs a channel behind an HTTP server that the fake delivers to.
func hooked(t *testing.T) (*rig, *httptest.Server) {
	r := newRig(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.ch.(channels.Webhook).Webhook().ServeHTTP(w, req)
	}))
	t.Cleanup(srv.Close)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL, "webhook": settings{"url": srv.URL + "/hooks/tg"}})
	return r, srv
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	r, srv := hooked(t)
	post := func(secret, body string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/hooks/tg", bytes.NewBufferString(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	r.run()
	set := r.fake.Wait("setWebhook")
	secret := set.String("secret_token")
	if secret == "" || strings.Contains(secret, "CANARY") || !set.Has("allowed_updates") {
		t.Fatalf("set %v", set.Params)
	}
	r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, Text: "hi"})
	if in := r.next(); in.Text != "hi" || in.Conversation != topic("7") {
		t.Errorf("received %+v", in)
	}
	for name, tt := range map[string]struct {
		secret, body string
		want         int
	}{
		"no secret":      {"", "{}", 401},
		"a wrong secret": {"x", "{}", 401},
		"no update":      {secret, "[1]", 200}, // it would come again for ever
		"half a body":    {secret, `{"update_id":1`, 200},
		"too much":       {secret, strings.Repeat("x", 5<<20), 400},
	} {
		if got := post(tt.secret, tt.body); got != tt.want {
			t.Errorf("%s: status %d, want %d", name, got, tt.want)
		}
	}
	if len(r.fake.Calls("getUpdates")) > 0 {
		t.Error("polled beside the webhook")
	}
}

// TestWebhookAnswersWhenStored: what could not be stored is delivered again.
func TestWebhookAnswersWhenStored(t *testing.T) {
	t.Parallel()
	r, _ := hooked(t)
	fails := 2
	r.failing(func(*channels.Inbound) error {
		if fails--; fails >= 0 {
			return http.ErrServerClosed
		}
		return nil
	})
	r.run()
	r.says(telegramfake.Incoming{ChatID: ann, Text: "hi"})
	if in := r.next(); in.Text != "hi" {
		t.Errorf("received %q", in.Text)
	}
}

func TestAWebhookOfAnEarlierConfiguration(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	set := func(url string) {
		body, _ := json.Marshal(fakekit.Object{"url": url})
		resp, err := http.Post(r.fake.URL+"/bot"+r.fake.Token+"/setWebhook", "application/json", bytes.NewReader(body))
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(err, resp)
		}
		_ = resp.Body.Close()
	}
	set("http://127.0.0.1:1/hooks/tg")
	r.start(nil)
	r.says(telegramfake.Incoming{ChatID: ann, Text: "hi"})
	r.next()
}
