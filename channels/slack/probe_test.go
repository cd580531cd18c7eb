package slack_test

import (
	"errors"
	"fmt"
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

// levels are the levels of findings in their order, as one text.
func levels(found []channels.Finding) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(string(f.Level) + " ")
	}
	return strings.TrimSpace(b.String())
}

// withScopes stands before the fake and tells the scopes of the bot token, as Slack does.
func withScopes(t *testing.T, fake *slackfake.Server, scopes []string) string {
	t.Helper()
	target, err := url.Parse(fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-OAuth-Scopes", strings.Join(scopes, ","))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestProbe(t *testing.T) {
	t.Parallel()
	const otherApp = "xapp-1-A0OTHERAPP1-1000000000003-CANARY"
	fault := func(method, code string) func(*rig, settings) {
		return func(r *rig, _ settings) { r.fake.Inject(fakekit.Fault{Method: method, Error: code, Times: -1}) }
	}
	scopes := func(all []string) func(*rig, settings) {
		return func(r *rig, s settings) { s["api_url"] = withScopes(r.T, r.fake, all) }
	}
	tests := map[string]struct {
		set    func(r *rig, s settings)
		levels string
		what   []string
		fix    string
	}{
		"all is well":  {scopes(slack.NeededScopes()), "OK OK OK OK", []string{"@fakebot in Fake", "all that it needs", slackfake.AppID}, ""},
		"no scopes":    {nil, "OK OK OK OK", []string{"does not tell them"}, ""},
		"scopes lack":  {scopes(slack.NeededScopes()[1:]), "OK WARN OK OK", []string{"lacks app_mentions:read"}, "Reinstall"},
		"over HTTP":    {func(_ *rig, s settings) { delete(s, "app_token"); s["signing_secret"] = "CANARYSECRET" }, "OK OK OK", []string{"signing secret: it is set", "/hooks/sl"}, ""},
		"wrong bot":    {func(_ *rig, s settings) { s["bot_token"] = "xoxb-1-CANARY" }, "FAIL OK", []string{"bot token: Slack does not take it (invalid_auth)"}, "copy the Bot User OAuth Token"},
		"wrong app":    {func(_ *rig, s settings) { s["app_token"] = "xapp-1-CANARY" }, "OK OK FAIL", []string{"app token: Slack does not take it"}, "connections:write"},
		"revoked":      {fault("auth.test", "token_revoked"), "FAIL OK", []string{"token_revoked"}, "reinstall"},
		"sockets off":  {fault("apps.connections.open", "link_disabled"), "OK OK FAIL", []string{"Socket Mode is switched off"}, "switch it on"},
		"app's scope":  {fault("apps.connections.open", "missing_scope"), "OK OK FAIL", []string{"lacks the scope connections:write"}, "App-Level Tokens"},
		"other answer": {fault("auth.test", "team_access_not_granted"), "FAIL OK", []string{"Slack refuses: team_access_not_granted"}, "methods/auth.test"},
		"to wait": {func(r *rig, _ settings) {
			r.fake.Inject(fakekit.Fault{Method: "auth.test", RetryAfter: fakekit.Duration(time.Second)})
		}, "FAIL OK", []string{"asked to wait"}, "a minute"},
		"no answer": {func(r *rig, _ settings) { r.fake.Inject(fakekit.Fault{Drop: true, Times: -1}) }, "FAIL FAIL",
			[]string{"can't be asked"}, "network"},
		"no Slack": {func(r *rig, _ settings) { r.fake.Inject(fakekit.Fault{Status: http.StatusNotFound, Times: -1}) }, "FAIL FAIL",
			[]string{"is not Slack"}, "api_url"},
		"two apps": {func(r *rig, s settings) {
			s["app_token"] = otherApp
			s["api_url"] = asApp(r.T, r.fake, otherApp)
		}, "OK OK OK FAIL", []string{"two apps, " + slackfake.AppID + " (bot token) and A0OTHERAPP1 (app token)"}, "the same app"},
		"an app that Slack does not tell": {func(r *rig, _ settings) {
			r.fake.HandleFunc("bots.info", func(fakekit.Call) (fakekit.Object, error) { return nil, errors.New("bot_not_found") })
		}, "OK OK OK", nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": r.fake.URL}
			if tt.set != nil {
				tt.set(r, s)
			}
			r.make(s)
			found := r.ch.(channels.Prober).Probe(t.Context())
			if got := levels(found); got != tt.levels {
				t.Errorf("%s, want %s: %+v", got, tt.levels, found)
			}
			text := fmt.Sprintf("%+v", found)
			for _, want := range append(tt.what, tt.fix) {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %s", want, text)
				}
			}
			for _, f := range found {
				if (f.Fix == "") != (f.Level == channels.OK) || strings.Contains(f.What+f.Fix, "\n") {
					t.Errorf("%+v", f)
				}
			}
			for _, secret := range []string{"CANARY", slackfake.BotToken, slackfake.AppToken} {
				if strings.Contains(text, secret) {
					t.Errorf("a secret in %s", text)
				}
			}
		})
	}
}

// asApp stands before the fake and takes an app-level token of another app.
func asApp(t *testing.T, fake *slackfake.Server, token string) string {
	t.Helper()
	target, err := url.Parse(fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+token {
			r.Header.Set("Authorization", "Bearer "+slackfake.AppToken)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
