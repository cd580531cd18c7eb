package slack_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/slack"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	const bot, app = "xoxb-1-CANARY", "xapp-1-CANARY"
	for name, c := range map[string]struct {
		in   settings
		want string
	}{
		"no tokens":         {settings{}, "bot_token is missing"},
		"swapped":           {settings{"bot_token": app, "app_token": bot}, "swapped"},
		"app token as bot":  {settings{"bot_token": app}, "put it into app_token"},
		"bot token as app":  {settings{"bot_token": bot, "app_token": bot}, "put it into bot_token"},
		"user token":        {settings{"bot_token": "xoxp-1-CANARY"}, "starts with xoxb-"},
		"line in the token": {settings{"bot_token": "xoxb-1\nCANARY", "app_token": app}, "starts with xoxb-"},
		"no way to receive": {settings{"bot_token": bot}, "signing_secret"},
		"other app token":   {settings{"bot_token": bot, "app_token": "CANARY"}, "starts with xapp-"},
		"token as secret":   {settings{"bot_token": bot, "signing_secret": app}, "Signing Secret"},
		"no server":         {settings{"bot_token": bot, "app_token": app, "api_url": "slack.com"}, "api_url"},
		"name of a bot":     {settings{"bot_token": bot, "app_token": app, "bots": []string{"@deploys"}}, "no id"},
		"bots":              {settings{"bot_token": bot, "app_token": app, "bots": []string{"U0123", "B0123"}}, ""},
		"sockets":           {settings{"bot_token": " " + bot + "\n", "app_token": app}, ""},
		"HTTP":              {settings{"bot_token": bot, "signing_secret": "0123456789abcdef", "api_url": "http://127.0.0.1:8082/api/"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ch, err := slack.New("sl", c.in.decode, channels.Env{})
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Fatalf("got %v, want %q", err, c.want)
			case err != nil && strings.Contains(err.Error(), "CANARY"):
				t.Errorf("a secret is in %v", err)
			case err == nil && (ch.Name() != "sl" || (ch.(channels.Webhook).Webhook() != nil) != (c.in["signing_secret"] != nil)):
				t.Errorf("name %q, hook %v", ch.Name(), ch.(channels.Webhook).Webhook())
			}
		})
	}
	fault := errors.New("unknown key")
	if _, err := slack.New("sl", func(any) error { return fault }, channels.Env{}); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
}

func TestReconnects(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]func(*slackfake.Server){
		"refresh":  func(s *slackfake.Server) { s.Disconnect("refresh_requested") },
		"warning":  func(s *slackfake.Server) { s.Disconnect("warning") },
		"disabled": func(s *slackfake.Server) { s.Disconnect("link_disabled") },
		"unknown":  func(s *slackfake.Server) { s.Disconnect("something_new") },
		"dropped":  func(s *slackfake.Server) { s.DropSockets() },
		"refused once": func(s *slackfake.Server) {
			s.Inject(fakekit.Fault{Method: "apps.connections.open", Status: 502})
			s.DropSockets()
		},
		"limited": func(s *slackfake.Server) {
			s.Inject(fakekit.Fault{Method: "apps.connections.open", RetryAfter: fakekit.Duration(time.Second)})
			s.DropSockets()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, slackfake.WithEvents("message.channels")).start()
			for range 2 {
				r.says(slackfake.Incoming{Channel: general, Text: "before"})
				r.next()
				r.fake.Wait("ack:events_api") // one under way would be lost with the connection
				breakIt(r.fake)
				r.fake.Wait("socket")
				r.says(slackfake.Incoming{Channel: general, Text: "after"})
				if in := r.next(); in.Text != "after" {
					t.Errorf("received %q", in.Text)
				}
				r.fake.Wait("ack:events_api")
			}
			told := r.notices()
			if name == "disabled" {
				if len(told) != 1 || !strings.Contains(told[0], "switch it on under Socket Mode") {
					t.Errorf("told %q", told)
				}
			} else if len(told) > 0 {
				t.Errorf("told %q", told)
			}
		})
	}
}

func TestOldSocketIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	r.fake.Disconnect("warning")
	r.fake.Wait("socket")
	for range 4 { // the fake gives them to the old and the new one in turns
		r.says(slackfake.Incoming{Channel: general, Text: "hi"})
		r.next()
		r.fake.Wait("ack:events_api")
	}
}

func TestFaultsOfTheAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  fakekit.Fault
		log    string
		notice bool
	}{
		"revoked token":       {fakekit.Fault{Method: "auth.test", Error: "token_revoked"}, "does not take bot_token", true},
		"unknown token":       {fakekit.Fault{Method: "auth.test", Error: "invalid_auth"}, "does not take bot_token", true},
		"a bad server":        {fakekit.Fault{Method: "auth.test", Status: 500}, "can't be reached", false},
		"not Slack":           {fakekit.Fault{Method: "auth.test", Status: 404}, "see to api_url", false},
		"dropped":             {fakekit.Fault{Method: "auth.test", Drop: true}, "can't be reached", false},
		"unknown app token":   {fakekit.Fault{Method: "apps.connections.open", Error: "invalid_auth"}, "does not take app_token", true},
		"no connections":      {fakekit.Fault{Method: "apps.connections.open", Error: "missing_scope"}, "connections:write", true},
		"Socket Mode is off":  {fakekit.Fault{Method: "apps.connections.open", Error: "forbidden_team"}, "switch it on", true},
		"a bad socket server": {fakekit.Fault{Method: "apps.connections.open", Status: 503}, "can't be reached", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			c.fault.Times = 2
			r.fake.Inject(c.fault)
			r.start()
			r.waitFor(c.log)
			if told := r.notices(); (len(told) == 1 && strings.Contains(told[0], c.log)) != c.notice || !c.notice && len(told) > 0 {
				t.Errorf("told %q", told)
			}
			r.says(slackfake.Incoming{Channel: general, Text: "works"})
			r.next()
		})
	}
}

func TestSignInPageInsteadOfSlack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": r.fake.URL + "/elsewhere"})
	r.run()
	r.waitFor("see to api_url")
}

func TestMissingScopesAreNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	target, err := url.Parse(r.fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(resp *http.Response) error {
		resp.Header.Set("X-OAuth-Scopes", "app_mentions:read,channels:history,chat:write,commands,files:write, groups:history,im:history,mpim:history,users:read")
		return nil
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": front.URL})
	r.run()
	r.waitFor("add files:read, reactions:write under")
	r.fake.Wait("socket")
	if told := r.notices(); len(told) != 1 || !strings.Contains(told[0], "files:read, reactions:write") {
		t.Errorf("told %q", told)
	}
}

func TestEndsInEveryState(t *testing.T) {
	t.Parallel()
	// hangs lets a method give no answer, and tells when it is called.
	hangs := func(method string) func(*rig) func() {
		return func(r *rig) func() {
			called := make(chan struct{}, 10)
			r.fake.HandleFunc(method, func(fakekit.Call) (fakekit.Object, error) {
				called <- struct{}{}
				<-r.Context().Done()
				return nil, errors.New("internal_error")
			})
			return func() { <-called }
		}
	}
	for name, prepare := range map[string]func(*rig) (reached func()){
		"while it is introduced":     hangs("auth.test"),
		"while it asks for a socket": hangs("apps.connections.open"),
		"while it looks up a name":   hangs("users.info"),
		"while it can't connect": func(r *rig) func() {
			r.fake.Inject(fakekit.Fault{Method: "apps.connections.open", Status: 500, Times: -1})
			return func() { r.waitFor("can't be reached") }
		},
		"while a message can't be stored": func(r *rig) func() {
			r.failing(func(*channels.Inbound) error { return errors.New("no database") })
			return func() { r.waitFor("is not stored yet") }
		},
		"while a form is opened": func(r *rig) func() {
			r.fake.HandleFunc("users.info", func(fakekit.Call) (fakekit.Object, error) { return nil, errors.New("user_not_found") })
			reached := hangs("views.open")(r)
			return func() {
				r.next()
				r.press(general, r.mustSend(card()), "l2:0:1", "")
				reached()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, slackfake.Lenient())
			reached := prepare(r)
			r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": r.fake.URL})
			stop := r.run()
			r.says(slackfake.Incoming{Channel: general, Text: "hi"})
			reached()
			start := time.Now()
			stop()
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}
